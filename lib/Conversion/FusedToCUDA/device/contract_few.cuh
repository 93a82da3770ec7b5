//===- contract_few.cuh - A panel of columns for few rows -------*- C++ -*-===//
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

/// The first rows of a group. Rows past the last repeat it.
template <class Spec, int Rows> struct FewRows {
  const ContractBlock<Spec> &block;
  typename Spec::Point points[Rows];
  const float *addresses[Rows];

  SINTER_DEVICE explicit FewRows(const ContractBlock<Spec> &block)
      : block(block) {
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      points[r] = block.point(r < block.rows ? r : block.rows - 1);
      if constexpr (Spec::input_is_contiguous)
        addresses[r] = inputAt<Spec>(block.args, points[r], 0);
    }
  }
  SINTER_DEVICE bool isAnyStored() const {
    bool isAny = false;
#pragma unroll
    for (int r = 0; r < Rows; ++r)
      isAny |= block.isStored(points[r]);
    return isAny;
  }
};

/// The input's numbers of these rows, as panelProducts reads them.
template <class Spec, int Rows, bool Wide> struct FewFactors {
  static constexpr bool isWhole = Spec::has_whole_depth;
  const FewRows<Spec, Rows> &rows;

  SINTER_DEVICE Pack<float, laneDepth> read(int r, i64 k) const {
    const ContractBlock<Spec> &block = rows.block;
    const i64 left = block.depth - k;
    if constexpr (Spec::input_is_contiguous)
      return readDepth<Wide, isWhole>(rows.addresses[r] + k, left);
    typename Spec::Point p = rows.points[r];
    p[Spec::rank - 1] = k;
    return readDepth<typename Spec::Input, Wide, isWhole>(block.args, p, left);
  }
};

/// The weights of a panel, as panelProducts reads them. Columns past the last
/// are 0.
template <class Spec, class Segment> struct FewWeights {
  const ContractBlock<Spec> &block;

  template <int Number, bool Whole>
  SINTER_DEVICE void read(i64 k, i64 left, Square &values) const {
    using Weight = TypeAt<Number, typename Segment::Weights>;
    typename Spec::Point p = block.origin;
    p[Spec::rank - 1] = k;
    p[Spec::rank - 2] = block.column + firstLaneColumn();
    const i64 columns = block.columns - p[Spec::rank - 2];
    if constexpr (Segment::depth_is_fastest)
      if (isTurned<Spec, Segment, Number>(block))
        return readTurned<Number>(p, columns, values);
    const bool wide =
        Weight::lanes >= laneColumns && Weight::aligned(block.args);
    readSquare<Weight, Whole, Spec::rank - 1>(block.args, p, columns, left,
                                              wide, values);
  }

  /// Reads along k.
  template <int Number>
  SINTER_DEVICE void readTurned(typename Spec::Point p, i64 columns,
                                Square &values) const {
    using Weight = TypeAt<Number, typename Segment::TurnedWeights>;
#pragma unroll
    for (int c = 0; c < laneColumns; ++c, ++p[Spec::rank - 2]) {
      if (c >= columns)
        continue;
      const auto pack = loadGlobal(
          reinterpret_cast<const Pack<float, 4> *>(Weight::at(block.args, p)));
#pragma unroll
      for (int s = 0; s < laneDepth; ++s)
        values[s].lane[c] = pack.lane[s];
    }
  }
};

template <class Spec, class Segment, int Rows>
SINTER_DEVICE void contractFew(const ContractBlock<Spec> &block) {
  constexpr int pairs = Segment::pairs;
  const FewRows<Spec, Rows> rows(block);
  if (!rows.isAnyStored())
    return;
  const FewWeights<Spec, Segment> weights{block};
  if (isInputWide(block))
    panelProducts<Rows, pairs>(block.depth, FewFactors<Spec, Rows, true>{rows},
                               weights, block.shared);
  else
    panelProducts<Rows, pairs>(block.depth, FewFactors<Spec, Rows, false>{rows},
                               weights, block.shared);
  blockBarrier();
  static_assert(Rows * panelColumns <= Spec::threads, "a column per thread");
  const int row = threadIndex() / panelColumns,
            column = threadIndex() % panelColumns;
  if (row >= Rows || row >= block.rows ||
      block.column + column >= block.columns)
    return;
  typename Spec::Point p = block.point(row);
  if (!block.isStored(p))
    return;
  p[Spec::rank - 2] = block.column + column;
  Segment::symbols(block.args, p);
  Lanes<float, 1> sums[pairs];
#pragma unroll
  for (int g = 0; g < pairs; ++g)
    sums[g][0] = panelSum<Rows, pairs>(block.shared, row, g, column);
  Segment::template finish<1>(block.args, block.status, p, sums);
}

} // namespace sinter
