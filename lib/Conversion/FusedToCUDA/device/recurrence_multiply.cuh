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

  template <int Gate, bool Whole>
  SINTER_DEVICE void read(i64 k, i64 left, Square &values) const {
    using Matrix = TypeAt<First + Gate, typename Stack::Matrices>;
    typename Spec::Point p = {};
    p[3] = k;
    p[2] = unit + firstLaneColumn();
    const bool wide = Matrix::lanes >= laneColumns && Matrix::aligned(args);
    readSquare<Matrix, Whole, 3>(args, p, Stack::units - p[2], left, wide,
                                 values);
  }
};

/// The rows that a stack is multiplied with.
template <class Spec> struct StackRows {
  RecurrenceRow<Spec> rows[Spec::rows];
};

/// The factors of a stack, as panelProducts reads them.
template <class Spec, class Stack, bool Wide> struct StackFactors {
  static constexpr bool isWhole = Stack::is_whole;
  const StackRows<Spec> &of;

  SINTER_DEVICE Pack<float, laneDepth> read(int r, i64 k) const {
    return Stack::template factors<Wide>(of.rows[r], k);
  }
};

/// Calls use(row, gate, column, sum) for the products of a panel of a stack.
/// Collective of a block.
template <class Spec, class Stack, int First = 0, class Use>
SINTER_DEVICE void multiplyStack(const typename Spec::Arguments &args,
                                 const StackRows<Spec> &rows, i64 unit,
                                 float *partials, Use use) {
  if constexpr (First < Stack::gates) {
    constexpr int most = ProductLimit<Spec>::gates, left = Stack::gates - First;
    constexpr int count = left < most ? left : most;
    const StackPanel<Spec, Stack, First> panel{args, unit};
    blockBarrier();
    if (Stack::aligned(args))
      panelProducts<Spec::rows, count>(
          Stack::depth, StackFactors<Spec, Stack, true>{rows}, panel, partials);
    else
      panelProducts<Spec::rows, count>(Stack::depth,
                                       StackFactors<Spec, Stack, false>{rows},
                                       panel, partials);
    blockBarrier();
    static_assert(Spec::rows * count * panelColumns <= Spec::threads,
                  "a column per thread");
    const int column = threadIndex() % panelColumns,
              number = threadIndex() / panelColumns, row = number / count,
              gate = number % count;
    if (row < Spec::rows)
      use(row, First + gate, column,
          panelSum<Spec::rows, count>(partials, row, gate, column));
    multiplyStack<Spec, Stack, First + count>(args, rows, unit, partials, use);
  }
}

} // namespace sinter
