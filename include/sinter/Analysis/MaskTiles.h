//===- MaskTiles.h - Which tiles of a mask are empty or full ----*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Abstract interpretation of an attention mask region over boxes of queries and
// keys. Integers become affine functions of q and k plus an interval, truths
// become (may, must). Nothing is decided at compile time that depends on
// run-time values: the analysis *emits* scalar code for given bounds, which
// folds where the bounds are constants.
//
// A mask region is the one of `fused.attention`: arguments (b, h, q, k : index,
// captures ...), one i1 yielded.
//
// Emitted code is scalar `arith` on index and i1 (with floordivsi and ceildivsi
// only where a key is scaled by a constant), and clones of the region's own
// operations where their operands do not depend on q or k. What a table holds
// is read where the indices are constant over a tile (block tables).
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_ANALYSIS_MASKTILES_H
#define SINTER_ANALYSIS_MASKTILES_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace sinter::fused {
class ReadOp;
} // namespace sinter::fused

namespace sinter {

/// Queries and keys of one tile, of type index, in the region's absolute
/// coordinates; ends are exclusive, no range empty. `batch` and `head` may be
/// null: any.
struct MaskBox {
  mlir::Value batch, head;
  mlir::Value queryBegin, queryEnd;
  mlir::Value keyBegin, keyEnd;
};

/// Two i1 values. `may` false: no key of the tile is visible to any of its
/// queries, skip it. `must` true: all are visible to all, the mask need not be
/// evaluated.
struct TileState {
  mlir::Value may, must;
};

/// Emits what a read of the region gives at `indices` (scalars, one for each
/// dimension of the table), clamped; null: not known.
using MaskRead = llvm::function_ref<mlir::Value(fused::ReadOp read,
                                                mlir::ValueRange indices)>;

/// Emits the state of the tile `box` at the builder's insertion point.
/// `captures` has one value per capture of the region: the scalar, where it is
/// the same all over the box; null, where it varies with q or k or is a table.
/// Tables are read by `read` (null: not at all), where the indices turn out to
/// be constant over the box.
TileState emitTileState(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Region &mask, const MaskBox &box,
                        llvm::ArrayRef<mlir::Value> captures,
                        MaskRead read = nullptr);

/// Key bounds for the rows of a query tile, all index, all within [keyBegin,
/// keyEnd] of the box: keys outside [begin, end) are visible to no row; keys in
/// [fullBegin, fullEnd) to all rows, and begin <= fullBegin <= fullEnd <= end
/// where the full range is not empty.
struct KeyRange {
  mlir::Value begin, end, fullBegin, fullEnd;
};

/// Emits the key bounds for the queries of `box` over its keys (normally 0 and
/// the length). Comparisons that are affine in q and k (causal, windows,
/// prefixes, lengths) give exact bounds; anything else gives the box for
/// [begin, end) and nothing for the full range. Captures as in `emitTileState`.
KeyRange emitKeyRange(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Region &mask, const MaskBox &box,
                      llvm::ArrayRef<mlir::Value> captures,
                      MaskRead read = nullptr);

/// What can be told about a mask without emitting anything.
struct MaskShape {
  /// The region yields constant true: no mask at all.
  bool alwaysTrue = false;
  /// Only conjunctions of comparisons affine in q and k: the key range says all
  /// that a tile state would.
  bool isKeyRangeExact = false;
  /// Common multiple of the constants by which keys are divided: with key tiles
  /// of this size (or a divisor) blocks of the rule do not straddle tiles. At
  /// most 4096.
  std::optional<int64_t> keyBlock;
  /// The same for queries.
  std::optional<int64_t> queryBlock;
};

/// Examines the region's operations. An empty region is a mask that is always
/// true.
MaskShape examineMask(mlir::Region &mask);

} // namespace sinter

#endif // SINTER_ANALYSIS_MASKTILES_H
