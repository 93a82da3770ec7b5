//===- Recurrence.cpp - Steps of cells against reading their weights ------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Measure.h"
#include "gru_v3.h"
#include "gru_v4.h"
#include "recurrence_v3.h"
#include "recurrence_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              int64_t, const float *, float *);

constexpr int64_t kInput = 16, kUnits = 512;

/// A matrix times x, plus a bias.
std::vector<double> affine(const std::vector<float> &matrix,
                           const std::vector<float> &bias, const auto *x,
                           size_t width) {
  std::vector<double> sums(bias.begin(), bias.end());
  for (size_t row = 0; row < sums.size(); ++row)
    for (size_t k = 0; k < width; ++k)
      sums[row] += double(matrix[row * width + k]) * x[k];
  return sums;
}

/// What a step makes of its products with x and h.
struct Cell {
  const char *model;
  int64_t gates;
  void (*step)(const std::vector<double> &x, const std::vector<double> &h,
               std::vector<double> &hidden, std::vector<double> &cell);
};

const Cell lstmCell = {
    "recurrence", 4,
    [](const auto &x, const auto &h, auto &hidden, auto &cell) {
      for (int64_t i = 0; i < kUnits; ++i) {
        auto gate = [&](int64_t g) {
          return x[g * kUnits + i] + h[g * kUnits + i];
        };
        cell[i] =
            sigmoid(gate(1)) * cell[i] + sigmoid(gate(0)) * std::tanh(gate(2));
        hidden[i] = sigmoid(gate(3)) * std::tanh(cell[i]);
      }
    }};

const Cell gruCell = {
    "gru", 3, [](const auto &x, const auto &h, auto &hidden, auto &) {
      for (int64_t i = 0; i < kUnits; ++i) {
        double r = sigmoid(x[i] + h[i]);
        double z = sigmoid(x[kUnits + i] + h[kUnits + i]);
        double n = std::tanh(x[2 * kUnits + i] + r * h[2 * kUnits + i]);
        hidden[i] = (1 - z) * n + z * hidden[i];
      }
    }};

/// The first steps by the formula. Before its activation a gate is a sum of 528
/// terms, about 0.3 in size; the state carries on less than its error.
std::string checkSteps(const Cell &cell, const float *x, const float *y) {
  constexpr int64_t kSteps = 8;
  auto weight = [&](const char *name) { return readWeight(cell.model, name); };
  std::vector<float> w = weight("w"), r = weight("r"), bi = weight("bi"),
                     bh = weight("bh");
  Comparison comparison(0.3 * sumTolerance(kInput + kUnits));
  size_t rows = size_t(cell.gates * kUnits);
  if (w.size() != rows * kInput || r.size() != rows * kUnits ||
      bi.size() != rows || bh.size() != rows)
    return comparison.difference();
  std::vector<double> h(kUnits), c(kUnits);
  for (int64_t t = 0; t < kSteps; ++t) {
    cell.step(affine(w, bi, x + t * kInput, kInput),
              affine(r, bh, h.data(), kUnits), h, c);
    comparison.row(t, y + t * kUnits, h);
  }
  return comparison.difference();
}

/// 512 units, 100 steps. Batch 1: the limit is a plain read of the recurrent
/// weights at each step; batch 8: their multiply-adds. The projection of the
/// narrow input is not counted.
void recurrence(benchmark::State &state, const Cell &cell, Size size, Run run,
                int lanes) {
  if (lacks(state, lanes))
    return;
  constexpr int steps = 100;
  int64_t batch = state.range(0);
  Buffer<float> x(batch * steps * kInput), y(batch * steps * kUnits),
      weights(cell.gates * kUnits * kUnits);
  fillUniform(x);
  fillUniform(weights);
  Buffer<char> workspace(size(batch, steps, 1));
  double flops = 2.0 * double(batch) * steps * double(weights.size());
  measure(state, {[&] {
                    return batch == 1 ? secondsToRead(weights, steps)
                                      : secondsAtPeak(lanes, flops);
                  },
                  [&] {
                    return run(nullptr, workspace.get(), workspace.size(),
                               batch, steps, x.get(), y.get()) == SINTER_OK;
                  },
                  [&] {
                    int64_t last = (batch - 1) * steps;
                    return checkSteps(cell, &x[last * kInput],
                                      &y[last * kUnits]);
                  }});
}

#define CELL(name, model, level, lanes)                                        \
  BENCHMARK_CAPTURE(recurrence, name##_##level, name##Cell,                    \
                    model##_##level##_##name##_workspace_size,                 \
                    model##_##level##_##name, lanes)                           \
      ->Arg(1)                                                                 \
      ->Arg(8)                                                                 \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMillisecond)

CELL(lstm, recurrence, v4, 16);
CELL(lstm, recurrence, v3, 8);
CELL(gru, gru, v4, 16);
CELL(gru, gru, v3, 8);

} // namespace
