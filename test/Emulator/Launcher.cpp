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

/// A kernel accessed a guard page or an address that is none.
static void reportAccess(int signal, siginfo_t *info, void *) {
  if (!theBlock().isExecuting()) { // not a kernel's doing
    std::signal(signal, SIG_DFL);
    return;
  }
  char text[128];
  snprintf(text, sizeof text, "an access of address %p, where no memory is",
           info->si_addr);
  theBlock().fail(text);
}

/// Sanitizers have handlers of their own, which say more.
static void installHandler() {
  static bool isInstalled = false;
  if (isInstalled || hasAddressSanitizer() || hasThreadSanitizer())
    return;
  isInstalled = true;
  static char stack[64 << 10];
  stack_t alternate = {};
  alternate.ss_sp = stack;
  alternate.ss_size = sizeof stack;
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = reportAccess;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
}

void sinter::emulation::run(const Launch &launch, const Options &options) {
  installHandler();
  Block &block = theBlock();
  *launch.kernel->machine = &block;
  SharedMemory shared(launch.sharedBytes);
  block.beginLaunch(launch, options);
  for (int index : blockOrder(launch.blocks, options))
    block.execute(index, shared.next());
  block.endLaunch();
}
