//===- Recurrence.cpp - An LSTM step against reading its weights ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Measure.h"
#include "recurrence_v3.h"
#include "recurrence_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              int64_t, const float *, float *);

/// Batch 1, 512 units, 100 steps; the limit is a plain read of the recurrent
/// weights at each step. The projection of the narrow input is not counted.
void lstm(benchmark::State &state, Size size, Run run, int lanes) {
  if (lanes == 16 && !hasV4())
    return state.SkipWithError("this processor has no AVX-512");
  const int64_t steps = 100, input = 16, units = 512;
  Buffer<float> x(steps * input), y(steps * units), weights(4 * units * units);
  fillUniform(x);
  fillUniform(weights);
  Buffer<char> workspace(size(1, steps, 1));
  measure(
      state,
      [&] {
        constexpr int kReads = 20;
        double start = cpuSeconds();
        for (int i = 0; i < kReads; ++i)
          readAll(weights.get(), weights.size());
        return (cpuSeconds() - start) * double(steps) / kReads;
      },
      [&] {
        if (run(nullptr, workspace.get(), workspace.size(), 1, steps, x.get(),
                y.get()) != SINTER_OK)
          state.SkipWithError("the call failed");
      });
}

#define LSTM(level, lanes)                                                     \
  BENCHMARK_CAPTURE(lstm, level, recurrence_##level##_lstm_workspace_size,     \
                    recurrence_##level##_lstm, lanes)                          \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

LSTM(v4, 16);
LSTM(v3, 8);

} // namespace
