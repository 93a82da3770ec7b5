//===- Contract.cpp - Linear layers against the FMA peak ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Measure.h"
#include "contract_v3.h"
#include "contract_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              const float *, float *);

/// rows x 768 times 768 x 768.
void contract(benchmark::State &state, Size size, Run run, int lanes) {
  if (lanes == 16 && !hasV4())
    return state.SkipWithError("this processor has no AVX-512");
  const int64_t rows = state.range(0), width = 768;
  const double flops = 2.0 * double(rows * width * width);
  Buffer<float> x(rows * width), y(rows * width);
  fillUniform(x);
  Buffer<char> workspace(size(rows, 1));
  measure(
      state,
      [&] {
        double start = cpuSeconds();
        double done = spinFma(lanes);
        return (cpuSeconds() - start) * flops / done;
      },
      [&] {
        if (run(nullptr, workspace.get(), workspace.size(), rows, x.get(),
                y.get()) != SINTER_OK)
          state.SkipWithError("the call failed");
      });
}

#define CONTRACT(entry, level, lanes)                                          \
  BENCHMARK_CAPTURE(contract, entry##_##level,                                 \
                    contract_##level##_##entry##_workspace_size,               \
                    contract_##level##_##entry, lanes)                         \
      ->Arg(1)                                                                 \
      ->Arg(8)                                                                 \
      ->Arg(32)                                                                \
      ->Arg(128)                                                               \
      ->Arg(512)                                                               \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMicrosecond)

CONTRACT(run, v4, 16);
CONTRACT(run, v3, 8);
CONTRACT(gelu, v4, 16);
CONTRACT(gelu, v3, 8);

} // namespace
