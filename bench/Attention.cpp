//===- Attention.cpp - One head of attention against the FMA peak ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Measure.h"
#include "attention_v3.h"
#include "attention_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              const float *, const float *, const float *,
                              float *);

constexpr int64_t kHead = 64;

/// Attention of one query row over the first `keys` keys.
std::vector<double> attendRow(const float *q, const float *k, const float *v,
                              int64_t keys, double (*score)(double)) {
  std::vector<double> weights, y(kHead);
  double largest = -HUGE_VAL, sum = 0;
  for (int64_t j = 0; j < keys; ++j) {
    double dot = 0;
    for (int64_t d = 0; d < kHead; ++d)
      dot += double(q[d]) * k[j * kHead + d];
    weights.push_back(score(dot / std::sqrt(double(kHead))));
    largest = std::max(largest, weights.back());
  }
  for (double &weight : weights)
    sum += weight = std::exp(weight - largest);
  for (int64_t j = 0; j < keys; ++j)
    for (int64_t d = 0; d < kHead; ++d)
      y[d] += weights[j] / sum * v[j * kHead + d];
  return y;
}

double signedSquare(double s) { return s * std::fabs(s); }

/// Counts 4 S^2 D operations, half of them if causal. The result is a mean of
/// values in [-1, 1]: the errors of the keys' weights cancel.
void attention(benchmark::State &state, Size size, Run run, int lanes,
               bool causal, double (*score)(double)) {
  if (lacks(state, lanes))
    return;
  const int64_t length = state.range(0);
  const double flops =
      (causal ? 2.0 : 4.0) * double(length) * double(length) * double(kHead);
  Buffer<float> q(length * kHead), k(length * kHead), v(length * kHead),
      y(length * kHead);
  fillUniform(q, 1);
  fillUniform(k, 2);
  fillUniform(v, 3);
  Buffer<char> workspace(size(length, 1));
  measure(state,
          {[&] { return secondsAtPeak(lanes, flops); },
           [&] {
             return run(nullptr, workspace.get(), workspace.size(), length,
                        q.get(), k.get(), v.get(), y.get()) == SINTER_OK;
           },
           [&] {
             Comparison comparison(kChainTolerance);
             for (int64_t row : sampleRows(length))
               comparison.row(row, &y[row * kHead],
                              attendRow(&q[row * kHead], k.get(), v.get(),
                                        causal ? row + 1 : length, score));
             return comparison.difference();
           }});
}

#define ATTENTION(entry, level, lanes, causal, score)                          \
  BENCHMARK_CAPTURE(attention, entry##_##level,                                \
                    attention_##level##_##entry##_workspace_size,              \
                    attention_##level##_##entry, lanes, causal, score)         \
      ->Arg(512)                                                               \
      ->Arg(2048)                                                              \
      ->Arg(8192)                                                              \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

ATTENTION(full, v4, 16, false, identity);
ATTENTION(full, v3, 8, false, identity);
ATTENTION(causal, v4, 16, true, identity);
ATTENTION(causal, v3, 8, true, identity);
ATTENTION(signed_square, v4, 16, false, signedSquare);
ATTENTION(signed_square, v3, 8, false, signedSquare);

} // namespace
