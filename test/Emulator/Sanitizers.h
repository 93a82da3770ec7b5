//===- Sanitizers.h - What sanitizers are told of fibers --------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator itself is compiled without sanitizers, so that only accesses of
// kernels are judged. A sanitizer's runtime is there or not (preloaded, or in
// the program); weak symbols tell which.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_SANITIZERS_H
#define SINTER_EMULATOR_SANITIZERS_H

#include <cstddef>

#define SINTER_WEAK extern "C" __attribute__((weak))
SINTER_WEAK void *__tsan_get_current_fiber();
SINTER_WEAK void *__tsan_create_fiber(unsigned flags);
SINTER_WEAK void __tsan_destroy_fiber(void *fiber);
SINTER_WEAK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
SINTER_WEAK void __tsan_acquire(void *address);
SINTER_WEAK void __tsan_release(void *address);
SINTER_WEAK void AnnotateIgnoreReadsBegin(const char *file, int line);
SINTER_WEAK void AnnotateIgnoreReadsEnd(const char *file, int line);
SINTER_WEAK void AnnotateIgnoreWritesBegin(const char *file, int line);
SINTER_WEAK void AnnotateIgnoreWritesEnd(const char *file, int line);
SINTER_WEAK void __sanitizer_start_switch_fiber(void **save, const void *bottom,
                                                size_t bytes);
SINTER_WEAK void __sanitizer_finish_switch_fiber(void *save,
                                                 const void **oldBottom,
                                                 size_t *oldBytes);
SINTER_WEAK void __asan_init();
#undef SINTER_WEAK

namespace sinter::emulation {

inline bool hasThreadSanitizer() { return __tsan_create_fiber != nullptr; }
inline bool hasAddressSanitizer() { return __asan_init != nullptr; }

/// What happened in a thread before it released happens before what a thread
/// does after it acquired the same address.
inline void release(void *address) {
  if (hasThreadSanitizer())
    __tsan_release(address);
}
inline void acquire(void *address) {
  if (hasThreadSanitizer())
    __tsan_acquire(address);
}

/// While one lives, ThreadSanitizer takes no notice of this fiber's accesses:
/// it sees those of malloc, memmove and their kin even where they are called by
/// code that it does not instrument.
class Quiet {
public:
  Quiet() {
    if (!hasThreadSanitizer())
      return;
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  }
  ~Quiet() {
    if (!hasThreadSanitizer())
      return;
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  Quiet(const Quiet &) = delete;
  Quiet &operator=(const Quiet &) = delete;
};

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_SANITIZERS_H
