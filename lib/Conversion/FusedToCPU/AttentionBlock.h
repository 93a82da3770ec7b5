//===- AttentionBlock.h - A block of query rows -----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONBLOCK_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_ATTENTIONBLOCK_H

#include "AttentionTiles.h"
#include "sinter/Analysis/AttentionAccess.h"
#include "sinter/Analysis/MaskTiles.h"
#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

namespace sinter::cpu {

/// Operands of an attention in the function that is being written.
struct AttentionOperands {
  /// A result beside the mixture.
  struct Extra {
    TensorView view;
    mlir::AffineMap map;
  };

  TensorView query, key, value, out;
  std::optional<TensorView> offset, length, rows;
  llvm::SmallVector<TensorView> combineCaptures, scoreCaptures, maskCaptures,
      sinkCaptures;
  std::optional<Extra> logSumExp, scores, weights;
  /// b, h, q, k, d, e.
  llvm::SmallVector<mlir::Value> extents;

  static AttentionOperands get(KernelBuilder &k, KernelLowering &lowering,
                               fused::AttentionOp op, mlir::Value args);
  /// Where scores are kept until all of a row's keys are seen: weights are made
  /// in place.
  const std::optional<Extra> &keptScores() const {
    return scores ? scores : weights;
  }
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
                 mlir::LLVM::LLVMFuncOp mixture, mlir::Value scratch)
      : k(k), op(op), at(at), schedule(schedule), shape(schedule.shape),
        tiles(k, schedule.shape, mixture, scratch) {}

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
  void startRows();
  void finishRows();
  void keyBlocks(const AttentionHead &head);
  void group(const AttentionHead &head, mlir::Value row, mlir::Value firstKey);
  void visibleColumns(const AttentionHead &head, mlir::Value row,
                      mlir::Value firstKey, const KeyRange &range,
                      mlir::Value first, mlir::Value last);
  using TileFn =
      llvm::function_ref<void(mlir::Value column, unsigned vectors, bool edge)>;
  void edgeTiles(mlir::Value first, mlir::Value last, TileFn tile);

  // What the mask analysis says (AttentionMask.cpp).
  bool isKeyRangeExact() { return examineMask(op.getMask()).isKeyRangeExact; }
  KeyRange keyRange(mlir::Value firstRow, mlir::Value endRow);
  TileState tileState(mlir::Value firstRow, mlir::Value endRow,
                      mlir::Value firstKey, mlir::Value endKey);
  MaskBox maskBox(mlir::Value firstRow, mlir::Value endRow,
                  mlir::Value firstKey, mlir::Value endKey);
  llvm::SmallVector<mlir::Value> maskCaptures();
  mlir::Value readMaskTable(fused::ReadOp read, mlir::ValueRange indices);

  // The regions (AttentionScores.cpp). At an edge keys may be masked or lie at
  // or past the end.
  llvm::SmallVector<RegionArgument> queryArguments(const Row &row);
  mlir::Value region(mlir::Region &region,
                     llvm::SmallVector<RegionArgument> arguments,
                     mlir::ArrayAttr maps, llvm::ArrayRef<TensorView> captures,
                     llvm::ArrayRef<LaneIndex> dims, unsigned lanes,
                     mlir::Value active);
  mlir::Value sink(const Row &row);
  llvm::SmallVector<mlir::Value> combinePanels(mlir::Value keys,
                                               mlir::Value query,
                                               const Row &row, mlir::Value key,
                                               unsigned vectors, bool edge);
  mlir::Value combineRow(mlir::Value query, llvm::SmallVector<LaneIndex> dims);
  llvm::SmallVector<mlir::Value> combine(const AttentionHead &head,
                                         mlir::Value i, mlir::Value number,
                                         mlir::Value key, mlir::Value column,
                                         unsigned vectors, bool edge);
  AttentionTiles::Score score(const Row &row, mlir::Value key,
                              mlir::Value products, bool edge);
  void putScores(mlir::Value i, const Row &row, mlir::Value key,
                 mlir::Value column, llvm::ArrayRef<mlir::Value> products,
                 bool edge);
  void scoreTile(const AttentionHead &head, mlir::Value row,
                 llvm::ArrayRef<Row> rows, mlir::Value firstKey,
                 mlir::Value column, unsigned vectors, bool edge);
  /// A vector of keys from `key` on, of which `active` (null: all) are there; a
  /// vector that starts past the end reads the first keys.
  struct KeyLanes {
    LaneIndex index;
    mlir::Value active;
  };
  KeyLanes keyLanes(mlir::Value key, bool edge);

  // Results beside the mixture (AttentionExtras.cpp).
  void forKeys(
      llvm::function_ref<void(const LaneIndex &keys, mlir::Value active)> body);
  void startScores(const Row &row);
  void keepScores(const Row &row, mlir::Value key,
                  const AttentionTiles::Score &made, bool edge);
  void finishExtras(mlir::Value number, const Row &row);

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
