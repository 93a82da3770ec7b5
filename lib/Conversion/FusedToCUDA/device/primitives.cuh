//===- primitives.cuh - What device templates are written with --*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only device files with two implementations are this one and those after
// it, primitives_*.cuh: PTX and CUDA builtins under NVRTC, and, everywhere
// else, calls into the emulator of test/Emulator, which runs the same text on
// the processor. They include nothing: NVRTC finds no header. Templates use
// these names and plain C++ alone.
//
//===----------------------------------------------------------------------===//

#ifndef __CUDACC_RTC__
#include "Machine.h"
#include <math.h>
#endif

namespace sinter {

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long long;

/// Half and brain floats are bits: arithmetic is in float, see toFloat.
struct f16 {
  u16 bits;
};
struct bf16 {
  u16 bits;
};

/// N values that one access moves: sizeof(T) * N bytes, aligned to as many.
template <class T, int N> struct alignas(sizeof(T) * N) Pack {
  T lane[N];
};

/// The launch slots of a kernel: a memref is its address and then its dynamic
/// extents, an integer is one slot.
template <int N> struct Arguments {
  i64 slot[N > 0 ? N : 1];
};

/// Device memory of an entry. A kernel returns at once when `abort` is not 0;
/// `notice` says that a reported read was clamped.
struct Status {
  i32 abort;
  i32 notice;
};

} // namespace sinter

//===----------------------------------------------------------------------===//
// Kernels, shared memory, and who is running
//===----------------------------------------------------------------------===//

// SINTER_DEVICE stands before every function of the device.
//
// SINTER_KERNEL(name, Spec, body) defines the kernel `name`, which calls
// body<Spec>(arguments, step, status, scratch). Spec gives `threads`,
// `blocks_per_sm` (what the register allocation must allow) and `Arguments`.
//
// SINTER_SHARED(name) declares `name`, the block's dynamic shared memory, u8 at
// an address that is a multiple of 128. It starts as the last block left it.

#ifdef __CUDACC_RTC__

#define SINTER_DEVICE __device__ __forceinline__
#define SINTER_SHARED(name) extern __shared__ __align__(128)::sinter::u8 name[]
#define SINTER_KERNEL(name, Spec, body)                                        \
  extern "C" __global__ void __launch_bounds__(Spec::threads,                  \
                                               Spec::blocks_per_sm)            \
      name(const __grid_constant__ Spec::Arguments arguments,                  \
           ::sinter::i64 step, ::sinter::Status *status,                       \
           ::sinter::u8 *scratch) {                                            \
    static_assert(Spec::threads % 32 == 0, "a warp is never partial");         \
    body<Spec>(arguments, step, status, scratch);                              \
  }

namespace sinter {

SINTER_DEVICE i32 threadIndex() { return threadIdx.x; }
SINTER_DEVICE i32 threadCount() { return blockDim.x; }
SINTER_DEVICE i32 blockIndex() { return blockIdx.x; }
SINTER_DEVICE i32 blockCount() { return gridDim.x; }

} // namespace sinter

#else

#define SINTER_DEVICE inline
#define SINTER_SHARED(name)                                                    \
  ::sinter::u8 *const name = ::sinter::emulation::machine().shared
#define SINTER_KERNEL(name, Spec, body)                                        \
  extern "C" __attribute__((visibility("default")))                            \
  const ::sinter::emulation::Kernel name = {                                   \
      ::sinter::emulation::kMagic,                                             \
      Spec::threads,                                                           \
      Spec::blocks_per_sm,                                                     \
      sizeof(Spec::Arguments),                                                 \
      &sinter_emulator,                                                        \
      [](void **parameter) {                                                   \
        static_assert(Spec::threads % 32 == 0, "a warp is never partial");     \
        body<Spec>(*static_cast<const Spec::Arguments *>(parameter[0]),        \
                   *static_cast<::sinter::i64 *>(parameter[1]),                \
                   *static_cast<::sinter::Status **>(parameter[2]),            \
                   *static_cast<::sinter::u8 **>(parameter[3]));               \
      }};

namespace sinter {

SINTER_DEVICE i32 threadIndex() { return emulation::machine().thread; }
SINTER_DEVICE i32 threadCount() { return emulation::machine().threads; }
SINTER_DEVICE i32 blockIndex() { return emulation::machine().block; }
SINTER_DEVICE i32 blockCount() { return emulation::machine().blocks; }

} // namespace sinter

#endif

namespace sinter {

SINTER_DEVICE i32 laneIndex() { return threadIndex() & 31; }
SINTER_DEVICE i32 warpIndex() { return threadIndex() >> 5; }

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// The same bits as another type of the same size.
template <class To, class From> SINTER_DEVICE To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

} // namespace sinter
