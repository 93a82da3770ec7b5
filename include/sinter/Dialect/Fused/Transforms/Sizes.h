//===- Sizes.h - Sizes of tensors as numbers and as expressions -*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_TRANSFORMS_SIZES_H
#define SINTER_DIALECT_FUSED_TRANSFORMS_SIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinTypes.h"

namespace sinter::fused {

/// Bytes of one element in memory: i1 takes a byte.
int64_t elementSizeInBytes(mlir::Type elementType);

/// Bytes of a static tensor in its layout, padding included.
int64_t staticSizeInBytes(mlir::RankedTensorType type);

/// The named dimensions of an entry, and extents as expressions in them:
/// symbol i of every expression is the dimension `names()[i]`.
class EntryDims {
public:
  /// Collects the names: `sinter.dims` of the arguments by first appearance,
  /// the current extents of the storages in the entry's `fused.reads`, then
  /// those that `fused.dim` and `fused.capacity` add.
  explicit EntryDims(mlir::func::FuncOp entry);

  llvm::ArrayRef<mlir::StringAttr> names() const { return dims; }

  /// Names of arguments' dimensions that are not their rows.
  llvm::ArrayRef<mlir::StringAttr> parameterNames() const { return parameters; }

  /// Names of current extents of storages that the entry reads.
  llvm::ArrayRef<mlir::StringAttr> currentNames() const { return current; }

  /// The symbol of a named dimension.
  mlir::AffineExpr dim(mlir::StringAttr name);

  /// The symbol of a capacity that the session fixes. Where an argument's
  /// dimension has the same name, which stays a parameter, or a current extent
  /// has it, it is called "<name>.capacity".
  mlir::AffineExpr capacity(mlir::StringAttr name);

  /// `index` as an expression; a located error if it depends on data.
  mlir::FailureOr<mlir::AffineExpr> expression(mlir::Value index);

  /// Extents of an entry argument from its type and `sinter.dims`.
  mlir::FailureOr<llvm::SmallVector<mlir::AffineExpr>>
  argumentExtents(mlir::BlockArgument argument);

  /// Bytes of a tensor of `type` with these logical extents, in its layout.
  mlir::AffineExpr sizeInBytes(mlir::RankedTensorType type,
                               llvm::ArrayRef<mlir::AffineExpr> extents);

  /// Emits index arithmetic that computes `expression`.
  mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::AffineExpr expression) const;

  /// A map over all named dimensions with these results.
  mlir::AffineMap map(llvm::ArrayRef<mlir::AffineExpr> results) const;

private:
  void add(mlir::StringAttr name);
  void addCurrent();
  mlir::FailureOr<mlir::AffineExpr> arithmetic(mlir::Operation *op);

  mlir::func::FuncOp entry;
  llvm::SmallVector<mlir::StringAttr> dims;
  /// Names of arguments' dimensions other than the first of each.
  llvm::SmallVector<mlir::StringAttr> parameters;
  llvm::SmallVector<mlir::StringAttr> current;
};

} // namespace sinter::fused

#endif // SINTER_DIALECT_FUSED_TRANSFORMS_SIZES_H
