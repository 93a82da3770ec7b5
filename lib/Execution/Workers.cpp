//===- Workers.cpp - Threads for a sinter_exec -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/Workers.h"
#include <thread>
#include <vector>

namespace sinter::execution {

Workers::Workers(int32_t count)
    : exec{sizeof(sinter_exec), count,   this,   run,
           /*begin=*/nullptr,   nullptr, nullptr} {}

void Workers::setTrace(Trace trace) {
  callback = std::move(trace);
  exec.trace = callback ? Workers::trace : nullptr;
}

void Workers::run(void *, int32_t count, void (*body)(void *, int32_t),
                  void *argument) {
  std::vector<std::thread> threads;
  for (int32_t i = 1; i < count; ++i)
    threads.emplace_back(body, argument, i);
  body(argument, 0);
  for (std::thread &thread : threads)
    thread.join();
}

void Workers::trace(void *context, int32_t kernel, int32_t done) {
  static_cast<Workers *>(context)->callback(kernel, done != 0);
}

} // namespace sinter::execution
