//===- Normalization.cpp - Softmax and norms ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Ops.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace sinter::reference {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Calls `body` with the position and length of each row of the last dimension.
static void forEachRow(const Tensor &x,
                       llvm::function_ref<void(int64_t, int64_t)> body) {
  int64_t size = x.shape().back();
  for (int64_t row = 0; row < elementCount(x.shape().drop_back()); ++row)
    body(row * size, size);
}

/// The maximum of a row and the sum of exp(x - maximum). NaN where the row has
/// one; (-inf, 0) where it holds nothing else than -inf.
static std::pair<double, double> maximumAndSum(const Tensor &x, int64_t first,
                                               int64_t size) {
  double maximum = -infinity;
  for (int64_t i = first; i < first + size; ++i) {
    if (std::isnan(x.real(i)))
      return {x.real(i), x.real(i)};
    maximum = std::max(maximum, x.real(i));
  }
  double sum = 0;
  if (maximum != -infinity)
    for (int64_t i = first; i < first + size; ++i)
      sum += std::exp(x.real(i) - maximum);
  return {maximum, sum};
}

Tensor softmax(const Tensor &x) {
  Tensor y(x.shape(), x.elementType());
  forEachRow(x, [&](int64_t first, int64_t size) {
    auto [maximum, sum] = maximumAndSum(x, first, size);
    for (int64_t i = first; i < first + size; ++i)
      y.real(i) =
          maximum == -infinity ? 0 : std::exp(x.real(i) - maximum) / sum;
  });
  return y;
}

Tensor logSoftmax(const Tensor &x) {
  Tensor y(x.shape(), x.elementType());
  forEachRow(x, [&](int64_t first, int64_t size) {
    auto [maximum, sum] = maximumAndSum(x, first, size);
    for (int64_t i = first; i < first + size; ++i)
      y.real(i) = maximum == -infinity ? -infinity
                                       : x.real(i) - maximum - std::log(sum);
  });
  return y;
}

Tensor layerNorm(const Tensor &x, const Tensor *gain, const Tensor *bias,
                 double eps) {
  Tensor y(x.shape(), x.elementType());
  forEachRow(x, [&](int64_t first, int64_t size) {
    double mean = 0, variance = 0;
    for (int64_t i = 0; i < size; ++i)
      mean += x.real(first + i) / size;
    for (int64_t i = 0; i < size; ++i) {
      double distance = x.real(first + i) - mean;
      variance += distance * distance / size;
    }
    for (int64_t i = 0; i < size; ++i)
      y.real(first + i) = (x.real(first + i) - mean) /
                              std::sqrt(variance + eps) *
                              (gain ? gain->real(i) : 1) +
                          (bias ? bias->real(i) : 0);
  });
  return y;
}

Tensor rmsNorm(const Tensor &x, const Tensor *gain, double offset, double eps) {
  Tensor y(x.shape(), x.elementType());
  forEachRow(x, [&](int64_t first, int64_t size) {
    double square = 0;
    for (int64_t i = first; i < first + size; ++i)
      square += x.real(i) * x.real(i) / size;
    for (int64_t i = 0; i < size; ++i)
      y.real(first + i) = x.real(first + i) / std::sqrt(square + eps) *
                          (gain ? gain->real(i) + offset : 1);
  });
  return y;
}

} // namespace sinter::reference
