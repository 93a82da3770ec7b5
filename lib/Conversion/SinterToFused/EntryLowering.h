//===- EntryLowering.h - Lowering of one entry ------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_ENTRYLOWERING_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_ENTRYLOWERING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "sinter/Dialect/Fused/IR/FusedBuilders.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace sinter {

/// A matrix [k, n] in a stored weight: rows from `first` on of [n, k], columns
/// of [k, n] if `isInOut`.
struct StoredMatrix {
  mlir::Value weight;
  bool isInOut = false;
  int64_t first = 0;

  bool operator==(const StoredMatrix &other) const {
    return weight == other.weight && isInOut == other.isInOut &&
           first == other.first;
  }
};

/// The body of a map that passes its first input on.
mlir::SmallVector<mlir::Value> passThrough(mlir::OpBuilder &, mlir::Location,
                                           mlir::ValueRange args);

/// What the lowerings of one entry share: where to build, extents by name, and
/// values made once for all layers. Operations are lowered in order, each
/// replaced at once, so operands are always in terms of the fused dialect.
class EntryLowering {
public:
  explicit EntryLowering(mlir::func::FuncOp entry);

  /// Lowers all operations of the entry; errors are located at the operation
  /// that stopped it.
  mlir::LogicalResult run();
  /// Lowers the operations of `source`, without its terminator, in order at the
  /// end of `target`.
  mlir::LogicalResult lowerInto(mlir::Block &source, mlir::Block &target);
  /// Calls `build`, which writes the body of a loop: values that it makes for
  /// reuse are forgotten after.
  mlir::LogicalResult inLoop(llvm::function_ref<mlir::LogicalResult()> build);

  mlir::OpBuilder builder;
  mlir::func::FuncOp entry;

  // Extents. All are values of type index in terms of `fused.dim`,
  // `fused.capacity` and constants.

  /// Extent of dimension `dim` of a lowered tensor.
  mlir::Value extent(mlir::Value tensor, int64_t dim);
  mlir::SmallVector<mlir::Value> extents(mlir::Value tensor);
  /// Extents of a result that is not lowered yet.
  mlir::SmallVector<mlir::Value> resultExtents(mlir::OpResult result);
  /// All extents of a type whose dynamic ones are given.
  mlir::SmallVector<mlir::Value> extents(mlir::RankedTensorType type,
                                         mlir::ValueRange dynamic);
  /// [1] with an extent, as a symbol of maps.
  mlir::Value inMemory(mlir::Location loc, mlir::Value extent);
  mlir::Value constantIndex(int64_t value);
  /// An extent as it is known: by name, as a constant, else the value itself.
  mlir::Value resolve(mlir::OpFoldResult extent);
  /// Whether two extents are known to be equal: the same value, or equal
  /// constants.
  static bool isSameExtent(mlir::Value a, mlir::Value b);

  // Values.

  /// A fresh tensor of `type` with `extents` (one per dimension).
  mlir::Value empty(mlir::RankedTensorType type,
                    mlir::ArrayRef<mlir::Value> extents);
  /// A fresh tensor for `result`.
  mlir::Value destination(mlir::OpResult result);
  /// The matrix [k, n] in panels, of a weight stored as [n, k], or as [k, n] if
  /// `isInOut`; columns `first` to `first + n`. Made once.
  mlir::Value panels(mlir::Value weight, bool isInOut, int64_t first = 0,
                     int64_t count = -1);
  /// The stack [g, k, units] of these matrices, each of `units` columns, with
  /// the columns of all for 16 units as neighbours. Made once.
  mlir::Value stack(mlir::ArrayRef<StoredMatrix> matrices, int64_t units);
  /// The cursor at entry start, or after what the entry appends.
  mlir::Value cursor(mlir::StringRef name, bool after);
  /// A tensor filled with `value`.
  mlir::Value filled(mlir::RankedTensorType type,
                     mlir::ArrayRef<mlir::Value> extents, mlir::TypedAttr value,
                     mlir::Location loc);
  /// The type of `extent` i64, constant where the extent is.
  mlir::RankedTensorType vectorType(mlir::Value extent);
  /// [n] with the numbers 0 to `extent` - 1, i64.
  mlir::Value numbered(mlir::Location loc, mlir::Value extent);
  /// A view of `tensor` with its dimensions from `first` to `first + sizes` cut
  /// in two or more (one of them dynamic at most).
  mlir::Value expand(mlir::Location loc, mlir::Value tensor, int64_t dim,
                     mlir::ArrayRef<int64_t> sizes);
  /// A view of `tensor` with dimensions `first` and the next joined.
  mlir::Value collapse(mlir::Location loc, mlir::Value tensor, int64_t first);

  /// States that the entry moves a cursor, by `lengths` or else by `extent`,
  /// from 0 if `restart`.
  void advance(mlir::StringRef cursorName, mlir::Value lengths,
               mlir::Value extent, bool restart = false);

  /// An error at `op`: "<what> is not lowered to a kernel yet: <why>", with
  /// `note`.
  mlir::LogicalResult notLowered(mlir::Operation *op, const llvm::Twine &why,
                                 const llvm::Twine &note);

  /// Tables of cosines and sines, one pair per positions and frequencies.
  struct Angles {
    mlir::Value positions, lengths;
    double theta;
    int64_t columns;
    RopeScalingAttr scaling;
    mlir::Value cosines, sines;
  };
  llvm::SmallVector<Angles> angles;

private:
  struct Movement {
    mlir::Value lengths, extent;
    bool restart = false;
  };
  struct Panels {
    mlir::Value weight;
    bool isInOut;
    int64_t first, count;
    mlir::Value result;
  };

