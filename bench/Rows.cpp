//===- Rows.cpp - Row operations against a copy ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Measure.h"
#include "rows_v3.h"
#include "rows_v4.h"

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              const float *, float *);

constexpr int64_t kCount = 512, kWidth = 768;

using Row = std::vector<double>;

/// (x - mean) / sqrt(variance + eps) * gain + shift.
Row layerNorm(const Row &x) {
  std::vector<float> gain = readWeight("rows", "gain"),
                     shift = readWeight("rows", "shift");
  double mean = 0, variance = 0;
  for (double v : x)
    mean += v / kWidth;
  for (double v : x)
    variance += (v - mean) * (v - mean) / kWidth;
  Row y;
  for (size_t i = 0; i < gain.size(); ++i)
    y.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * gain[i] +
                shift[i]);
  return y;
}

/// x / sqrt(mean square + eps) * gain.
Row rmsNorm(const Row &x) {
  std::vector<float> gain = readWeight("rows", "gain");
  double square = 0;
  for (double v : x)
    square += v * v / kWidth;
  Row y;
  for (size_t i = 0; i < gain.size(); ++i)
    y.push_back(x[i] / std::sqrt(square + 1e-5) * gain[i]);
  return y;
}

Row softmax(const Row &x) {
  double largest = *std::max_element(x.begin(), x.end()), sum = 0;
  for (double v : x)
    sum += std::exp(v - largest);
  Row y;
  for (double v : x)
    y.push_back(std::exp(v - largest) / sum);
  return y;
}

Row geluRow(const Row &x) {
  Row y;
  for (double v : x)
    y.push_back(gelu(v));
  return y;
}

/// How each entry is computed, and how large its results get: the sums are of
/// one sign and taken in many lanes, so that a row has one factor in common
/// that is off by a few roundoffs.
struct Formula {
  Row (*row)(const Row &);
  double magnitude;
};
constexpr Formula kLayerNorm{layerNorm, 0.1}, kRmsNorm{rmsNorm, 0.1},
    kSoftmax{softmax, 4.0 / kWidth}, kGelu{geluRow, 1};

std::string checkRows(const Formula &formula, const float *x, const float *y) {
  Comparison comparison(kChainTolerance * formula.magnitude);
  for (int64_t row : sampleRows(kCount)) {
    const float *start = x + row * kWidth;
    comparison.row(row, y + row * kWidth,
                   formula.row(Row(start, start + kWidth)));
  }
  return comparison.difference();
}

/// 512 rows of 768 (1.5 MiB in, 1.5 MiB out); the limit is a copy of them.
void rows(benchmark::State &state, Size size, Run run, int lanes,
          const Formula &formula) {
  if (lacks(state, lanes))
    return;
  Buffer<float> x(kCount * kWidth), y(kCount * kWidth);
  fillUniform(x);
  Buffer<char> workspace(size(kCount, 1));
  measure(state, {[&] {
                    double start = cpuSeconds();
                    copyAll(y.get(), x.get(), x.size());
                    return cpuSeconds() - start;
                  },
                  [&] {
                    return run(nullptr, workspace.get(), workspace.size(),
                               kCount, x.get(), y.get()) == SINTER_OK;
                  },
                  [&] { return checkRows(formula, x.get(), y.get()); }});
}

#define ROWS(entry, level, lanes, formula)                                     \
  BENCHMARK_CAPTURE(rows, entry##_##level,                                     \
                    rows_##level##_##entry##_workspace_size,                   \
                    rows_##level##_##entry, lanes, formula)                    \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMicrosecond)

ROWS(layer_norm, v4, 16, kLayerNorm);
ROWS(layer_norm, v3, 8, kLayerNorm);
ROWS(rms_norm, v4, 16, kRmsNorm);
ROWS(rms_norm, v3, 8, kRmsNorm);
ROWS(softmax, v4, 16, kSoftmax);
ROWS(softmax, v3, 8, kSoftmax);
ROWS(gelu, v4, 16, kGelu);
ROWS(gelu, v3, 8, kGelu);

} // namespace
