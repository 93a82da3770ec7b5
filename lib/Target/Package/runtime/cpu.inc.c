/*===- cpu.inc.c - does this processor fit; floating-point mode -*- C -*-===//
 *
 * Part of the Sinter project, under the Apache License v2.0 with LLVM
 * Exceptions. See LICENSE for license information.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===--------------------------------------------------------------------===*/

struct sinter_cpuid {
  uint32_t registers[4]; /* eax, ebx, ecx, edx */
};

static struct sinter_cpuid sinter_read_cpuid(uint32_t leaf, uint32_t subleaf) {
  struct sinter_cpuid r;
  __asm__ volatile("cpuid"
                   : "=a"(r.registers[0]), "=b"(r.registers[1]),
                     "=c"(r.registers[2]), "=d"(r.registers[3])
                   : "a"(leaf), "c"(subleaf));
  return r;
}

/* 0: the operating system saves no ymm, 1: ymm, 2: ymm and zmm. */
static int sinter_saved_state(uint32_t leaf1_ecx) {
  uint32_t low, high;
  if (!(leaf1_ecx >> 27 & 1)) /* OSXSAVE: xgetbv exists */
    return 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 0x06) != 0x06)
    return 0;
  return (low & 0xe0) == 0xe0 ? 2 : 1;
}

static uint64_t sinter_detect_cpu(void) {
  struct sinter_cpuid none = {{0, 0, 0, 0}};
  struct sinter_cpuid leaf1 = sinter_read_cpuid(1, 0);
  struct sinter_cpuid leaf7 = none, leaf71 = none, leaf81 = none;
  if (sinter_read_cpuid(0, 0).registers[0] >= 7) {
    leaf7 = sinter_read_cpuid(7, 0);
    if (leaf7.registers[0] >= 1)
      leaf71 = sinter_read_cpuid(7, 1);
  }
  if (sinter_read_cpuid(0x80000000u, 0).registers[0] >= 0x80000001u)
    leaf81 = sinter_read_cpuid(0x80000001u, 0);
  int saved = sinter_saved_state(leaf1.registers[2]);
  uint64_t features = 0;
#define SINTER_CPU_FEATURE(bit, name, source, reg, shift, needs)               \
  if (saved >= (needs) && (leaf##source.registers[reg] >> (shift) & 1))        \
    features |= UINT64_C(1) << (bit);
#include "cpu_features.def"
#undef SINTER_CPU_FEATURE
  return features;
}

/* 0: not asked yet, 1: fits, 2: does not. Racing threads find the same. */
static unsigned char sinter_cpu_state;

static int sinter_cpu_fits(const struct sinter_model *model) {
  unsigned char state = __atomic_load_n(&sinter_cpu_state, __ATOMIC_RELAXED);
  if (state == 0) {
    uint64_t needed = (uint64_t)model->cpu_features;
    state = (sinter_detect_cpu() & needed) == needed ? 1 : 2;
    __atomic_store_n(&sinter_cpu_state, state, __ATOMIC_RELAXED);
  }
  return state == 1;
}

static uint32_t sinter_get_mode(void) { return __builtin_ia32_stmxcsr(); }
static void sinter_set_mode(uint32_t mode) { __builtin_ia32_ldmxcsr(mode); }
