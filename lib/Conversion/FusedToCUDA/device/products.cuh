//===- products.cuh - Few rows times a panel of 16 columns ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a product of few rows costs is reading the matrix. So a block takes a
// panel, 16 columns, and each lane reads 4 of its columns at 4 positions of k,
// each in one access: 2048 consecutive bytes for a warp. The rows' numbers at
// these positions are one access too. The lanes and warps of a block split k;
// their sums are added in an order that only the number of threads fixes.
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
  laneDepth = 4,     ///< Positions of k that a lane takes at a time,
  /// and a warp.
  warpDepth = 32 * laneColumns / panelColumns * laneDepth
};

/// The first of the lane's columns in a panel.
SINTER_DEVICE i32 firstLaneColumn() {
  return laneIndex() % (panelColumns / laneColumns) * laneColumns;
}

/// Bytes of shared memory for the partial sums of `sums` numbers per column.
SINTER_DEVICE constexpr i64 panelBytes(i64 threads, i64 sums) {
  return threads / 32 * sums * panelColumns * i64(sizeof(float));
}

/// The numbers at the lane's positions of k, of which `left` are left. Wide: in
/// one access, all are left. Whole: all are left.
template <bool Wide, bool Whole>
SINTER_DEVICE Pack<float, laneDepth> readDepth(const float *from, i64 left) {
  using Numbers = Pack<float, laneDepth>;
  if constexpr (Wide)
    return loadGlobal(reinterpret_cast<const Numbers *>(from));
  Numbers numbers = {};
#pragma unroll
  for (int s = 0; s < laneDepth; ++s)
    if (Whole || s < left)
      numbers.lane[s] = loadGlobal(from + s);
  return numbers;
}

/// The same of an access from the point `p` on.
template <class Access, bool Wide, bool Whole, class Args, class Point>
SINTER_DEVICE Pack<float, laneDepth> readDepth(const Args &args, Point p,
                                               i64 left) {
  if constexpr (Wide)
    return readDepth<Wide, Whole>(Access::at(args, p), left);
  Pack<float, laneDepth> numbers = {};
#pragma unroll
  for (int s = 0; s < laneDepth; ++s, ++p[Access::along])
    if (Whole || s < left)
      numbers.lane[s] = loadOne<Access>(args, p);
  return numbers;
}

/// The lane's columns at its positions of k.
using Square = Pack<float, laneColumns>[laneDepth];

/// A square of an access along the columns, from the point `p` on: `columns`
/// and `left` say how many there are, the others stay as they are. Wide: four
/// columns are one access, and there are all or none.
template <class Access, bool Whole, int Depth, class Args, class Point>
SINTER_DEVICE void readSquare(const Args &args, Point p, i64 columns, i64 left,
                              bool wide, Square &values) {
  const Point first = p;
#pragma unroll
  for (int s = 0; s < laneDepth; ++s) {
    if (!Whole && s >= left)
      continue;
    p[Depth] = first[Depth] + s;
    p[Access::along] = first[Access::along];
    if (wide) {
      if (columns > 0)
        values[s] = loadGlobal(
            reinterpret_cast<const Pack<float, 4> *>(Access::at(args, p)));
      continue;
    }
#pragma unroll
    for (int c = 0; c < laneColumns; ++c) {
      p[Access::along] = first[Access::along] + c;
      if (c < columns)
        values[s].lane[c] = loadOne<Access>(args, p);
    }
  }
}

template <bool Whole, int Number, int Count, class Matrices>
SINTER_DEVICE void readPanels(Matrices &matrices, i64 k, i64 left,
                              Square (&values)[Count]) {
  if constexpr (Number < Count) {
    matrices.template read<Number, Whole>(k, left, values[Number]);
    readPanels<Whole, Number + 1>(matrices, k, left, values);
  }
}

/// Leaves in `partials` the partial sums of each warp: for row r and matrix g,
/// sum over the warp's k of rows.read(r, k) times what
/// matrices.read<g, Whole>(k, left, square) gives; the former are laneDepth
/// numbers from k on, 0 past the end (rows.isWhole: there are none), the latter
/// 4 from firstLaneColumn() on at each of these k. Collective of a block; a
/// barrier must follow before panelSum reads.
template <int Rows, int Count, class Factors, class Matrices>
SINTER_DEVICE void panelProducts(i64 depth, Factors rows, Matrices matrices,
                                 float *partials) {
  float sums[Rows][Count][laneColumns] = {};
  i32 first = warpIndex() * warpDepth +
              laneIndex() / (panelColumns / laneColumns) * laneDepth;
#pragma unroll 1
  for (i64 k = first; k < depth; k += threadCount() / 32 * warpDepth) {
    Square matrix[Count] = {};
    readPanels<Factors::isWhole, 0>(matrices, k, depth - k, matrix);
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      const Pack<float, laneDepth> factors = rows.read(r, k);
#pragma unroll
      for (int s = 0; s < laneDepth; ++s)
#pragma unroll
        for (int g = 0; g < Count; ++g)
#pragma unroll
          for (int c = 0; c < laneColumns; ++c)
            sums[r][g][c] += factors.lane[s] * matrix[g][s].lane[c];
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
