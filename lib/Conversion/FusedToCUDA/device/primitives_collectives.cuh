//===- primitives_collectives.cuh - Shuffles, votes and barriers *- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A *collective* is executed by all lanes of a warp, or all threads of a block,
// from the same line of the text. Thread counts are multiples of 32, so that no
// warp is partial.
//
//===----------------------------------------------------------------------===//

namespace sinter {

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

} // namespace sinter
