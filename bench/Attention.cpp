//===- Attention.cpp - One head of attention against the FMA peak ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Limits.h"
#include "Measure.h"
#include "attention_v3.h"
#include "attention_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              const float *, const float *, const float *,
                              float *);

/// Counts 4 S^2 D operations, half of them if causal.
void attention(benchmark::State &state, Size size, Run run, int lanes,
               bool causal) {
  if (lanes == 16 && !hasV4())
    return state.SkipWithError("this processor has no AVX-512");
  const int64_t length = state.range(0), head = 64;
  const double flops =
      (causal ? 2.0 : 4.0) * double(length) * double(length) * double(head);
  Buffer<float> q(length * head), k(length * head), v(length * head),
      y(length * head);
  fillUniform(q);
  fillUniform(k);
  fillUniform(v);
  Buffer<char> workspace(size(length, 1));
  measure(
      state,
      [&] {
        double start = cpuSeconds();
        double done = spinFma(lanes);
        return (cpuSeconds() - start) * flops / done;
      },
      [&] {
        if (run(nullptr, workspace.get(), workspace.size(), length, q.get(),
                k.get(), v.get(), y.get()) != SINTER_OK)
          state.SkipWithError("the call failed");
      });
}

#define ATTENTION(entry, level, lanes, causal)                                 \
  BENCHMARK_CAPTURE(attention, entry##_##level,                                \
                    attention_##level##_##entry##_workspace_size,              \
                    attention_##level##_##entry, lanes, causal)                \
      ->Arg(512)                                                               \
      ->Arg(2048)                                                              \
      ->Arg(8192)                                                              \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

ATTENTION(full, v4, 16, false);
ATTENTION(full, v3, 8, false);
ATTENTION(causal, v4, 16, true);
ATTENTION(causal, v3, 8, true);
ATTENTION(signed_square, v4, 16, false);
ATTENTION(signed_square, v3, 8, false);

} // namespace
