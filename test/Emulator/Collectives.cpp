//===- Collectives.cpp - What the threads of a block do together ----------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Sanitizers.h"

using namespace sinter::emulation;

static bool isSame(Place a, Place b) {
  return a.line == b.line && (a.file == b.file || !strcmp(a.file, b.file));
}

//===----------------------------------------------------------------------===//
// Of a warp
//===----------------------------------------------------------------------===//

/// Returns the values of all lanes when all have arrived. They are valid until
/// the calling lane arrives at the next but one.
const uint64_t *Block::exchange(const char *what, Place place, uint64_t value) {
  int index = current->index / kLanes, lane = current->index % kLanes;
  Warp &warp = warps[index];
  if (warp.alive != ~0u)
    failAt(place, "%s without all lanes: some have ended", what);
  if (warp.arrived && (warp.what != what || !isSame(warp.place, place)))
    failAt(place, "the warp is divided: other lanes wait for %s at %s:%d",
           warp.what, warp.place.file, warp.place.line);
  uint64_t *values = warp.value[warp.phase % 2];
  warp.what = what;
  warp.place = place;
  warp.arrived |= 1u << lane;
  values[lane] = value;
  if (warp.arrived == ~0u) {
    warp.arrived = 0;
    ++warp.phase;
    makeReady(index, ~0u);
  }
  waitAt(what, place);
  return values;
}

/// The lane whose value `lane` receives.
static int sourceLane(Shuffle kind, int lane, int operand) {
  if (kind == Shuffle::Xor)
    return (lane ^ operand) % kLanes;
  if (kind == Shuffle::Index)
    return operand & (kLanes - 1);
  return lane + operand < kLanes ? lane + operand : lane;
}

uint64_t Block::shuffle(Shuffle kind, uint64_t value, int operand,
                        Place place) {
  static constexpr const char *names[] = {"shuffleXor", "shuffleDown",
                                          "shuffleIndex"};
  const char *name = names[static_cast<int>(kind)];
  if (kind != Shuffle::Index && (operand < 0 || operand >= kLanes))
    failAt(place, "%s by %d; valid: 0 to 31", name, operand);
  int lane = current->index % kLanes;
  return exchange(name, place, value)[sourceLane(kind, lane, operand)];
}

uint32_t Block::ballot(bool vote, Place place) {
  const uint64_t *values = exchange("ballot", place, vote);
  uint32_t votes = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    votes |= static_cast<uint32_t>(values[lane]) << lane;
  return votes;
}

void Block::warpBarrier(Place place) {
  Warp &warp = warps[current->index / kLanes];
  char *order = &warp.order[warp.phase % 2];
  release(order);
  exchange("warpBarrier", place, 0);
  acquire(order);
}

//===----------------------------------------------------------------------===//
// Of a block
//===----------------------------------------------------------------------===//

void Block::complete(Barrier &barrier) {
  for (int warp = 0; warp < kMaxWarps; ++warp) {
    if (barrier.arrived[warp] && barrier.arrived[warp] != ~0u)
      failAt(barrier.place, "a barrier that a part of warp %d came to", warp);
    makeReady(warp, barrier.waiting[warp]);
    barrier.waiting[warp] = barrier.arrived[warp] = 0;
  }
  barrier.count = 0;
  ++barrier.phase;
}

/// Counts this thread and, if it waits, returns when the barrier has opened.
void Block::arrive(Barrier &barrier, bool waits, Place place) {
  int warp = current->index / kLanes;
  uint32_t lane = 1u << current->index % kLanes;
  if (warps[warp].alive != ~0u)
    failAt(place, "a barrier without all lanes: some have ended");
  if (barrier.arrived[warp] & lane)
    failAt(place, "a thread comes to a barrier again before it opens");
  char *order = &barrier.order[barrier.phase % 2];
  release(order);
  barrier.place = place;
  barrier.arrived[warp] |= lane;
  if (waits)
    barrier.waiting[warp] |= lane;
  if (++barrier.count == barrier.expected)
    complete(barrier);
  if (!waits)
    return;
  waitAt("barrier", place);
  acquire(order);
}

void Block::blockBarrier(Place place) {
  Barrier &barrier = barriers[0];
  if (barrier.count && !isSame(barrier.place, place))
    failAt(place, "the block is divided: other threads wait at %s:%d",
           barrier.place.file, barrier.place.line);
  barrier.expected = alive;
  arrive(barrier, true, place);
}

void Block::namedBarrier(int id, int count, bool waits, Place place) {
  if (id < 1 || id >= kNamedBarriers)
    failAt(place, "named barrier %d; valid: 1 to 15", id);
  if (count < kLanes || count > threads || count % kLanes)
    failAt(place,
           "named barrier for %d threads of %d; a multiple of 32 is expected",
           count, threads);
  Barrier &barrier = barriers[id];
  if (barrier.count && barrier.expected != count)
    failAt(place, "named barrier %d for %d threads; others expect %d", id,
           count, barrier.expected);
  barrier.expected = count;
  arrive(barrier, waits, place);
}

//===----------------------------------------------------------------------===//
// Of a thread
//===----------------------------------------------------------------------===//

void Block::copyAsync(void *shared, const void *global, int bytes, bool valid,
                      Move move, Place place) {
  checkAccess(shared, bytes, true, place);
  if (valid)
    checkAccess(global, bytes, false, place);
  current->copies.issue({shared, valid ? global : nullptr, bytes, move, place},
                        options, random);
}

void Block::copyAsyncCommit() { current->copies.commit(); }

void Block::copyAsyncWait(int pending) {
  current->copies.wait(pending, options, random);
}

void Block::checkAccess(const void *address, int bytes, bool isShared,
                        Place place) {
  uintptr_t first = reinterpret_cast<uintptr_t>(address);
  uintptr_t offset = first - reinterpret_cast<uintptr_t>(shared);
  current->access = place;
  if (first % bytes)
    failAt(place, "an access of %d bytes at %p, which is not aligned to it",
           bytes, address);
  if (isShared && offset + bytes > launch->sharedBytes)
    failAt(place,
           "an access of %d bytes at offset %td of shared memory, which has "
           "%zu bytes",
           bytes, static_cast<ptrdiff_t>(offset), launch->sharedBytes);
  if (!isShared && offset < launch->sharedBytes)
    failAt(place, "an access of global memory at offset %zu of shared memory",
           static_cast<size_t>(offset));
}
