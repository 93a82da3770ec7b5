//===- Layers.cpp - Projections and embedding ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Ops.h"
#include <algorithm>
#include <cassert>

using namespace mlir;

namespace sinter::reference {

Tensor linear(const Tensor &x, const Tensor &w, const Tensor *bias,
              bool inOut) {
  int64_t inputs = w.dim(inOut ? 0 : 1), outputs = w.dim(inOut ? 1 : 0);
  int64_t rows = elementCount(x.shape().drop_back());
  Shape shape(x.shape());
  shape.back() = outputs;
  Tensor y(shape, x.elementType());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t n = 0; n < outputs; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < inputs; ++k)
        sum += x.real(row * inputs + k) *
               w.real(inOut ? k * outputs + n : n * inputs + k);
      y.real(row * outputs + n) = bias ? sum + bias->real(n) : sum;
    }
  return y;
}

Tensor matmul(const Tensor &lhs, const Tensor &rhs, bool transposeLhs,
              bool transposeRhs) {
  int64_t rank = lhs.rank();
  int64_t rows = lhs.dim(rank - (transposeLhs ? 1 : 2));
  int64_t inner = lhs.dim(rank - (transposeLhs ? 2 : 1));
  int64_t columns = rhs.dim(rhs.rank() - (transposeRhs ? 2 : 1));
  int64_t batch = elementCount(lhs.shape().drop_back(2));
  Shape shape(lhs.shape());
  shape[rank - 2] = rows;
  shape[rank - 1] = columns;
  Tensor y(shape, lhs.elementType());
  for (int64_t p = 0; p < batch; ++p) {
    int64_t a = p * rows * inner;
    int64_t b = rhs.rank() == 2 ? 0 : p * inner * columns;
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t n = 0; n < columns; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < inner; ++k)
          sum += lhs.real(a + (transposeLhs ? k * rows + m : m * inner + k)) *
                 rhs.real(b + (transposeRhs ? n * inner + k : k * columns + n));
        y.real((p * rows + m) * columns + n) = sum;
      }
  }
  return y;
}

Tensor embedding(const Tensor &indices, const Tensor &table) {
  int64_t channels = table.dim(1);
  Shape shape(indices.shape());
  shape.push_back(channels);
  Tensor y(shape, table.elementType());
  if (table.dim(0) == 0)
    return y;
  for (int64_t i = 0, e = indices.size(); i < e; ++i) {
    int64_t row = std::clamp<int64_t>(indices.integer(i), 0, table.dim(0) - 1);
    for (int64_t c = 0; c < channels; ++c)
      y.real(i * channels + c) = table.real(row * channels + c);
  }
  return y;
}

Tensor map(const Tensor &x, llvm::function_ref<double(double)> function) {
  Tensor y(x.shape(), x.elementType());
  for (int64_t i = 0, e = x.size(); i < e; ++i)
    y.real(i) = function(x.real(i));
  return y;
}

Tensor multiply(const Tensor &x, const Tensor &y) {
  assert(x.shape() == y.shape() && "caller checks the shapes");
  Tensor z(x.shape(), x.elementType());
  for (int64_t i = 0, e = x.size(); i < e; ++i)
    z.real(i) = x.real(i) * y.real(i);
  return z;
}

} // namespace sinter::reference
