//===- Block.cpp - The threads of one block -------------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starting, choosing and ending threads. Collectives.cpp has what they wait
// for, Report.cpp what is said of a fault.
//
//===----------------------------------------------------------------------===//

#include "Block.h"
#include "Sanitizers.h"
#include <algorithm>

using namespace sinter::emulation;

/// With the random schedule, once in so many switches another warp goes on.
static constexpr unsigned kPreemption = 64;

void Block::beginLaunch(const Launch &launch, const Options &options) {
  this->launch = &launch;
  this->options = options;
  random.seed(options.seed);
  threads = launch.threads;
  blocks = launch.blocks;
  blocksDone = 0;
  host.becomeCurrentThread();
  release(&launchOrder);
}

/// For ThreadSanitizer blocks are not ordered among each other, so that races
/// between two are seen: each of a launch has threads of its own, and stacks,
/// since what an earlier thread wrote on the same stack is no race. Launches
/// are ordered; so the first blocks of one take the threads of the one before,
/// for it takes long to make them.
void Block::chooseTeam() {
  // It knows 8128 at a time; team n has at most 3072 / n, and 1024.
  const int kept = std::min(8, 3072 / threads);
  const int number = hasThreadSanitizer() ? std::min(blocksDone, kept) : 0;
  while (static_cast<int>(teams.size()) <= number)
    teams.emplace_back();
  team = &teams[number];
  for (int i = 0; i < threads; ++i) {
    const bool isNew = i == static_cast<int>(team->size());
    Thread &one = isNew ? team->emplace_back() : (*team)[i];
    one.block = this;
    one.index = i;
    if (!isNew && (!hasThreadSanitizer() || blocksDone <= kept))
      continue;
    one.fiber.start(threadMain, &one);
    one.fiber.becomeNewThread();
  }
  ++blocksDone;
}

void Block::execute(int index, unsigned char *shared) {
  block = index;
  this->shared = shared;
  alive = threads;
  chooseTeam();
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  for (int i = 0; i < threads; ++i) {
    Thread &started = (*team)[i];
    started.copies.reset();
    started.hasEnded = false;
    started.what = "start";
    started.place.line = started.access.line = 0;
  }
  readyWarps = 0;
  for (int warp = 0; warp < threads / kLanes; ++warp) {
    warps[warp] = Warp();
    warps[warp].alive = ~0u;
    makeReady(warp, ~0u);
  }
  runNext();
  current = nullptr;
}

void Block::endLaunch() {
  acquire(&endOrder);
  launch = nullptr;
}

void Block::threadMain(void *thread) {
  Thread &self = *static_cast<Thread *>(thread);
  for (;;) { // once a block
    self.block->runKernel();
    self.block->endThread(self);
  }
}

void Block::runKernel() {
  acquire(&launchOrder);
  launch->kernel->run(launch->parameters);
  release(&endOrder);
}

void Block::endThread(Thread &self) {
  if (const AsyncCopy *copy = self.copies.unwaited())
    failAt(copy->place, "a thread ends without waiting for this copy");
  int warp = self.index / kLanes;
  if (warps[warp].arrived)
    failAt(warps[warp].place, "a lane ends while its warp waits for it");
  for (Barrier &barrier : barriers)
    if (barrier.arrived[warp] && barrier.arrived[warp] != ~0u)
      failAt(barrier.place, "a lane ends while its warp waits for it");
  self.hasEnded = true;
  warps[warp].alive &= ~(1u << self.index % kLanes);
  --alive;
  if (alive && barriers[0].count == alive)
    complete(barriers[0]);
  runNext();
}

int Block::chooseLane(uint32_t lanes) {
  if (options.schedule == Schedule::Lowest)
    return __builtin_ctz(lanes);
  if (options.schedule == Schedule::Highest)
    return 31 - __builtin_clz(lanes);
  for (int skip = random() % __builtin_popcount(lanes); skip; --skip)
    lanes &= lanes - 1;
  return __builtin_ctz(lanes);
}

int Block::chooseWarp() {
  bool stays = options.schedule != Schedule::Random || random() % kPreemption;
  if (current && stays && warps[current->index / kLanes].ready)
    return current->index / kLanes;
  return chooseLane(readyWarps);
}

/// Called by a thread that cannot go on, and by the host to start a block.
void Block::runNext() {
  Fiber &from = current ? current->fiber : host;
  if (!readyWarps) {
    if (alive) {
      current = nullptr; // it waits, too
      fail("no thread can go on");
    }
    host.switchFrom(from);
    return;
  }
  int warp = chooseWarp(), lane = chooseLane(warps[warp].ready);
  warps[warp].ready &= ~(1u << lane);
  if (!warps[warp].ready)
    readyWarps &= ~(1u << warp);
  Thread &next = (*team)[warp * kLanes + lane];
  thread = next.index;
  if (&next == current)
    return;
  current = &next;
  next.fiber.switchFrom(from);
}

void Block::makeReady(int warp, uint32_t lanes) {
  if (!lanes)
    return;
  warps[warp].ready |= lanes;
  readyWarps |= 1u << warp;
}

/// Gives way to others until something makes this thread ready.
void Block::waitAt(const char *what, Place place) {
  current->what = what;
  current->place = place;
  runNext();
}
