//===- Options.h - How adversarial the emulator is --------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_OPTIONS_H
#define SINTER_EMULATOR_OPTIONS_H

#include <cstdint>
#include <string>

namespace sinter::emulation {

/// Which of the threads, warps and blocks that can run does.
enum class Schedule { Lowest, Highest, Random };

/// When an asynchronous copy is done: at the wait for it (until then its target
/// holds NaN), at once, or, each copy as it happens, at either.
enum class Async { Lazy, Eager, Random };

/// In which order the copies are done that a wait waits for.
enum class Order { Issue, Reverse, Random };

/// What kernels are compiled with.
enum class Sanitizer { None, Address, Thread };

/// Which launches run in all modes (Modes.h): none, the first of each kernel
/// and size, or all.
enum class Modes { One, First, All };

/// The process' exit status after a fault.
constexpr int kFault = 86;

struct Options {
  Schedule schedule = Schedule::Lowest;
  Async async = Async::Lazy;
  Order order = Order::Issue;
  Sanitizer sanitizer = Sanitizer::None;
  uint64_t seed = 1;
  /// What runs in all modes does so whatever the first three say.
  Modes modes = Modes::One;
  /// File to which the fake driver appends a line a launch; none if empty.
  std::string launches;
  /// Of the device: its compute capability, 80 for 8.0, and the KiB of shared
  /// memory that a block may have.
  int capability = 80, shared = 163;

  /// Reads "schedule=random,async=lazy,order=reverse,sanitize=thread,seed=7,
  /// modes=all,launches=FILE,capability=90,shared=227", each part optional.
  /// Returns an error message, or "".
  std::string parse(const std::string &text);

  /// Those of the environment variable SINTER_EMULATOR; an error ends the
  /// process.
  static Options fromEnvironment();
};

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_OPTIONS_H
