//===- Rows.cpp - Row operations against a copy ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Measure.h"
#include "rows_v3.h"
#include "rows_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              const float *, float *);

/// 512 rows of 768 (1.5 MiB in, 1.5 MiB out); the limit is a copy of them.
void rows(benchmark::State &state, Size size, Run run, int lanes) {
  if (lanes == 16 && !hasV4())
    return state.SkipWithError("this processor has no AVX-512");
  const int64_t count = 512, width = 768;
  Buffer<float> x(count * width), y(count * width);
  fillUniform(x);
  Buffer<char> workspace(size(count, 1));
  measure(
      state,
      [&] {
        double start = cpuSeconds();
        copyAll(y.get(), x.get(), x.size());
        return cpuSeconds() - start;
      },
      [&] {
        if (run(nullptr, workspace.get(), workspace.size(), count, x.get(),
                y.get()) != SINTER_OK)
          state.SkipWithError("the call failed");
      });
}

#define ROWS(entry, level, lanes)                                              \
  BENCHMARK_CAPTURE(rows, entry##_##level,                                     \
                    rows_##level##_##entry##_workspace_size,                   \
                    rows_##level##_##entry, lanes)                             \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMicrosecond)

ROWS(layer_norm, v4, 16);
ROWS(layer_norm, v3, 8);
ROWS(rms_norm, v4, 16);
ROWS(rms_norm, v3, 8);
ROWS(softmax, v4, 16);
ROWS(softmax, v3, 8);
ROWS(gelu, v4, 16);
ROWS(gelu, v3, 8);

} // namespace
