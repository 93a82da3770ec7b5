//===- ContractTile.h - Register tiles of a contract ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_CONTRACTTILE_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_CONTRACTTILE_H

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

#include <vector>

namespace sinter::cpu {

/// Which part of a segment a tile function computes: `rows` rows by `vectors`
/// native vectors of columns.
struct TileSpec {
  unsigned rows = 1;
  unsigned vectors = 1;
  /// Columns of the segment that the last vector has, 0: all lanes.
  unsigned lastLanes = 0;
  /// Where the columns begin, if that is fixed; else the function is told, and
  /// it is a multiple of all tile widths.
  std::optional<int64_t> column;
  /// The number of columns is known at run time only: the function is told the
  /// lanes of its one vector.
  bool dynamicLanes = false;
};

/// What the tiles of a segment have in common.
class ContractTile {
public:
  ContractTile(KernelLowering &lowering, fused::ContractOp op,
               fused::SegmentOp segment, unsigned number);

  /// Weight panels of 16 columns, as against activations.
  bool isPacked() const { return packed; }
  /// Activations of which k runs fastest and that many rows share: columns
  /// would be gathered number by number.
  bool wantsPanels();
  /// Tiles read panels in scratch, where `emitPack` puts up to `columns`
  /// columns of each weight, a multiple of 16.
  void setPanels(int64_t columns) { panelColumns = columns; }
  bool packs() const { return panelColumns != 0; }
  int64_t scratchBytes();
  /// Rows that differ in the last row dimension only have the same weights.
  bool sharesWeights();
  unsigned paired() { return segment.getWeights().size(); }

  /// Writes a function (ptr args, i64 row, i64 column, i64 lanes, ptr panels);
  /// rows are numbered through all row dimensions, panels are where column 0
  /// would be.
  mlir::FailureOr<mlir::LLVM::LLVMFuncOp> emit(const TileSpec &spec);
  /// Writes a function (ptr args, i64 row, i64 column, i64 end, ptr panels)
  /// that makes panels of the columns from a multiple of 16 on, as that row
  /// sees them. Columns past the last repeat it.
  mlir::LLVM::LLVMFuncOp emitPack();

private:
  struct Operands;
  struct Row;
  Operands operands(KernelBuilder &k, mlir::Value args);
  void fill(KernelBuilder &k, const TileSpec &spec, mlir::ValueRange arguments);
  std::vector<Row> rowsFrom(KernelBuilder &k, const Operands &at,
                            mlir::Value first, unsigned count);
  llvm::SmallVector<mlir::Value>
  products(KernelBuilder &k, const TileSpec &spec, const Operands &at,
           llvm::ArrayRef<Row> rows, mlir::Value column, mlir::Value active);
  mlir::Value rowPointer(KernelBuilder &k, const Operands &at, const Row &row);
  llvm::SmallVector<mlir::Value> panelPointers(KernelBuilder &k,
                                               const TileSpec &spec,
                                               const Operands &at,
                                               mlir::Value column);
  mlir::Value columnInPlace(KernelBuilder &k, const TileSpec &spec,
                            const Operands &at, const Row &row, unsigned index,
                            mlir::Value column, mlir::Value depth,
                            mlir::Value active);
  void packPanel(KernelBuilder &k, const Operands &at, const Row &row,
                 unsigned weight, mlir::Value column);
  void epilogue(KernelBuilder &k, const TileSpec &spec, const Operands &at,
                llvm::MutableArrayRef<Row> rows, mlir::ValueRange sums,
                mlir::Value column, mlir::Value active);
  void readRow(KernelBuilder &k, const Operands &at, Row &row);
  llvm::SmallVector<std::optional<RegionArgument>>
  sharedCaptures(KernelBuilder &k, const Operands &at, const Row &row,
                 const LaneIndex &columns, mlir::Value active);
  void point(KernelBuilder &k, const Operands &at, Row &row,
             const LaneIndex &column, mlir::ValueRange sums,
             llvm::ArrayRef<std::optional<RegionArgument>> shared,
             mlir::Value active);
  llvm::SmallVector<LaneIndex> dimsOf(KernelBuilder &k, const Row &row,
                                      const LaneIndex &column,
                                      mlir::Value depth);
  LaneIndex columnsAt(KernelBuilder &k, mlir::Value column, unsigned vector,
                      unsigned columns);
  bool usesRows(mlir::AffineMap map) const;

  KernelLowering &lowering;
  fused::ContractOp op;
  fused::SegmentOp segment;
  unsigned number;
  unsigned rowDims;
  bool packed;
  bool contiguous;
  int64_t panelColumns = 0;
  mlir::LogicalResult status = mlir::success();
};

/// The operands of a segment.
struct ContractTile::Operands {
  TensorView input;
  llvm::SmallVector<TensorView> weights, captures, symbols, stores;
  std::optional<TensorView> limit;
  mlir::Value notice;
  /// Panels made of activations: panel n / 16 is at n * depth, if `packs()`.
  mlir::Value panels;
  llvm::SmallVector<mlir::Value> extents;
};

/// One row of the tile: its place in the row dimensions and what all of its
/// columns share.
struct ContractTile::Row {
  llvm::SmallVector<mlir::Value> indices;
  llvm::SmallVector<LaneIndex> symbols;
  llvm::SmallVector<std::optional<RegionArgument>> captures;
  /// i1; null: the row is stored.
  mlir::Value stored;
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_CONTRACTTILE_H
