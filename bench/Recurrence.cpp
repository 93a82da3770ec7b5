//===- Recurrence.cpp - An LSTM step against reading its weights ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Measure.h"
#include "recurrence_v3.h"
#include "recurrence_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              int64_t, const float *, float *);

constexpr int64_t kInput = 16, kUnits = 512;

/// Adds `matrix` x to the gates' sums.
void addProduct(std::vector<double> &sums, const std::vector<float> &matrix,
                const auto *x, size_t width) {
  for (size_t row = 0; row < sums.size(); ++row)
    for (size_t k = 0; k < width; ++k)
      sums[row] += double(matrix[row * width + k]) * x[k];
}

/// The first steps by the formula. Before its activation a gate is a sum of 528
/// terms, about 0.3 in size; the state carries on less than half of its error.
std::string checkSteps(const float *x, const float *y) {
  constexpr int64_t kSteps = 8;
  std::vector<float> w = readWeight("recurrence", "w"),
                     r = readWeight("recurrence", "r"),
                     bi = readWeight("recurrence", "bi"),
                     bh = readWeight("recurrence", "bh");
  Comparison comparison(0.3 * sumTolerance(kInput + kUnits));
  if (w.size() != 4 * kUnits * kInput || r.size() != 4 * kUnits * kUnits ||
      bi.size() != 4 * kUnits || bh.size() != 4 * kUnits)
    return comparison.difference();
  std::vector<double> h(kUnits), c(kUnits);
  for (int64_t t = 0; t < kSteps; ++t) {
    std::vector<double> z(4 * kUnits);
    addProduct(z, w, x + t * kInput, kInput);
    addProduct(z, r, h.data(), kUnits);
    for (int64_t i = 0; i < 4 * kUnits; ++i)
      z[i] += double(bi[i]) + double(bh[i]);
    for (int64_t i = 0; i < kUnits; ++i) {
      c[i] = sigmoid(z[kUnits + i]) * c[i] +
             sigmoid(z[i]) * std::tanh(z[2 * kUnits + i]);
      h[i] = sigmoid(z[3 * kUnits + i]) * std::tanh(c[i]);
    }
    comparison.row(t, y + t * kUnits, h);
  }
  return comparison.difference();
}

/// Batch 1, 512 units, 100 steps; the limit is a plain read of the recurrent
/// weights at each step. The projection of the narrow input is not counted.
void lstm(benchmark::State &state, Size size, Run run, int lanes) {
  if (lacks(state, lanes))
    return;
  constexpr int steps = 100;
  Buffer<float> x(steps * kInput), y(steps * kUnits),
      weights(4 * kUnits * kUnits);
  fillUniform(x);
  fillUniform(weights);
  Buffer<char> workspace(size(1, steps, 1));
  measure(state, {[&] { return secondsToRead(weights, steps); },
                  [&] {
                    return run(nullptr, workspace.get(), workspace.size(), 1,
                               steps, x.get(), y.get()) == SINTER_OK;
                  },
                  [&] { return checkSteps(x.get(), y.get()); }});
}

#define LSTM(level, lanes)                                                     \
  BENCHMARK_CAPTURE(lstm, level, recurrence_##level##_lstm_workspace_size,     \
                    recurrence_##level##_lstm, lanes)                          \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

LSTM(v4, 16);
LSTM(v3, 8);

} // namespace
