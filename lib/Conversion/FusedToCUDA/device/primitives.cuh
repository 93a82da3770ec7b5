//===- primitives.cuh - What device templates are written with --*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only device file with two implementations: PTX and CUDA builtins under
// NVRTC, and, everywhere else, calls into the emulator of test/Emulator, which
// runs the same text on the processor. It is self-contained: NVRTC finds no
// header. Templates use these names and plain C++ alone.
//
// A *collective* (shuffle, vote, barrier) is executed by all lanes of a warp,
// or all threads of a block, from the same line of the text. Thread counts are
// multiples of 32, so that no warp is partial.
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

//===----------------------------------------------------------------------===//
// Shuffles and votes: collectives of a warp
//===----------------------------------------------------------------------===//

// T has 4 or 8 bytes. shuffleXor gives the value of lane `lane ^ mask`,
// shuffleDown that of lane + delta (its own past the last lane), shuffleIndex
// that of lane source % 32. warpBallot gives bit l of lane l's vote.

#ifdef __CUDACC_RTC__

template <class T> SINTER_DEVICE T shuffleXor(T value, i32 mask) {
  return __shfl_xor_sync(0xffffffffu, value, mask);
}
template <class T> SINTER_DEVICE T shuffleDown(T value, i32 delta) {
  return __shfl_down_sync(0xffffffffu, value, delta);
}
template <class T> SINTER_DEVICE T shuffleIndex(T value, i32 source) {
  return __shfl_sync(0xffffffffu, value, source);
}
SINTER_DEVICE u32 warpBallot(bool vote) {
  return __ballot_sync(0xffffffffu, vote);
}

#else

template <class T>
SINTER_DEVICE T shuffleXor(T value, i32 mask,
                           emulation::Place place = emulation::here()) {
  using namespace emulation;
  return shuffle(machine(), Shuffle::Xor, value, mask, place);
}
template <class T>
SINTER_DEVICE T shuffleDown(T value, i32 delta,
                            emulation::Place place = emulation::here()) {
  using namespace emulation;
  return shuffle(machine(), Shuffle::Down, value, delta, place);
}
template <class T>
SINTER_DEVICE T shuffleIndex(T value, i32 source,
                             emulation::Place place = emulation::here()) {
  using namespace emulation;
  return shuffle(machine(), Shuffle::Index, value, source, place);
}
SINTER_DEVICE u32 warpBallot(bool vote,
                             emulation::Place place = emulation::here()) {
  return emulation::machine().ballot(vote, place);
}

#endif

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

// A barrier makes what its threads wrote to shared and global memory before it
// visible to them after it. warpBarrier and blockBarrier are collectives.
// namedBarrierSync waits until `count` threads (a multiple of 32) have come to
// barrier `id` (1 to 15), namedBarrierArrive counts without waiting; each is a
// collective of a warp.

#ifdef __CUDACC_RTC__

SINTER_DEVICE void warpBarrier() { __syncwarp(); }
SINTER_DEVICE void blockBarrier() { __syncthreads(); }
SINTER_DEVICE void namedBarrierSync(i32 id, i32 count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}
SINTER_DEVICE void namedBarrierArrive(i32 id, i32 count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

#else

SINTER_DEVICE void warpBarrier(emulation::Place place = emulation::here()) {
  emulation::machine().warpBarrier(place);
}
SINTER_DEVICE void blockBarrier(emulation::Place place = emulation::here()) {
  emulation::machine().blockBarrier(place);
}
SINTER_DEVICE void
namedBarrierSync(i32 id, i32 count,
                 emulation::Place place = emulation::here()) {
  emulation::machine().namedBarrier(id, count, true, place);
}
SINTER_DEVICE void
namedBarrierArrive(i32 id, i32 count,
                   emulation::Place place = emulation::here()) {
  emulation::machine().namedBarrier(id, count, false, place);
}

#endif

//===----------------------------------------------------------------------===//
// Accesses of 1, 2, 4, 8 or 16 bytes, aligned to their size
//===----------------------------------------------------------------------===//

// loadGlobal and storeGlobal take addresses in global memory, loadShared and
// storeShared in the block's shared memory; T is a scalar or a Pack.

#ifdef __CUDACC_RTC__

template <class T> SINTER_DEVICE T loadGlobal(const T *address) {
  __builtin_assume(__isGlobal(address));
  return *address;
}
template <class T> SINTER_DEVICE void storeGlobal(T *address, T value) {
  if constexpr (sizeof(T) == 16) {
    // What is written as one struct, NVRTC 12 may store lane by lane.
    const uint4 bits = bitCast<uint4>(value);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(
                     __cvta_generic_to_global(address)),
                 "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w)
                 : "memory");
  } else {
    __builtin_assume(__isGlobal(address));
    *address = value;
  }
}
template <class T> SINTER_DEVICE T loadShared(const T *address) {
  __builtin_assume(__isShared(address));
  return *address;
}
template <class T> SINTER_DEVICE void storeShared(T *address, T value) {
  __builtin_assume(__isShared(address));
  *address = value;
}

#else

template <class T>
SINTER_DEVICE T loadGlobal(const T *address,
                           emulation::Place place = emulation::here()) {
  emulation::machine().checkAccess(address, sizeof(T), false, place);
  return *address;
}
template <class T>
SINTER_DEVICE void storeGlobal(T *address, T value,
                               emulation::Place place = emulation::here()) {
  emulation::machine().checkAccess(address, sizeof(T), false, place);
  *address = value;
}
template <class T>
SINTER_DEVICE T loadShared(const T *address,
                           emulation::Place place = emulation::here()) {
  emulation::machine().checkAccess(address, sizeof(T), true, place);
  return *address;
}
template <class T>
SINTER_DEVICE void storeShared(T *address, T value,
                               emulation::Place place = emulation::here()) {
  emulation::machine().checkAccess(address, sizeof(T), true, place);
  *address = value;
}