  struct Stack {
    mlir::SmallVector<StoredMatrix> matrices;
    int64_t units;
    mlir::Value result;
  };

  mlir::LogicalResult lower(mlir::Operation &op);
  mlir::Value fillStack(mlir::Value destination,
                        mlir::ArrayRef<StoredMatrix> run, int64_t number);
  mlir::Value namedExtent(mlir::BlockArgument argument, int64_t dim);
  mlir::Value storedExtent(fused::StateOp state, int64_t dim);
  /// The extent of the entry that has this name, one value for all.
  mlir::Value dimension(mlir::StringAttr name);
  void emitMovements();

  llvm::StringMap<mlir::Value> namedExtents, capacities;
  llvm::MapVector<int64_t, mlir::Value> constants;
  llvm::StringMap<mlir::Value> cursorsAtStart, cursorsAfter;
  llvm::MapVector<mlir::StringAttr, Movement> movements;
  llvm::SmallVector<Panels> allPanels;
  llvm::SmallVector<Stack> allStacks;
};

/// Tensors of more dimensions are refused.
inline constexpr int64_t maxRank = 12;

/// Names for the dimensions of an element-wise space of this rank, at most
/// `maxRank`.
fused::Space spaceOfRank(int64_t rank);

/// (d0, ..., dn-1) -> (d0, ..., dn-1).
mlir::AffineMap identityMap(mlir::MLIRContext *context, int64_t rank);

/// The map from `rank` dimensions to those given.
mlir::AffineMap selectMap(mlir::MLIRContext *context, int64_t rank,
                          mlir::ArrayRef<unsigned> dims);

//===----------------------------------------------------------------------===//
// One function per skeleton and kind of op. Each builds at `lowering.builder`
// and replaces the op's results; the caller erases the op.
//===----------------------------------------------------------------------===//

using Lowered = llvm::FailureOr<llvm::SmallVector<mlir::Value>>;

/// An op that works element by element, of any dialect (or an activation).
bool isElementwise(mlir::Operation *op);
/// The scalar code of such an op on scalars.
mlir::Value emitScalar(mlir::OpBuilder &builder, mlir::Operation *op,
                       mlir::ValueRange operands);

Lowered lowerElementwise(EntryLowering &lowering, mlir::Operation *op);
Lowered lowerEmbedding(EntryLowering &lowering, EmbeddingOp op);
Lowered lowerPositions(EntryLowering &lowering, PositionsOp op);
Lowered lowerRope(EntryLowering &lowering, RopeOp op);
Lowered lowerSinusoidal(EntryLowering &lowering, SinusoidalPositionsOp op);
Lowered lowerSplit(EntryLowering &lowering, SplitOp op);
Lowered lowerSplitHeads(EntryLowering &lowering, SplitHeadsOp op);
Lowered lowerMergeHeads(EntryLowering &lowering, MergeHeadsOp op);
Lowered lowerLast(EntryLowering &lowering, LastOp op);
Lowered lowerTake(EntryLowering &lowering, TakeOp op);
Lowered lowerBroadcast(EntryLowering &lowering, BroadcastOp op);
Lowered lowerTranspose(EntryLowering &lowering, TransposeOp op);
Lowered lowerConcat(EntryLowering &lowering, mlir::tensor::ConcatOp op);
Lowered lowerSplat(EntryLowering &lowering, mlir::tensor::SplatOp op);
Lowered lowerSlice(EntryLowering &lowering, mlir::tensor::ExtractSliceOp op);
Lowered lowerLinear(EntryLowering &lowering, LinearOp op);
Lowered lowerMatmul(EntryLowering &lowering, MatmulOp op);
Lowered lowerSoftmax(EntryLowering &lowering, mlir::Operation *op);
Lowered lowerLayerNorm(EntryLowering &lowering, LayerNormOp op);
Lowered lowerRmsNorm(EntryLowering &lowering, RmsNormOp op);
Lowered lowerAttention(EntryLowering &lowering, AttentionOp op);
Lowered lowerFill(EntryLowering &lowering, FillOp op);
Lowered lowerRead(EntryLowering &lowering, ReadOp op);
Lowered lowerWrite(EntryLowering &lowering, WriteOp op);
Lowered lowerWeight(EntryLowering &lowering, WeightOp op);
Lowered lowerRestart(EntryLowering &lowering, RestartOp op);
Lowered lowerScan(EntryLowering &lowering, ScanOp scan);
/// A scan whose step is no recurrence over units: a loop of kernels.
Lowered lowerScanLoop(EntryLowering &lowering, ScanOp op);

/// Turns every `sinter.state` of the module into `fused.storage` symbols.
void lowerStates(mlir::ModuleOp module);

/// The two halves of a cache at entry start: keys [b, h, s, d] in blocks of 16
/// keys, values [b, h, s, e].
struct CacheTensors {
  mlir::FlatSymbolRefAttr keysSymbol, valuesSymbol;
  mlir::Value keys, values;
  llvm::StringRef cursor;
};
CacheTensors readCache(EntryLowering &lowering, mlir::Operation *op,
                       mlir::FlatSymbolRefAttr state);
/// Copies key and value [B, S, H, ...] into the cache behind the cursor
/// (`append`) or from 0, and commits; returns the cache after that.
CacheTensors writeCache(EntryLowering &lowering, mlir::Operation *op,
                        CacheTensors cache, mlir::Value key, mlir::Value value,
                        mlir::Value lengths, bool append);
/// Tensor type of keys in the layout that attention reads.
mlir::RankedTensorType keysType(mlir::MLIRContext *context,
                                mlir::ArrayRef<int64_t> shape,
                                mlir::Type elementType);

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_ENTRYLOWERING_H
