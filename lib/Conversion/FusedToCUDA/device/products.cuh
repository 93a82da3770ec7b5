//===- products.cuh - Few rows times a panel of 16 columns ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a product of few rows costs is reading the matrix. So a block takes a
// panel, 16 columns, and each lane reads 4 of its columns in one access: 8
// positions of k are 512 consecutive bytes for a warp. The lanes and warps of a
// block split k; their sums are added in an order that only the number of
// threads fixes.
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <class... Types> struct TypeList {
  static constexpr int size = sizeof...(Types);
};

template <int Number, class List> struct TypeAtOf;
template <int Number, class First, class... Rest>
struct TypeAtOf<Number, TypeList<First, Rest...>>
    : TypeAtOf<Number - 1, TypeList<Rest...>> {};
template <class First, class... Rest>
struct TypeAtOf<0, TypeList<First, Rest...>> {
  using Type = First;
};
template <int Number, class List>
using TypeAt = typename TypeAtOf<Number, List>::Type;

enum : int {
  panelColumns = 16, ///< Columns of a panel,
  laneColumns = 4,   ///< and those of them that one lane takes.
  /// Positions of k that a warp takes at a time.
  warpDepth = 32 * laneColumns / panelColumns
};

/// The first of the lane's columns in a panel.
SINTER_DEVICE i32 firstLaneColumn() {
  return laneIndex() % (panelColumns / laneColumns) * laneColumns;
}

/// Bytes of shared memory for the partial sums of `sums` numbers per column.
SINTER_DEVICE constexpr i64 panelBytes(i64 threads, i64 sums) {
  return threads / 32 * sums * panelColumns * i64(sizeof(float));
}

template <int Number, int Count, class Matrices>
SINTER_DEVICE void readPanels(Matrices &matrices, i64 k,
                              Pack<float, laneColumns> (&values)[Count]) {
  if constexpr (Number < Count) {
    values[Number] = matrices.template read<Number>(k);
    readPanels<Number + 1>(matrices, k, values);
  }
}

/// Leaves in `partials` the partial sums of each warp: for row r and matrix g,
/// sum over the warp's k of rows.at(r, k) * matrices.read<g>(k), the latter 4
/// numbers from firstLaneColumn() on. Collective of a block; a barrier must
/// follow before panelSum reads.
template <int Rows, int Count, class Factors, class Matrices>
SINTER_DEVICE void panelProducts(i64 depth, Factors rows, Matrices matrices,
                                 float *partials) {
  float sums[Rows][Count][laneColumns] = {};
  i32 first = warpIndex() * warpDepth + laneIndex() / 4;
  // 64 bytes of matrices on their way per thread.
  constexpr int ahead = Count < 4 ? 4 / Count : 1;
#pragma unroll ahead
  for (i64 k = first; k < depth; k += threadCount() / 32 * warpDepth) {
    Pack<float, laneColumns> matrix[Count];
    readPanels<0>(matrices, k, matrix);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      float factor = rows.at(r, k);
#pragma unroll
      for (int g = 0; g < Count; ++g)
#pragma unroll
        for (int c = 0; c < laneColumns; ++c)
          sums[r][g][c] += factor * matrix[g].lane[c];
    }
  }
  float *mine = partials + warpIndex() * (Rows * Count * panelColumns);
#pragma unroll
  for (int r = 0; r < Rows; ++r)
#pragma unroll
    for (int g = 0; g < Count; ++g) {
      Pack<float, laneColumns> total;
#pragma unroll
      for (int c = 0; c < laneColumns; ++c) {
        float sum = sums[r][g][c];
#pragma unroll
        for (int mask = 4; mask < 32; mask *= 2)
          sum += shuffleXor(sum, mask);
        total.lane[c] = sum;
      }
      if (laneIndex() < panelColumns / laneColumns)
        storeShared(
            reinterpret_cast<Pack<float, laneColumns> *>(
                mine + (r * Count + g) * panelColumns + firstLaneColumn()),
            total);
    }
}

/// The sum of row `row`, matrix `number` and column `column` of what
/// panelProducts<Rows, Count> left.
template <int Rows, int Count>
SINTER_DEVICE float panelSum(const float *partials, int row, int number,
                             int column) {
  const float *first =
      partials + (row * Count + number) * panelColumns + column;
  float sum = loadShared(first);
  for (int warp = 1; warp < threadCount() / 32; ++warp)
    sum += loadShared(first + warp * (Rows * Count * panelColumns));
  return sum;
}

} // namespace sinter
