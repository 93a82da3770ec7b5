//===- Contract.cpp - Linear layers against peak or read
//-------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check.h"
#include "Measure.h"
#include "contract_v3.h"
#include "contract_v4.h"

#ifdef SINTER_BENCH_OPENBLAS
#include <cblas.h>
#endif

using namespace sinter::bench;

namespace {

using Size = size_t (*)(int64_t, int32_t);
using Run = sinter_status (*)(const sinter_exec *, void *, size_t, int64_t,
                              const float *, float *);

constexpr int64_t kWidth = 768;

/// What follows the multiplication.
struct Epilogue {
  bool bias;
  double (*activation)(double);
};

/// One kernel that multiplies `rows` rows by the 768 x 768 weights.
struct Layer {
  Epilogue epilogue;
  std::function<bool(int64_t rows, const float *x, float *y)> run;
};

double rational(double x) { return x * std::fabs(x) / (1 + x * x); }

constexpr Epilogue kRun{false, identity}, kGelu{true, gelu},
    kRational{true, rational};

/// The slopes of the activations are about 1 at most, their own errors short of
/// what a sum of 768 terms may be off by.
std::string checkRows(const Epilogue &epilogue, int64_t rows, const float *x,
                      const float *y) {
  std::vector<float> weights = readWeight("contract", "w"),
                     bias = readWeight("contract", "b");
  Comparison comparison(sumTolerance(kWidth));
  if (weights.size() != kWidth * kWidth || bias.size() != kWidth)
    return comparison.difference();
  for (int64_t row : sampleRows(rows)) {
    std::vector<double> expected;
    for (int64_t n = 0; n < kWidth; ++n) {
      double sum = epilogue.bias ? bias[n] : 0;
      for (int64_t k = 0; k < kWidth; ++k)
        sum += double(x[row * kWidth + k]) * weights[n * kWidth + k];
      expected.push_back(epilogue.activation(sum));
    }
    comparison.row(row, y + row * kWidth, expected);
  }
  return comparison.difference();
}

void measureLayer(benchmark::State &state, const Layer &layer, int64_t rows,
                  const std::function<double()> &limit) {
  Buffer<float> x(rows * kWidth), y(rows * kWidth);
  fillUniform(x);
  measure(state,
          {limit, [&] { return layer.run(rows, x.get(), y.get()); },
           [&] { return checkRows(layer.epilogue, rows, x.get(), y.get()); }});
}

/// Many rows: bound by the multiply-adds.
void measureRows(benchmark::State &state, const Layer &layer, int lanes) {
  const int64_t rows = state.range(0);
  const double flops = 2.0 * double(rows * kWidth * kWidth);
  measureLayer(state, layer, rows, [&] { return secondsAtPeak(lanes, flops); });
}

/// One row: bound by reading the weights.
void measureRow(benchmark::State &state, const Layer &layer) {
  Buffer<float> weights(kWidth * kWidth);
  fillUniform(weights);
  measureLayer(state, layer, 1, [&] { return secondsToRead(weights, 1); });
}

/// A kernel of ours, and its workspace for `rows`.
Layer compiled(const Epilogue &epilogue, Size size, Run run, int64_t rows) {
  auto workspace = std::make_shared<Buffer<char>>(size(rows, 1));
  return {epilogue, [=](int64_t rows, const float *x, float *y) {
            return run(nullptr, workspace->get(), workspace->size(), rows, x,
                       y) == SINTER_OK;
          }};
}

void contract(benchmark::State &state, Size size, Run run, int lanes,
              const Epilogue &epilogue) {
  if (!lacks(state, lanes))
    measureRows(state, compiled(epilogue, size, run, state.range(0)), lanes);
}

void contract_row(benchmark::State &state, Size size, Run run, int lanes,
                  const Epilogue &epilogue) {
  if (!lacks(state, lanes))
    measureRow(state, compiled(epilogue, size, run, 1));
}

#define ROWS(benchmark) benchmark->Arg(8)->Arg(32)->Arg(128)->Arg(512)

#define CONTRACT(entry, level, lanes, epilogue)                                \
  ROWS(BENCHMARK_CAPTURE(contract, entry##_##level,                            \
                         contract_##level##_##entry##_workspace_size,          \
                         contract_##level##_##entry, lanes, epilogue))         \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMicrosecond);                                         \
  BENCHMARK_CAPTURE(contract_row, entry##_##level,                             \
                    contract_##level##_##entry##_workspace_size,               \
                    contract_##level##_##entry, lanes, epilogue)               \
      ->UseManualTime()                                                        \
      ->Unit(benchmark::kMicrosecond)

CONTRACT(run, v4, 16, kRun);
CONTRACT(run, v3, 8, kRun);
CONTRACT(gelu, v4, 16, kGelu);
CONTRACT(gelu, v3, 8, kGelu);
CONTRACT(rational, v4, 16, kRational);
CONTRACT(rational, v3, 8, kRational);

#ifdef SINTER_BENCH_OPENBLAS
/// The peer: the kernel that it picks for this processor, on one thread,
/// without an epilogue.
Layer openblas() {
  openblas_set_num_threads(1);
  auto weights =
      std::make_shared<std::vector<float>>(readWeight("contract", "w"));
  return {kRun, [=](int64_t rows, const float *x, float *y) {
            if (weights->size() != kWidth * kWidth)
              return false;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, int(rows),
                        kWidth, kWidth, 1, x, kWidth, weights->data(), kWidth,
                        0, y, kWidth);
            return true;
          }};
}

void contract_openblas(benchmark::State &state) {
  state.SetLabel(openblas_get_corename());
  measureRows(state, openblas(), hasV4() ? 16 : 8);
}
void contract_row_openblas(benchmark::State &state) {
  state.SetLabel(openblas_get_corename());
  measureRow(state, openblas());
}
ROWS(BENCHMARK(contract_openblas))
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(contract_row_openblas)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
#endif

} // namespace
