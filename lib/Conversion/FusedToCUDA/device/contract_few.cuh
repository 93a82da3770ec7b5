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

/// The first rows of a group, as panelProducts reads them. Rows past the last
/// repeat it.
template <class Spec, int Rows> struct FewFactors {
  const ContractBlock<Spec> &block;
  typename Spec::Point points[Rows];
  const float *addresses[Rows];

  SINTER_DEVICE explicit FewFactors(const ContractBlock<Spec> &block)
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
  SINTER_DEVICE float at(int r, i64 k) const {
    if constexpr (Spec::input_is_contiguous)
      return loadGlobal(addresses[r] + k);
    return loadGlobal(inputAt<Spec>(block.args, points[r], k));
  }
};

/// The weights of a panel, as panelProducts reads them. Columns past the last
/// are 0.
template <class Spec, class Segment> struct FewWeights {
  const ContractBlock<Spec> &block;

  template <int Number>
  SINTER_DEVICE Pack<float, laneColumns> read(i64 k) const {
    using Weight = TypeAt<Number, typename Segment::Weights>;
    typename Spec::Point p = block.origin;
    p[Spec::rank - 1] = k;
    const i64 first = block.column + firstLaneColumn();
    Pack<float, laneColumns> values = {};
    p[Spec::rank - 2] = first;
    if (Weight::lanes >= laneColumns && Weight::aligned(block.args)) {
      if (first < block.columns)
        values = loadGlobal(reinterpret_cast<const Pack<float, laneColumns> *>(
            Weight::at(block.args, p)));
      return values;
    }
#pragma unroll
    for (int c = 0; c < laneColumns; ++c) {
      p[Spec::rank - 2] = first + c;
      if (first + c < block.columns)
        values.lane[c] =
            loadGlobal(static_cast<const float *>(Weight::at(block.args, p)));
    }
    return values;
  }
};

template <class Spec, class Segment, int Rows>
SINTER_DEVICE void contractFew(const ContractBlock<Spec> &block) {
  constexpr int pairs = Segment::pairs;
  const FewFactors<Spec, Rows> rows(block);
  if (!rows.isAnyStored())
    return;
  panelProducts<Rows, pairs>(block.depth, rows,
                             FewWeights<Spec, Segment>{block}, block.shared);
  blockBarrier();
  for (int i = threadIndex(); i < Rows * panelColumns; i += Spec::threads) {
    const int row = i / panelColumns, column = i % panelColumns;
    if (row >= block.rows || block.column + column >= block.columns)
      continue;
    typename Spec::Point p = block.point(row);
    if (!block.isStored(p))
      continue;
    p[Spec::rank - 2] = block.column + column;
    Segment::symbols(block.args, p);
    Lanes<float, 1> sums[pairs];
#pragma unroll
    for (int g = 0; g < pairs; ++g)
      sums[g][0] = panelSum<Rows, pairs>(block.shared, row, g, column);
    Segment::template finish<1>(block.args, block.status, p, sums);
  }
}

} // namespace sinter
