//===- Attention.cpp - One head of attention against the FMA peak ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Measure.h"
#include "additive_v3.h"
#include "additive_v4.h"
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

/// Additive attention of `queries` rows over `length` keys of 256 and values of
/// 1024 (Bahdanau et al.). The limit: the terms v tanh(q + k), made without
/// memory, then the mixtures' multiply-adds or, where that takes longer, a
/// plain read of the values.
constexpr int64_t kUnits = 256, kMemory = 1024;

std::vector<double> addRow(const float *q, const float *k, const float *m,
                           const float *v, int64_t keys) {
  std::vector<double> weights, y(kMemory);
  double sum = 0;
  for (int64_t j = 0; j < keys; ++j) {
    double score = 0;
    for (int64_t d = 0; d < kUnits; ++d)
      score += v[d] * std::tanh(double(q[d]) + k[j * kUnits + d]);
    weights.push_back(std::exp(score));
    sum += weights.back();
  }
  for (int64_t j = 0; j < keys; ++j)
    for (int64_t e = 0; e < kMemory; ++e)
      y[e] += weights[j] / sum * m[j * kMemory + e];
  return y;
}

/// Calls either entry: one row has no dimension for rows.
using RunAdditive = std::function<sinter_status(
    Buffer<char> &workspace, int64_t queries, int64_t length, const float *q,
    const float *k, const float *m, const float *v, float *y)>;

void additive(benchmark::State &state, size_t bytes, const RunAdditive &run,
              int lanes) {
  if (lacks(state, lanes))
    return;
  const int64_t queries = state.range(0), length = state.range(1);
  Buffer<float> q(queries * kUnits), k(length * kUnits), m(length * kMemory),
      v(kUnits), y(queries * kMemory);
  fillUniform(q, 1);
  fillUniform(k, 2);
  fillUniform(m, 3);
  fillUniform(v, 4);
  for (int64_t d = 0; d < kUnits; ++d)
    v[d] /= 16;
  Buffer<char> workspace(bytes);
  measure(state,
          {[&] {
             double pairs = double(queries) * double(length);
             double start = cpuSeconds(), done = spinTanh(lanes);
             double terms = (cpuSeconds() - start) * pairs * kUnits / done;
             return terms + std::max(secondsAtPeak(lanes, 2 * pairs * kMemory),
                                     secondsToRead(m, 1));
           },
           [&] {
             return run(workspace, queries, length, q.get(), k.get(), m.get(),
                        v.get(), y.get()) == SINTER_OK;
           },
           [&] {
             // The scores' errors come on top of the mixture's.
             Comparison comparison(sumTolerance(kUnits));
             for (int64_t row : sampleRows(queries))
               comparison.row(
                   row, &y[row * kMemory],
                   addRow(&q[row * kUnits], k.get(), m.get(), v.get(), length));
             return comparison.difference();
           }});
}

#define ADDITIVE(level, lanes)                                                 \
  void additive_step_##level(benchmark::State &state) {                        \
    additive(                                                                  \
        state, additive_##level##_step_workspace_size(state.range(1), 1),      \
        [](Buffer<char> &workspace, int64_t, int64_t length,                   \
           auto... tensors) {                                                  \
          return additive_##level##_step(                                      \
              nullptr, workspace.get(), workspace.size(), length, tensors...); \
        },                                                                     \
        lanes);                                                                \
  }                                                                            \
  void additive_rows_##level(benchmark::State &state) {                        \
    additive(                                                                  \
        state,                                                                 \
        additive_##level##_rows_workspace_size(state.range(0), state.range(1), \
                                               1),                             \
        [](Buffer<char> &workspace, int64_t queries, int64_t length,           \
           auto... tensors) {                                                  \
          return additive_##level##_rows(nullptr, workspace.get(),             \
                                         workspace.size(), queries, length,    \
                                         tensors...);                          \
        },                                                                     \
        lanes);                                                                \
  }                                                                            \
  BENCHMARK(additive_step_##level)                                             \
      ->Args({1, 512})                                                         \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond);                                         \
  BENCHMARK(additive_rows_##level)                                             \
      ->Args({32, 512})                                                        \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

ADDITIVE(v4, 16);
ADDITIVE(v3, 8);

} // namespace
