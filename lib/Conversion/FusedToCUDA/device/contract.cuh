//===- contract.cuh - fused.contract on a GPU -------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block makes a tile of rows times columns of one segment. Many rows: tiles
// of the input and the weights pass through two buffers of shared memory, the
// next one on its way while a thread multiplies its rows and columns of this
// one in registers. Few rows: see products.cuh. Weights are shared by the rows
// of a group; the row dimensions that a weight depends on number the groups.
// Each sum runs over ascending k (few rows: in parts), so its bits follow from
// the shape.
//
// Of a Spec, beside what SpecPrinter.h says of all:
//   batch_dims      bit d: row dimension d numbers groups
//   few_rows        rows up to which a group is few; 0: none is
//   single_row      whether one row of a group has code of its own
//   tile_rows       rows of a tile, a multiple of 16; 0: all groups are few
//   has_whole_depth     whether k ends at a multiple of 4
//   input_is_contiguous   the input's element (row, k) lies k behind (row, 0)
//   Input           access of the input along k
//   Segments        TypeList of segments, each with
//     pairs         paired weights
//     tile_columns  columns of a tile, a multiple of 64
//     depth_is_fastest   neighbours along k are neighbours in the weights
//     has_fours     whether columns end at a multiple of 4
//     columns(extents)
//     Weights       TypeList of accesses along n
//     TurnedWeights the same along k, where depth_is_fastest
//     symbols(args, p)
//     aligned(args) whether finish<4> may be called
//     finish<N>(args, status, p, const Lanes<float, N> (&sums)[pairs])
//
//===----------------------------------------------------------------------===//

namespace sinter {

template <class Spec, class Segment>
SINTER_DEVICE void contractSegment(const ContractBlock<Spec> &block,
                                   bool isFew) {
  if constexpr (Spec::few_rows > 0)
    if (isFew) {
      if constexpr (Spec::single_row)
        if (block.rows == 1)
          return contractFew<Spec, Segment, 1>(block);
      return contractFew<Spec, Segment, Spec::few_rows>(block);
    }
  if constexpr (Spec::tile_rows > 0)
    ContractTile<Spec, Segment>(block).run();
}

/// The block's number among those of the segments from `Number` on.
template <class Spec, int Number>
SINTER_DEVICE void contractColumns(ContractBlock<Spec> &block, i64 number,
                                   bool isFew) {
  if constexpr (Number < Spec::Segments::size) {
    using Segment = TypeAt<Number, typename Spec::Segments>;
    const i64 width = isFew ? panelColumns : Segment::tile_columns;
    block.columns = Segment::columns(block.extents);
    const i64 blocks = ceilDivide(block.columns, width);
    if (number >= blocks)
      return contractColumns<Spec, Number + 1>(block, number - blocks, isFew);
    block.column = number * width;
    contractSegment<Spec, Segment>(block, isFew);
  }
}

template <class Spec, int Number = 0>
SINTER_DEVICE i64 countColumnBlocks(const typename Spec::Point &extents,
                                    bool isFew) {
  if constexpr (Number < Spec::Segments::size) {
    using Segment = TypeAt<Number, typename Spec::Segments>;
    return ceilDivide(Segment::columns(extents),
                      isFew ? panelColumns : Segment::tile_columns) +
           countColumnBlocks<Spec, Number + 1>(extents, isFew);
  }
  return 0;
}

/// Blocks are numbered group by group, in each by columns, rows fastest: blocks
/// of one time read the same weights.
template <class Spec>
SINTER_DEVICE void contract(const typename Spec::Arguments &args, i64,
                            Status *status, u8 *) {
  if (isAborted(status))
    return;
  SINTER_SHARED(memory);
  static_assert(Spec::shared_bytes >= contractBytes<Spec>(), "no room");
  ContractBlock<Spec> block{args, status, reinterpret_cast<float *>(memory),
                            Spec::extents(args)};
  block.rows = countRows<Spec, false>(block.extents);
  block.depth = block.extents[Spec::rank - 1];
  const bool isFew = Spec::tile_rows == 0 ||
                     (Spec::few_rows > 0 && block.rows <= Spec::few_rows);
  constexpr i64 tileRows = Spec::tile_rows > 0 ? Spec::tile_rows : 1;
  const i64 rowBlocks = isFew ? 1 : ceilDivide(block.rows, tileRows);
  const i64 columnBlocks = countColumnBlocks<Spec>(block.extents, isFew);
  const i64 inRows = divide(blockIndex(), rowBlocks);
  const i64 group = divide(inRows, columnBlocks);
  block.row = (blockIndex() - inRows * rowBlocks) * tileRows;
  block.origin = {};
  splitRows<Spec, true>(group, block.extents, block.origin);
  contractColumns<Spec, 0>(block, inRows - group * columnBlocks, isFew);
}

} // namespace sinter