#endif

//===----------------------------------------------------------------------===//
// Asynchronous copies from global to shared memory
//===----------------------------------------------------------------------===//

// copyAsync<Bytes> starts the copy of 4, 8 or 16 bytes, both addresses aligned
// to as many; without `valid` it writes zeros and reads nothing. Commit makes
// the thread's copies since the last commit a group (perhaps an empty one).
// Wait<N> returns when at most the last N of the thread's groups are still
// under way: the thread may then read what it copied, others after a barrier.
// A thread waits for all its copies before it ends.

#ifdef __CUDACC_RTC__

template <int Bytes>
SINTER_DEVICE void copyAsync(void *shared, const void *global, bool valid) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "4, 8 or 16 bytes");
  u32 target = static_cast<u32>(__cvta_generic_to_shared(shared));
  u64 source = __cvta_generic_to_global(global);
  i32 bytes = valid ? Bytes : 0;
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(target),
                 "l"(source), "r"(bytes)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(target),
                 "l"(source), "r"(bytes), "n"(Bytes)
                 : "memory");
}
SINTER_DEVICE void copyAsyncCommit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int N> SINTER_DEVICE void copyAsyncWait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

#else

template <int Bytes>
SINTER_DEVICE void copyAsync(void *shared, const void *global, bool valid,
                             emulation::Place place = emulation::here()) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16, "4, 8 or 16 bytes");
  emulation::machine().copyAsync(shared, global, Bytes, valid,
                                 emulation::moveWords, place);
}
SINTER_DEVICE void copyAsyncCommit() { emulation::machine().copyAsyncCommit(); }
template <int N> SINTER_DEVICE void copyAsyncWait() {
  emulation::machine().copyAsyncWait(N);
}

#endif

//===----------------------------------------------------------------------===//
// Integers that blocks share
//===----------------------------------------------------------------------===//

// Relaxed: no other access is ordered by them. atomicMaximum and atomicAdd give
// the value before.

#ifdef __CUDACC_RTC__

SINTER_DEVICE i32 loadRelaxed(const i32 *address) {
  i32 value;
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];"
               : "=r"(value)
               : "l"(__cvta_generic_to_global(address))
               : "memory");
  return value;
}
SINTER_DEVICE void storeRelaxed(i32 *address, i32 value) {
  asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(
                   __cvta_generic_to_global(address)),
               "r"(value)
               : "memory");
}
SINTER_DEVICE i32 atomicAddRelaxed(i32 *address, i32 value) {
  return atomicAdd(address, value);
}
SINTER_DEVICE i32 atomicMaxRelaxed(i32 *address, i32 value) {
  return atomicMax(address, value);
}

#else

SINTER_DEVICE i32 loadRelaxed(const i32 *address) {
  return __atomic_load_n(address, __ATOMIC_RELAXED);
}
SINTER_DEVICE void storeRelaxed(i32 *address, i32 value) {
  __atomic_store_n(address, value, __ATOMIC_RELAXED);
}
SINTER_DEVICE i32 atomicAddRelaxed(i32 *address, i32 value) {
  return __atomic_fetch_add(address, value, __ATOMIC_RELAXED);
}
SINTER_DEVICE i32 atomicMaxRelaxed(i32 *address, i32 value) {
  i32 before = loadRelaxed(address);
  while (before < value &&
         !__atomic_compare_exchange_n(address, &before, value, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return before;
}

#endif

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

// ex2 is 2^x with the special function unit: error 2^-22 relative, subnormal
// inputs and results are 0. rsqrtApprox is 1/sqrt(x), error 2^-22 relative.
// toF16 and toBf16 round to nearest, ties to even; NaN becomes 0x7fff.

#ifdef __CUDACC_RTC__

SINTER_DEVICE float ex2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SINTER_DEVICE float rsqrtApprox(float x) {
  float y;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
SINTER_DEVICE float toFloat(f16 x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
  return y;
}
SINTER_DEVICE f16 toF16(float x) {
  f16 y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}
SINTER_DEVICE bf16 toBf16(float x) {
  bf16 y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y.bits) : "f"(x));
  return y;
}

#else

namespace emulation {
/// Subnormal numbers become zeros of their sign.
inline float flush(float x) {
  return fabsf(x) < 0x1p-126f ? copysignf(0.0f, x) : x;
}
} // namespace emulation

SINTER_DEVICE float ex2(float x) {
  return emulation::flush(exp2f(emulation::flush(x)));
}
SINTER_DEVICE float rsqrtApprox(float x) {
  return 1.0f / sqrtf(emulation::flush(x));
}
SINTER_DEVICE float toFloat(f16 x) { return bitCast<_Float16>(x.bits); }
SINTER_DEVICE f16 toF16(float x) {
  return f16{x != x ? u16(0x7fff) : bitCast<u16>(static_cast<_Float16>(x))};
}
SINTER_DEVICE bf16 toBf16(float x) {
  u32 bits = bitCast<u32>(x);
  return bf16{x != x ? u16(0x7fff)
                     : u16((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

#endif

SINTER_DEVICE float toFloat(bf16 x) {
  return bitCast<float>(static_cast<u32>(x.bits) << 16);
}

} // namespace sinter
