//===- contract_tile.cuh - A tile of rows and columns -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tile passes through two stages of shared memory while k ascends; its sums
// go to the epilogue through the same memory.
//
//===----------------------------------------------------------------------===//

namespace sinter {

enum : int {
  tileDepth = 16, ///< Positions of k in a tile.
  tileSide = 16   ///< Threads of a tile along rows, and along columns.
};

/// How a tile lies in shared memory. Rows of the input are 20 floats apart, so
/// that the 4 rows of a warp lie in different banks; rows of weights likewise
/// for the way in which they are written.
template <class Spec, class Segment> struct ContractLayout {
  static constexpr int rows = Spec::tile_rows, columns = Segment::tile_columns,
                       pairs = Segment::pairs;
  static constexpr int inputStride = tileDepth + 4;
  static constexpr int weightStride =
      columns + (Segment::depth_is_fastest ? 4 : 16);
  static constexpr int inputSize = rows * inputStride,
                       weightSize = tileDepth * weightStride,
                       stageSize = inputSize + pairs * weightSize;
  /// Floats from the start of shared memory: two stages, then the rows.
  static constexpr int rowsAt = 2 * stageSize;
  static constexpr i64 bytes = 4 * rowsAt + rows * i64(sizeof(InputRow));
  /// Rows and groups of 4 columns of a thread.
  static constexpr int threadRows = rows / tileSide,
                       threadGroups = columns / (4 * tileSide);
  /// Packs of a tile of weights that a thread turns.
  static constexpr int threadTurned = columns * tileDepth / (4 * Spec::threads);
  static_assert(tileSide * columns * pairs <= 2 * stageSize,
                "a slab of sums fits where the tiles were");
};

/// Bytes of shared memory that the segments from `Number` on need.
template <class Spec, int Number = 0>
SINTER_DEVICE constexpr i64 contractBytes() {
  if constexpr (Number < Spec::Segments::size) {
    using Segment = TypeAt<Number, typename Spec::Segments>;
    constexpr i64 rest = contractBytes<Spec, Number + 1>();
    i64 bytes = panelBytes(Spec::threads, Spec::few_rows * Segment::pairs);
    if constexpr (Spec::tile_rows > 0)
      if (ContractLayout<Spec, Segment>::bytes > bytes)
        bytes = ContractLayout<Spec, Segment>::bytes;
    return bytes > rest ? bytes : rest;
  }
  return 0;
}

template <class Spec, class Segment> struct ContractTile {
  using Layout = ContractLayout<Spec, Segment>;
  using Point = typename Spec::Point;
  static constexpr int pairs = Layout::pairs, threads = Spec::threads,
                       threadRows = Layout::threadRows,
                       threadGroups = Layout::threadGroups;

  const ContractBlock<Spec> &block;
  /// Among the threads of the tile: those of a warp are 4 by 8.
  int threadRow, threadColumn;
  bool inputIsWide;

  struct Turned {
    Pack<float, 4> packs[pairs][Layout::threadTurned];
  };

  SINTER_DEVICE explicit ContractTile(const ContractBlock<Spec> &block)
      : block(block) {
    threadRow = warpIndex() / 2 * 4 + laneIndex() / 8;
    threadColumn = warpIndex() % 2 * 8 + laneIndex() % 8;
    inputIsWide = isInputWide(block);
  }

  SINTER_DEVICE InputRow *inputRows() const {
    return reinterpret_cast<InputRow *>(block.shared + Layout::rowsAt);
  }
  SINTER_DEVICE float *input(i64 stage) const {
    return block.shared + stage * Layout::stageSize;
  }
  SINTER_DEVICE float *weight(i64 stage, int number) const {
    return input(stage) + Layout::inputSize + number * Layout::weightSize;
  }

  /// Finds the rows of the tile. A barrier must follow.
  SINTER_DEVICE void findRows() const {
    for (int r = threadIndex(); r < Layout::rows; r += threads) {
      const i64 row = block.row + r, last = block.rows - 1;
      const Point p = block.point(row < last ? row : last);
      storeShared(inputRows() + r, {inputAt<Spec>(block.args, p, 0),
                                    row <= last && block.isStored(p)});
    }
  }

  /// Whether any row is stored. Each warp looks at all of them.
  SINTER_DEVICE bool hasRows() const {
    bool isValid = false;
    for (int r = laneIndex(); r < Layout::rows; r += 32)
      isValid |= loadShared(inputRows() + r).isValid != 0;
    return warpBallot(isValid) != 0;
  }

  template <int Width> SINTER_DEVICE void copyInput(float *to, i64 from) const {
    constexpr int perRow = tileDepth / Width, copies = Layout::rows * perRow;
#pragma unroll
    for (int i = 0; i < (copies + threads - 1) / threads; ++i) {
      const int number = threadIndex() + i * threads;
      if (copies % threads != 0 && number >= copies)
        break;
      const int r = number / perRow, k = number % perRow * Width;
      const InputRow row = loadShared(inputRows() + r);
      const bool isValid = row.isValid && from + k < block.depth;
      const float *address = row.address;
      if (isValid) {
        if constexpr (Spec::input_is_contiguous)
          address += from + k;
        else
          address =
              inputAt<Spec>(block.args, block.point(block.row + r), from + k);
      }
      copyAsync<4 * Width>(to + r * Layout::inputStride + k, address, isValid);
    }
  }

  /// Copies 4 columns at a time, in the order in which panels lie.
  template <class Weight>
  SINTER_DEVICE void copyPanels(float *to, i64 from) const {
    constexpr int perRow = panelColumns / 4, perPanel = tileDepth * perRow,
                  copies = Layout::columns / panelColumns * perPanel;
#pragma unroll
    for (int i = 0; i < (copies + threads - 1) / threads; ++i) {
      const int number = threadIndex() + i * threads;
      if (copies % threads != 0 && number >= copies)
        break;
      const int k = number % perPanel / perRow,
                n = number / perPanel * panelColumns + number % perRow * 4;
      copyWeight<16, Weight>(to + k * Layout::weightStride + n, from + k, n);
    }
  }

  /// Copies one column at a time: 8 along k by 4 along n for a warp where k is
  /// fastest, so that it reads whole sectors and writes to different banks.
  template <class Weight>
  SINTER_DEVICE void copyElements(float *to, i64 from) const {
    constexpr int copies = tileDepth * Layout::columns;
    static_assert(copies % threads == 0, "tiles are multiples of 16 by 64");
#pragma unroll
    for (int i = 0; i < copies / threads; ++i) {
      const int number = threadIndex() + i * threads;
      int k = number / Layout::columns, n = number % Layout::columns;
      if constexpr (Segment::depth_is_fastest) {
        const int square = number / 32;
        k = number % 8 + square % 2 * 8;
        n = number % 32 / 8 + square / 2 * 4;
      }
      copyWeight<4, Weight>(to + k * Layout::weightStride + n, from + k, n);
    }
  }

  /// Where pack `i` of a turned tile lies: 16 columns by 2 packs along k for a
  /// warp, so that it reads whole sectors and writes to different banks.
  SINTER_DEVICE static void placeTurned(int i, int &k, int &n) {
    const int square = warpIndex() + i * (threads / 32);
    k = (laneIndex() / 16 + square % 2 * 2) * 4;
    n = laneIndex() % 16 + square / 2 * 16;
  }

  /// Numbers of weights that are turned wait in registers while the tile before
  /// is multiplied.
  template <class Weight>
  SINTER_DEVICE void readTurned(Pack<float, 4> (&packs)[Layout::threadTurned],
                                i64 from) const {
#pragma unroll
    for (int i = 0; i < Layout::threadTurned; ++i) {
      int k, n;
      placeTurned(i, k, n);
      Point p = block.origin;
      p[Spec::rank - 2] = block.column + n;
      p[Spec::rank - 1] = from + k;
      packs[i] = {};
      if (from + k < block.depth && block.column + n < block.columns)
        packs[i] = loadGlobal(reinterpret_cast<const Pack<float, 4> *>(
            Weight::at(block.args, p)));
    }
  }
  template <int Number>
  SINTER_DEVICE void storeTurned(i64 stage, const Turned &turned) const {
    if constexpr (Segment::depth_is_fastest && Number < pairs) {
      if (isTurned<Spec, Segment, Number>(block))
#pragma unroll
        for (int i = 0; i < Layout::threadTurned; ++i) {
          int k, n;
          placeTurned(i, k, n);
#pragma unroll
          for (int s = 0; s < 4; ++s)
            storeShared(weight(stage, Number) + (k + s) * Layout::weightStride +
                            n,
                        turned.packs[Number][i].lane[s]);
        }
      storeTurned<Number + 1>(stage, turned);
    }
  }

  template <int Bytes, class Weight>
  SINTER_DEVICE void copyWeight(float *to, i64 k, i64 n) const {
    n += block.column;
    const bool isValid = k < block.depth && n < block.columns;
    Point p = block.origin;
    p[Spec::rank - 2] = isValid ? n : 0;
    p[Spec::rank - 1] = isValid ? k : 0;
    copyAsync<Bytes>(to, Weight::at(block.args, p), isValid);
  }

  template <int Number>
  SINTER_DEVICE void copyWeights(i64 stage, i64 from, Turned &turned) {
    if constexpr (Number < pairs) {
      using Weight = TypeAt<Number, typename Segment::Weights>;
      if (Weight::lanes >= 4 && Weight::aligned(block.args))
        copyPanels<Weight>(weight(stage, Number), from);
      else if (!isTurned<Spec, Segment, Number>(block))
        copyElements<Weight>(weight(stage, Number), from);
      if constexpr (Segment::depth_is_fastest)
        if (isTurned<Spec, Segment, Number>(block))
          readTurned<TypeAt<Number, typename Segment::TurnedWeights>>(
              turned.packs[Number], from);
      copyWeights<Number + 1>(stage, from, turned);
    }
  }

  SINTER_DEVICE void copyTile(i64 tile, Turned &turned) {
    const i64 stage = tile % 2, from = tile * tileDepth;
    if (inputIsWide)
      copyInput<4>(input(stage), from);
    else
      copyInput<1>(input(stage), from);
    copyWeights<0>(stage, from, turned);
    copyAsyncCommit();
  }

  using Sums = float[threadRows][pairs][threadGroups][4];

  SINTER_DEVICE void multiply(i64 stage, Sums &sums) const {
    using Four = Pack<float, 4>;
    const float *rows = input(stage) + threadRow * Layout::inputStride;
#pragma unroll 2
    for (int k = 0; k < tileDepth; k += 4) {
      Four factors[threadRows];
#pragma unroll
      for (int i = 0; i < threadRows; ++i)
        factors[i] = loadShared(reinterpret_cast<const Four *>(
            rows + i * tileSide * Layout::inputStride + k));
#pragma unroll
      for (int s = 0; s < 4; ++s)
#pragma unroll
        for (int g = 0; g < pairs; ++g)
#pragma unroll
          for (int j = 0; j < threadGroups; ++j) {
            const Four column = loadShared(reinterpret_cast<const Four *>(
                weight(stage, g) + (k + s) * Layout::weightStride +
                4 * (j * tileSide + threadColumn)));
#pragma unroll
            for (int i = 0; i < threadRows; ++i)
#pragma unroll
              for (int c = 0; c < 4; ++c)
                sums[i][g][j][c] += factors[i].lane[s] * column.lane[c];
          }
    }
  }

  /// Where the sums of a slab lie: [pairs][tileSide][columns].
  SINTER_DEVICE float *slab(int pair, int row, int column) const {
    return block.shared + (pair * tileSide + row) * Layout::columns + column;
  }

  template <int N>
  SINTER_DEVICE void finish(Point p, int row, int column) const {
    p[Spec::rank - 2] = block.column + column;
    Lanes<float, N> values[pairs];
#pragma unroll
    for (int g = 0; g < pairs; ++g) {
      const Pack<float, N> pack = loadShared(
          reinterpret_cast<const Pack<float, N> *>(slab(g, row, column)));
#pragma unroll
      for (int c = 0; c < N; ++c)
        values[g][c] = pack.lane[c];
    }
    Segment::template finish<N>(block.args, block.status, p, values);
  }

  /// The epilogue of the rows 16 i to 16 i + 15 of the tile.
  SINTER_DEVICE void finishSlab(int i) const {
    constexpr int perRow = Layout::columns / 4;
#pragma unroll 1
    for (int number = threadIndex(); number < tileSide * perRow;
         number += threads) {
      const int r = number / perRow, column = number % perRow * 4;
      const i64 row = block.row + i * tileSide + r,
                left = block.columns - block.column - column;
      if (row >= block.rows || left <= 0)
        continue;
      Point p = block.point(row);
      if (!block.isStored(p))
        continue;
      Segment::symbols(block.args, p);
      const bool isFour = Segment::has_fours || left >= 4;
      if (isFour && Segment::aligned(block.args)) {
        finish<4>(p, r, column);
        continue;
      }
#pragma unroll 1
      for (int c = 0; c < 4 && c < left; ++c)
        finish<1>(p, r, column + c);
    }
  }

  /// Hands the sums to the epilogue through shared memory, so that its code
  /// stands here once and its accesses are those of neighbours.
  SINTER_DEVICE void finishAll(const Sums &sums) const {
#pragma unroll 1
    for (int i = 0; i < threadRows; ++i) {
      blockBarrier();
#pragma unroll
      for (int mine = 0; mine < threadRows; ++mine) {
        if (mine != i)
          continue;
#pragma unroll
        for (int g = 0; g < pairs; ++g)
#pragma unroll
          for (int j = 0; j < threadGroups; ++j) {
            Pack<float, 4> pack;
#pragma unroll
            for (int c = 0; c < 4; ++c)
              pack.lane[c] = sums[mine][g][j][c];
            storeShared(reinterpret_cast<Pack<float, 4> *>(slab(
                            g, threadRow, 4 * (j * tileSide + threadColumn))),
                        pack);
          }
      }
      blockBarrier();
      finishSlab(i);
    }
  }

  SINTER_DEVICE void run() {
    findRows();
    blockBarrier();
    if (Spec::limited_dim >= 0 && !hasRows())
      return;
    Sums sums = {};
    const i64 tiles = ceilDivide(block.depth, tileDepth);
    Turned turned;
    if (tiles > 0) {
      copyTile(0, turned);
      storeTurned<0>(0, turned);
    }
    for (i64 tile = 0; tile < tiles; ++tile) {
      copyAsyncWait<0>();
      // Also: nobody reads the other stage any more.
      blockBarrier();
      if (tile + 1 < tiles)
        copyTile(tile + 1, turned);
      multiply(tile % 2, sums);
      if (tile + 1 < tiles)
        storeTurned<0>((tile + 1) % 2, turned);
    }
    finishAll(sums);
  }
};

} // namespace sinter
