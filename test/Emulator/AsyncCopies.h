//===- AsyncCopies.h - A thread's asynchronous copies -----------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_ASYNCCOPIES_H
#define SINTER_EMULATOR_ASYNCCOPIES_H

#include "Machine.h"
#include "Options.h"
#include <random>
#include <vector>

namespace sinter::emulation {

using Random = std::mt19937_64;

struct AsyncCopy {
  void *to;
  const void *from; // null: zeros
  int bytes;
  Move move;
  Place place;
  int group = 0;
  bool isDone = false;
};

/// cp.async of one thread. The hardware may do a copy at any time between its
/// issue and the wait that covers it; Options say when this does.
class AsyncCopies {
public:
  void issue(AsyncCopy copy, const Options &options, Random &random);
  void commit() { ++openGroup; }
  /// Does all copies but those of the last `pending` groups and of the open
  /// one.
  void wait(int pending, const Options &options, Random &random);

  /// One that no wait covered yet, or null.
  const AsyncCopy *unwaited() const {
    return copies.empty() ? nullptr : &copies.front();
  }
  void reset();

private:
  std::vector<AsyncCopy> copies; // in order of issue
  int openGroup = 0;
};

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_ASYNCCOPIES_H
