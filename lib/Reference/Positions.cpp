//===- Positions.cpp - Positions and their embeddings ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Ops.h"
#include <cmath>

using namespace mlir;

namespace sinter::reference {

Tensor rope(const Tensor &x, const Tensor &positions, bool interleaved,
            double theta) {
  int64_t heads = x.dim(2), size = x.dim(3);
  Tensor y = x;
  forEachIndex(x.shape().take_front(2), [&](ArrayRef<int64_t> bt) {
    auto position = static_cast<double>(positions.integer(bt));
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t i = 0; i < size / 2; ++i) {
        double angle =
            position * std::pow(theta, -2.0 * static_cast<double>(i) /
                                           static_cast<double>(size));
        int64_t head = x.offset({bt[0], bt[1], h, 0});
        int64_t first = head + (interleaved ? 2 * i : i);
        int64_t second = interleaved ? first + 1 : first + size / 2;
        double a = x.real(first), b = x.real(second);
        y.real(first) = a * std::cos(angle) - b * std::sin(angle);
        y.real(second) = a * std::sin(angle) + b * std::cos(angle);
      }
  });
  return y;
}

Tensor sinusoidalPositions(const Tensor &positions, int64_t channels,
                           Type elementType) {
  Shape shape(positions.shape());
  shape.push_back(channels);
  Tensor y(shape, elementType);
  for (int64_t i = 0, e = positions.size(); i < e; ++i)
    for (int64_t c = 0; c < channels; ++c) {
      double angle = static_cast<double>(positions.integer(i)) *
                     std::pow(10000.0, -static_cast<double>(c / 2 * 2) /
                                           static_cast<double>(channels));
      y.real(i * channels + c) = c % 2 ? std::cos(angle) : std::sin(angle);
    }
  return y;
}

Tensor positions(ArrayRef<int64_t> start, int64_t time, Type elementType) {
  auto batch = static_cast<int64_t>(start.size());
  Tensor y({batch, time}, elementType);
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t t = 0; t < time; ++t)
      y.integer(b * time + t) = wrapInteger(start[b] + t, elementType);
  return y;
}

} // namespace sinter::reference
