//===- Block.h - The threads of one block -----------------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads are fibers: one runs until it blocks at a collective or ends, then
// the schedule chooses the next. One warp runs ahead as long as any of its
// lanes can, which is what shows a missing barrier.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_BLOCK_H
#define SINTER_EMULATOR_BLOCK_H

#include "AsyncCopies.h"
#include "Fiber.h"
#include "Machine.h"
#include "Options.h"
#include <deque>

namespace sinter::emulation {

constexpr int kLanes = 32;
constexpr int kMaxWarps = 32;
constexpr int kNamedBarriers = 16; // 0 is the block barrier's

/// What a launch asks for, and what it is called in reports.
struct Launch {
  const char *name;
  const Kernel *kernel;
  int blocks, threads;
  size_t sharedBytes;
  void **parameters;
};

/// Executes blocks, one after another.
class Block final : public Machine {
public:
  /// All blocks that execute belong to `launch` until the next call of this.
  void beginLaunch(const Launch &launch, const Options &options);
  /// Runs block `index` to its end, with `shared` as its shared memory, which
  /// the caller has filled.
  void execute(int index, unsigned char *shared);
  /// The caller sees all that the launch's blocks did.
  void endLaunch();

  /// Reports `message` and where each thread is, and ends the process.
  [[noreturn]] void fail(const char *message);
  bool isExecuting() const { return launch && current; }

  uint64_t shuffle(Shuffle kind, uint64_t value, int operand,
                   Place place) override;
  uint32_t ballot(bool vote, Place place) override;
  void warpBarrier(Place place) override;
  void blockBarrier(Place place) override;
  void namedBarrier(int id, int count, bool waits, Place place) override;
  void copyAsync(void *shared, const void *global, int bytes, bool valid,
                 Move move, Place place) override;
  void copyAsyncCommit() override;
  void copyAsyncWait(int pending) override;
  void checkAccess(const void *address, int bytes, bool isShared,
                   Place place) override;

private:
  struct Thread {
    Block *block = nullptr;
    int index = 0;
    Fiber fiber;
    AsyncCopies copies;
    const char *what = "start"; // what it waited for last, for reports
    Place place = {"", 0};
    Place access = {"", 0}; // of the last primitive that accessed memory
    bool hasEnded = false;
  };

  // Phases alternate between two values and two addresses at which
  // ThreadSanitizer orders arrivals before departures: a thread may be at the
  // next phase while others have not left this one, but not further.

  struct Warp {
    uint32_t ready = 0, alive = 0;
    // The collective that lanes wait in, if any has arrived.
    uint32_t arrived = 0;
    const char *what = nullptr;
    Place place = {"", 0};
    unsigned phase = 0;
    uint64_t value[2][kLanes];
    char order[2];
  };

  struct Barrier {
    int count = 0, expected = 0;
    uint32_t arrived[kMaxWarps] = {}, waiting[kMaxWarps] = {};
    Place place = {"", 0};
    unsigned phase = 0;
    char order[2];
  };

  /// As many threads as any block needed that they ran.
  using Team = std::deque<Thread>;

  void chooseTeam();
  static void threadMain(void *thread);
  void runKernel();
  void endThread(Thread &self);

  int chooseWarp();
  int chooseLane(uint32_t lanes);
  void runNext();
  void waitAt(const char *what, Place place);
  void makeReady(int warp, uint32_t lanes);

  const uint64_t *exchange(const char *what, Place place, uint64_t value);
  void arrive(Barrier &barrier, bool waits, Place place);
  void complete(Barrier &barrier);

  [[noreturn]] void failAt(Place place, const char *format, ...)
      __attribute__((format(printf, 3, 4)));
  std::string describe(const Thread &one) const;
  void reportThreads() const;

  const Launch *launch = nullptr;
  Options options;
  Random random;
  Fiber host;
  std::deque<Team> teams;
  Team *team = nullptr; // of the block
  int blocksDone = 0;   // of the launch
  Thread *current = nullptr;
  Warp warps[kMaxWarps];
  uint32_t readyWarps = 0;
  int alive = 0;
  Barrier barriers[kNamedBarriers];
  char launchOrder, endOrder;
};

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_BLOCK_H
