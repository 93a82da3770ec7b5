//===- primitives_memory.cuh - Accesses, copies and atomics -----*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel does to memory.
//
//===----------------------------------------------------------------------===//

namespace sinter {

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

} // namespace sinter
