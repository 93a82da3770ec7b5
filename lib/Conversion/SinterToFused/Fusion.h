//===- Fusion.h - Fewer kernels -----------------------------------*- C++
//-*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_FUSION_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_FUSION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "sinter/Dialect/Fused/IR/FusedBuilders.h"

namespace sinter {

/// Moves `sinter.last` up through operations that treat each position alone.
mlir::LogicalResult pushLast(mlir::func::FuncOp entry);

/// Makes the pieces in which steps of scans use states, or of which they join
/// outputs, states and outputs of their own.
void splitScans(mlir::func::FuncOp entry);

/// Moves out of scans what does not depend on their states and need not be
/// computed step by step.
void hoistFromScans(mlir::func::FuncOp entry);

/// Fuses the kernels of a lowered entry and tells, by remarks, what was fused
/// and what was not.
mlir::LogicalResult fuseKernels(mlir::func::FuncOp entry);

/// map into map; map before or after a normalize; map after contracts; copies
/// into access maps; what recurrences store.
void addMapPatterns(mlir::RewritePatternSet &patterns);
void addNormalizePatterns(mlir::RewritePatternSet &patterns);
void addContractPatterns(mlir::RewritePatternSet &patterns);
void addCopyPatterns(mlir::RewritePatternSet &patterns);
void addRecurrencePatterns(mlir::RewritePatternSet &patterns);

//===----------------------------------------------------------------------===//
// What the patterns share
//===----------------------------------------------------------------------===//

/// Copies the operations of a one-block region behind the insertion point and
/// returns what it yields.
llvm::SmallVector<mlir::Value> inlineRegion(mlir::OpBuilder &builder,
                                            mlir::Region &region,
                                            mlir::ValueRange arguments);

/// The dimensions of an existing op.
fused::Space spaceOf(fused::SkeletonInterface op);

/// The description of an existing op; its regions are not part of it.
fused::MapSpec describe(fused::MapOp op);
fused::NormalizeSpec describe(fused::NormalizeOp op);

/// How results of a map are seen by who reads them. `toSpace` takes coordinates
/// of the result to the map's dimensions.
struct ReadableMap {
  fused::MapOp op;
  mlir::AffineMap toSpace;
};

/// `value` if it is the only result of a `fused.map` that stores it once, every
/// dimension being one coordinate, without row limits; and `value` is not
/// packed data or made of weights alone (the packer evaluates that).
std::optional<ReadableMap> readableMap(mlir::Value value);

/// Whether the map's body does nothing but pass on its only input, or a
/// constant.
bool isCopy(fused::MapOp op);
bool isConstantFill(fused::MapOp op);

/// Whether all that goes into `op` are weights and constants.
bool isOfWeights(mlir::Operation *op);

/// Fixes the extents of dimensions that `access` has plainly at a constant
/// extent where `replacement`, read in its stead, is larger.
void fixExtents(fused::Space &space, const fused::Access &access,
                const fused::Access &replacement);
/// All accesses with their maps.
llvm::SmallVector<fused::Access> accessesOf(const fused::MapSpec &spec);
/// Fixes the extents that the accesses `before` told and those `after` don't;
/// fails where they are dynamic.
llvm::LogicalResult keepExtents(fused::Space &space,
                                llvm::ArrayRef<fused::Access> before,
                                llvm::ArrayRef<fused::Access> after);
/// Whether `access`, whose map is a permutation, reads all of the operand: no
/// extent is fixed at less.
bool readsAll(const fused::Space &space, const fused::Access &access);
/// Fixes the extents that `other` fixes; `toOther` takes dimensions of `space`
/// to those of `other`.
void carryExtents(fused::Space &space, mlir::AffineMap toOther,
                  llvm::ArrayRef<int64_t> other);

/// The operation whose result `value` is a view of, or that makes it.
mlir::Value stripViews(mlir::Value value);

/// An index equal to `expr`, over the given dimensions' indices, as code.
mlir::Value emitIndex(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::AffineExpr expr, mlir::ValueRange dims);

/// Erases the op, which computed what is now computed elsewhere, unless
/// something still reads it. At once, so that it does not count as a reader of
/// its inputs.
void eraseIfDead(mlir::PatternRewriter &rewriter, mlir::Operation *op);

/// Tells what was fused; `what` is a sentence without a full stop.
void remarkFused(mlir::Operation *op, llvm::StringRef rule,
                 const llvm::Twine &what);
/// Tells what was not.
void remarkNotFused(mlir::Operation *op, llvm::StringRef rule,
                    const llvm::Twine &why);

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_FUSION_H
