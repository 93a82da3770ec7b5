//===- AttentionBlock.h - A block of query rows -----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONBLOCK_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONBLOCK_H

#include "AttentionTiles.h"
#include "sinter/Analysis/MaskTiles.h"
#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

namespace sinter::cpu {

/// Iteration dimensions of the op.
enum AttentionDim : unsigned { DimB, DimH, DimQ, DimK, DimD, DimE };

/// Operands of an attention in the function that is being written.
struct AttentionOperands {
  TensorView query, key, value, out;
  std::optional<TensorView> offset, length, rows;
  llvm::SmallVector<TensorView> scoreCaptures, maskCaptures;
  /// b, h, q, k, d, e.
  llvm::SmallVector<mlir::Value> extents;

  static AttentionOperands get(KernelBuilder &k, KernelLowering &lowering,
                               fused::AttentionOp op, mlir::Value args);
};

/// How the rows of an attention are cut into tasks and groups. Rows of a block
/// are numbered with the heads running fastest: row i has head
/// first + i mod heads and query i floordiv heads.
struct AttentionSchedule {
  AttentionShape shape;
  /// Query heads of a block; they share keys and values.
  int64_t heads;

  int64_t queriesPerBlock() const { return shape.blockRows / heads; }
  mlir::Value tasks(KernelBuilder &k, mlir::ValueRange extents) const;
};

/// Emits one task of an attention.
class AttentionBlock {
public:
  AttentionBlock(KernelBuilder &k, fused::AttentionOp op,
                 const AttentionOperands &at, const AttentionSchedule &schedule,
                 mlir::Value scratch)
      : k(k), op(op), at(at), schedule(schedule), shape(schedule.shape),
        tiles(k, schedule.shape, scratch) {}

  /// Fails, with a located error, on a region that has no translation.
  mlir::LogicalResult emit(mlir::Value task);

private:
  /// A query row: its head, its number, and its place among the keys.
  struct Row {
    mlir::Value head, query;
  };

  Row rowAt(mlir::Value row);
  llvm::SmallVector<LaneIndex> point(const Row &row);
  void load(mlir::Value task);
  AttentionHead headOperands();
  void copyQueries();
  void storeRows();
  KeyRange keyRange(mlir::Value firstRow, mlir::Value endRow);
  TileState tileState(mlir::Value firstRow, mlir::Value endRow,
                      mlir::Value firstKey, mlir::Value endKey);
  MaskBox maskBox(mlir::Value firstRow, mlir::Value endRow,
                  mlir::Value firstKey, mlir::Value endKey);
  llvm::SmallVector<mlir::Value> maskCaptures();
  void keyBlocks(const AttentionHead &head);
  void group(const AttentionHead &head, mlir::Value row, mlir::Value firstKey);
  void visibleColumns(const AttentionHead &head, mlir::Value row,
                      mlir::Value firstKey, const KeyRange &range,
                      mlir::Value first, mlir::Value last);
  void edgeTiles(const AttentionHead &head, mlir::Value row,
                 mlir::Value firstKey, mlir::Value first, mlir::Value last,
                 AttentionTiles::ScoreFn score);
  AttentionTiles::Score score(const Row &row, mlir::Value key,
                              mlir::Value products, bool edge);
  mlir::Value region(mlir::Region &region, mlir::Value products, const Row &row,
                     mlir::Value key, mlir::ArrayAttr maps,
                     llvm::ArrayRef<TensorView> captures, bool edge);

  KernelBuilder &k;
  fused::AttentionOp op;
  const AttentionOperands &at;
  const AttentionSchedule &schedule;
  const AttentionShape &shape;
  AttentionTiles tiles;
  mlir::LogicalResult status = mlir::success();
  /// Of the block at hand: indices of its first row, query 0's place among the
  /// keys, number of rows, end of the keys.
  mlir::Value batch, firstHead, firstQuery, shift, count, limit;
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONBLOCK_H
