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

Tensor rope(const Tensor &x, const Tensor &positions, const Rope &how) {
  int64_t heads = x.dim(2), half = how.columns / 2;
  Tensor y = x;
  forEachIndex(x.shape().take_front(2), [&](ArrayRef<int64_t> bt) {
    auto position = static_cast<double>(positions.integer(bt));
    for (int64_t i = 0; i < half; ++i) {
      double angle = position * how.frequency(i, bt[0]);
      double cosine = how.factor * std::cos(angle);
      double sine = how.factor * std::sin(angle);
      for (int64_t h = 0; h < heads; ++h) {
        int64_t head = x.offset({bt[0], bt[1], h, 0});
        int64_t first = head + (how.interleaved ? 2 * i : i);
        int64_t second = how.interleaved ? first + 1 : first + half;
        double a = x.real(first), b = x.real(second);
        y.real(first) = a * cosine - b * sine;
        y.real(second) = a * sine + b * cosine;
      }
    }
  });
  return y;
}

Tensor sinusoidalPositions(const Tensor &positions, int64_t channels,
                           bool halves, Type elementType) {
  Shape shape(positions.shape());
  shape.push_back(channels);
  Tensor y(shape, elementType);
  int64_t half = channels / 2;
  for (int64_t i = 0, e = positions.size(); i < e; ++i)
    for (int64_t c = 0; c < half; ++c) {
      double angle = static_cast<double>(positions.integer(i)) *
                     std::pow(10000.0, -2.0 * static_cast<double>(c) /
                                           static_cast<double>(channels));
      int64_t first = i * channels;
      y.real(first + (halves ? c : 2 * c)) = std::sin(angle);
      y.real(first + (halves ? c + half : 2 * c + 1)) = std::cos(angle);
    }
  return y;
}

double alibiSlope(int64_t head, int64_t heads) {
  int64_t power = 1;
  while (2 * power <= heads)
    power *= 2;
  // The slopes of `power` heads, then every other of twice as many.
  double step = head < power ? 8.0 : 4.0;
  int64_t number = head < power ? head + 1 : 2 * (head - power) + 1;
  return std::pow(2.0, -step * static_cast<double>(number) /
                           static_cast<double>(power));
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
