//===- Workers.h - Threads for a sinter_exec -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_WORKERS_H
#define SINTER_EXECUTION_WORKERS_H

#include "sinter-c/sinter_types.h"
#include <functional>

namespace sinter::execution {

/// A hook that gives `count` workers, each call on threads of its own: slow,
/// but every task boundary is a chance for a race to show. Nothing is shared
/// between calls.
class Workers {
public:
  explicit Workers(int32_t count);
  Workers(const Workers &) = delete;
  Workers &operator=(const Workers &) = delete;

  /// Called in the calling thread before (done = false) and after each kernel.
  using Trace = std::function<void(int32_t kernel, bool done)>;
  void setTrace(Trace trace);
  /// Empty: there is none.
  const Trace &getTrace() const { return callback; }

  int32_t count() const { return exec.workers; }
  const sinter_exec *get() const { return &exec; }

private:
  static void run(void *context, int32_t count,
                  void (*body)(void *argument, int32_t i), void *argument);
  static void trace(void *context, int32_t kernel, int32_t done);

  sinter_exec exec;
  Trace callback;
};

} // namespace sinter::execution

#endif // SINTER_EXECUTION_WORKERS_H
