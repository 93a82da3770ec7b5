//===- Benchmark.h - The time of a call -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_BENCHMARK_H
#define SINTER_TOOLS_SINTERRUN_BENCHMARK_H

#include "Combination.h"

namespace sinter::run {

/// Calls each entry again and again, on a new session where it is full, and
/// prints the median time of a call to stdout. Returns the exit code.
int benchmark(Setup &setup, const DimMap &dims);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_BENCHMARK_H
