//===- PackedStack.h - Matrices as recurrences read them --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TEST_UNIT_CONVERSION_PACKEDSTACK_H
#define SINTER_TEST_UNIT_CONVERSION_PACKEDSTACK_H

#include "KernelRunner.h"

namespace sinter::test {

using Row = std::vector<double>;

/// Row number `row` of a matrix with rows of `size` numbers.
template <typename Array> Row rowOf(Array &array, int64_t row, int64_t size) {
  return Row(&array[row * size], &array[row * size] + size);
}

/// Matrices [g, k, n] in panels of 16 columns, those of a stack as neighbours;
/// row sums of the magnitudes stay below 1.
class Stack {
public:
  Stack(Numbers &numbers, int64_t count, int64_t depth, int64_t columns)
      : count(count), depth(depth), columns(columns), values(size()) {
    for (int64_t i = 0; i < int64_t(size()); ++i)
      values[i] = 0;
    for (int64_t g = 0; g < count; ++g)
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t n = 0; n < columns; ++n)
          values[index(g, k, n)] = numbers.next() / float(depth);
  }
  operator int64_t() { return values; }

  /// Matrix number `g` times `x`.
  std::vector<double> times(int64_t g, const std::vector<double> &x) {
    std::vector<double> sums(columns);
    for (int64_t n = 0; n < columns; ++n)
      for (int64_t k = 0; k < depth; ++k)
        sums[n] += x[k] * double(values[index(g, k, n)]);
    return sums;
  }

private:
  size_t size() const {
    return size_t((columns + 15) / 16 * 16 * depth * count);
  }
  size_t index(int64_t g, int64_t k, int64_t n) const {
    return size_t(((n / 16 * depth + k) * count + g) * 16 + n % 16);
  }

  int64_t count, depth, columns;
  Buffer<float> values;
};

} // namespace sinter::test

#endif // SINTER_TEST_UNIT_CONVERSION_PACKEDSTACK_H
