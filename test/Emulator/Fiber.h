//===- Fiber.h - Stacks to switch between -----------------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_FIBER_H
#define SINTER_EMULATOR_FIBER_H

#include <cstddef>

// Nine instructions on x86-64; elsewhere, and with SINTER_EMULATOR_UCONTEXT,
// the C library's contexts, which enter the kernel at each switch.
#if !defined(__x86_64__) && !defined(SINTER_EMULATOR_UCONTEXT)
#define SINTER_EMULATOR_UCONTEXT
#endif
#ifdef SINTER_EMULATOR_UCONTEXT
#include <ucontext.h>
#endif

namespace sinter::emulation {

/// A flow of control with a stack of its own. All fibers belong to one thread
/// of the operating system.
class Fiber {
public:
  /// Stands for the code that is running.
  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber &) = delete;
  Fiber &operator=(const Fiber &) = delete;

  /// Gives it a stack, on which the first switch to it calls entry(argument),
  /// which never returns. A stack that it had is freed, whatever is on it. Not
  /// for the one that is running.
  void start(void (*entry)(void *), void *argument);

  /// Goes on where this was left; returns when something switches back to
  /// `from`, the fiber that is running.
  void switchFrom(Fiber &from);

  /// For ThreadSanitizer it is a new thread from here on, ordered after what
  /// the calling fiber did. Not for the one that is running.
  void becomeNewThread();
  /// The one that is running learns what ThreadSanitizer calls it.
  void becomeCurrentThread();

private:
  static void trampoline();
  static void swap(Fiber &from, Fiber &to);

  void (*entry)(void *) = nullptr;
  void *argument = nullptr;
  void *stack = nullptr;
  const void *bottom = nullptr; // what AddressSanitizer knows of the stack
  size_t bytes = 0;
  void *thread = nullptr; // ThreadSanitizer's name for it
#ifdef SINTER_EMULATOR_UCONTEXT
  ucontext_t context;
#else
  void *stackPointer = nullptr;
#endif
};

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_FIBER_H
