//===- recurrence_multiply.cuh - Rows times the matrices of a stack *- C++
//-*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The products are those of products.cuh.
//
//===----------------------------------------------------------------------===//

namespace sinter {

/// Matrices that are multiplied at once with `rows` rows.
template <class Spec> struct ProductLimit {
  static constexpr int gates = 16 / Spec::rows;
};

/// The matrices of a stack from `First` on, as panelProducts reads them. Units
/// past the last are 0.
template <class Spec, class Stack, int First> struct StackPanel {
  const typename Spec::Arguments &args;
  i64 unit;

  template <int Gate> SINTER_DEVICE Pack<float, laneColumns> read(i64 k) const {
    using Matrix = TypeAt<First + Gate, typename Stack::Matrices>;
    typename Spec::Point p = {};
    p[3] = k;
    const i64 first = unit + firstLaneColumn();
    p[2] = first;
    Pack<float, laneColumns> values = {};
    if (Matrix::lanes >= laneColumns && Matrix::aligned(args)) {
      if (first < Stack::units)
        values = loadGlobal(reinterpret_cast<const Pack<float, laneColumns> *>(
            Matrix::at(args, p)));
      return values;
    }
#pragma unroll
    for (int c = 0; c < laneColumns; ++c) {
      p[2] = first + c;
      if (first + c < Stack::units)
        values.lane[c] =
            loadGlobal(static_cast<const float *>(Matrix::at(args, p)));
    }
    return values;
  }
};

/// The factors of a stack, as panelProducts reads them.
template <class Spec, class Stack> struct StackFactors {
  RecurrenceRow<Spec> rows[Spec::rows];

  SINTER_DEVICE float at(int r, i64 k) const {
    return Stack::factor(rows[r], k);
  }
};

/// Calls use(row, gate, column, sum) for the products of a panel of a stack.
/// Collective of a block.
template <class Spec, class Stack, int First = 0, class Use>
SINTER_DEVICE void multiplyStack(const typename Spec::Arguments &args,
                                 const StackFactors<Spec, Stack> &rows,
                                 i64 unit, float *partials, Use use) {
  if constexpr (First < Stack::gates) {
    constexpr int most = ProductLimit<Spec>::gates, left = Stack::gates - First;
    constexpr int count = left < most ? left : most;
    blockBarrier();
    panelProducts<Spec::rows, count>(Stack::depth, rows,
                                     StackPanel<Spec, Stack, First>{args, unit},
                                     partials);
    blockBarrier();
    for (int i = threadIndex(); i < Spec::rows * count * panelColumns;
         i += Spec::threads) {
      const int column = i % panelColumns, number = i / panelColumns,
                row = number / count, gate = number % count;
      use(row, First + gate, column,
          panelSum<Spec::rows, count>(partials, row, gate, column));
    }
    multiplyStack<Spec, Stack, First + count>(args, rows, unit, partials, use);
  }
}

} // namespace sinter
