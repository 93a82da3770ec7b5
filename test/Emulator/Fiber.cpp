//===- Fiber.cpp - Stacks to switch between -------------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fiber.h"
#include "Sanitizers.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

using namespace sinter::emulation;

static constexpr size_t kStackBytes = 256 << 10;
static constexpr size_t kGuardBytes = 4096;

/// Where the last switch came from and went to, for a fiber's first steps.
static Fiber *previous, *current;

void Fiber::start(void (*entry)(void *), void *argument) {
  this->entry = entry;
  this->argument = argument;
  if (stack)
    munmap(stack, kStackBytes);
  stack = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED || mprotect(stack, kGuardBytes, PROT_NONE)) {
    perror("emulator: no memory for a thread's stack");
    abort();
  }
  bottom = static_cast<char *>(stack) + kGuardBytes;
  bytes = kStackBytes - kGuardBytes;
#ifdef SINTER_EMULATOR_UCONTEXT
  getcontext(&context);
  context.uc_stack.ss_sp = const_cast<void *>(bottom);
  context.uc_stack.ss_size = bytes;
  context.uc_link = nullptr;
  makecontext(&context, trampoline, 0);
#else
  // What swap pops: six registers, then the address to return to; above that
  // the return address of trampoline itself.
  void **top =
      reinterpret_cast<void **>(static_cast<char *>(stack) + kStackBytes);
  top[-1] = nullptr;
  top[-2] = reinterpret_cast<void *>(trampoline);
  stackPointer = top - 8;
#endif
}

Fiber::~Fiber() {
  if (!stack)
    return;
  munmap(stack, kStackBytes);
  if (thread)
    __tsan_destroy_fiber(thread);
}

void Fiber::becomeNewThread() {
  if (!hasThreadSanitizer())
    return;
  if (thread)
    __tsan_destroy_fiber(thread);
  thread = __tsan_create_fiber(0);
}

void Fiber::becomeCurrentThread() {
  if (hasThreadSanitizer())
    thread = __tsan_get_current_fiber();
}

void Fiber::trampoline() {
  if (hasAddressSanitizer())
    __sanitizer_finish_switch_fiber(nullptr, &previous->bottom,
                                    &previous->bytes);
  current->entry(current->argument);
  abort();
}

void Fiber::switchFrom(Fiber &from) {
  previous = &from;
  current = this;
  if (hasThreadSanitizer()) // 1: a switch is not an order of events
    __tsan_switch_to_fiber(thread, 1);
  void *fakeStack = nullptr;
  if (hasAddressSanitizer())
    __sanitizer_start_switch_fiber(&fakeStack, bottom, bytes);
  swap(from, *this);
  if (hasAddressSanitizer())
    __sanitizer_finish_switch_fiber(fakeStack, nullptr, nullptr);
}

#ifdef SINTER_EMULATOR_UCONTEXT

void Fiber::swap(Fiber &from, Fiber &to) {
  swapcontext(&from.context, &to.context);
}

#else

/// Stores the stack pointer in *from and goes on at `to`.
__attribute__((naked, noinline)) static void swapStacks(void ** /*from*/,
                                                        void * /*to*/) {
  asm volatile("pushq %rbp\n\t"
               "pushq %rbx\n\t"
               "pushq %r12\n\t"
               "pushq %r13\n\t"
               "pushq %r14\n\t"
               "pushq %r15\n\t"
               "movq %rsp, (%rdi)\n\t"
               "movq %rsi, %rsp\n\t"
               "popq %r15\n\t"
               "popq %r14\n\t"
               "popq %r13\n\t"
               "popq %r12\n\t"
               "popq %rbx\n\t"
               "popq %rbp\n\t"
               "ret");
}

void Fiber::swap(Fiber &from, Fiber &to) {
  swapStacks(&from.stackPointer, to.stackPointer);
}

#endif
