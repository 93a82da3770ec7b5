//===- Launcher.cpp - Runs kernels on the processor -----------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"
#include "Sanitizers.h"
#include "SharedMemory.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>

using namespace sinter::emulation;

static Block &theBlock() {
  // Never destroyed: its fibers' stacks outlive what else the process ends.
  static Block *block = new Block;
  return *block;
}

/// The order in which blocks run: they may in any.
static std::vector<int> blockOrder(int count, const Options &options) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  if (options.schedule == Schedule::Highest)
    std::reverse(order.begin(), order.end());
  Random random(options.seed);
  if (options.schedule == Schedule::Random)
    std::shuffle(order.begin(), order.end(), random);
  return order;
}

static struct sigaction previousHandlers[NSIG];

/// The processor refused an access.
static void reportAccess(int signal, siginfo_t *info, void *) {
  char text[128];
  if (theBlock().isExecuting()) {
    snprintf(text, sizeof text, "an access of address %p, where no memory is",
             info->si_addr);
    theBlock().fail(text);
  }
  if (isDeviceMemory(info->si_addr)) {
    fprintf(stderr, "emulator: the host accesses device memory at %p\n",
            info->si_addr);
    _Exit(kFault);
  }
  // Not our affair: the instruction faults again under the handler before.
  sigaction(signal, &previousHandlers[signal], nullptr);
}

void sinter::emulation::installHandlers() {
  static bool isInstalled = false;
  if (isInstalled || hasAddressSanitizer() || hasThreadSanitizer())
    return;
  isInstalled = true;
  struct sigaction action = {};
  action.sa_sigaction = reportAccess;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previousHandlers[SIGSEGV]);
  sigaction(SIGBUS, &action, &previousHandlers[SIGBUS]);
}

/// Reports need a stack of their own where a fiber's is full.
static void useAlternateStack() {
  static char stack[64 << 10];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  if (!hasAddressSanitizer() && !hasThreadSanitizer())
    sigaltstack(&alternate, nullptr);
}

void sinter::emulation::run(const Launch &launch, const Options &options) {
  installHandlers();
  useAlternateStack();
  Block &block = theBlock();
  *launch.kernel->machine = &block;
  SharedMemory shared(launch.sharedBytes);
  block.beginLaunch(launch, options);
  for (int index : blockOrder(launch.blocks, options))
    block.execute(index, shared.next());
  block.endLaunch();
}
