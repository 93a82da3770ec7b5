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

using namespace sinter::emulation;

/// With the random schedule, once in so many switches another warp goes on.
static constexpr unsigned kPreemption = 64;

void Block::beginLaunch(const Launch &launch, const Options &options) {
  this->launch = &launch;
  this->options = options;
  random.seed(options.seed);
  threads = launch.threads;
  blocks = launch.blocks;
  host.becomeCurrentThread();
  release(&launchOrder);
  while (static_cast<int>(all.size()) < threads) {
    Thread &added = all.emplace_back();
    added.block = this;
    added.index = all.size() - 1;
    added.fiber.start(threadMain, &added);
  }
}

void Block::execute(int index, unsigned char *shared) {
  block = index;
  this->shared = shared;
  alive = threads;
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  for (int i = 0; i < threads; ++i) {
    Thread &started = all[i];
    started.copies.reset();
    started.hasEnded = false;
    started.what = "start";
    started.place.line = started.access.line = 0;
    if (!hasThreadSanitizer())
      continue;
    // Blocks are not ordered among each other, so that races between two are
    // seen: each has threads of its own, and stacks, since what an earlier
    // thread wrote on the same stack is no race.
    started.fiber.start(threadMain, &started);
    started.fiber.becomeNewThread();
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
  Thread &next = all[warp * kLanes + lane];
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
