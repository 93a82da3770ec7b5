//===- Shapes.h - result shapes as functions of the operands ----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op of the dialect states the shapes of its results once, as a list of
// extents that are constants or extents of operands. Type inference,
// verification and the extents at run time all read that list.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SHAPES_H
#define SINTER_DIALECT_SINTER_IR_SHAPES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace sinter {

/// One extent: the constant `size`, or, where that is dynamic, the extent of
/// dimension `dim` of `value`.
struct Extent {
  int64_t size = mlir::ShapedType::kDynamic;
  mlir::Value value;
  int64_t dim = 0;

  static Extent constant(int64_t size) { return {size, {}, 0}; }
  bool isDynamic() const { return mlir::ShapedType::isDynamic(size); }
};

/// The shape of one result.
struct ResultShape {
  llvm::SmallVector<Extent> extents;
  mlir::Type elementType;

  mlir::RankedTensorType getType() const;
};

/// The extent of dimension `dim` of `value`, a ranked tensor.
Extent extentOf(mlir::Value value, int64_t dim);

/// All extents of `value`, a ranked tensor.
llvm::SmallVector<Extent> extentsOf(mlir::Value value);

/// Two extents that are equal at run time: the constant one, if any.
Extent merge(const Extent &lhs, const Extent &rhs);

/// True unless both sizes are constants and differ.
bool agree(int64_t lhs, int64_t rhs);

/// Where errors about shapes go; without a location they are silent.
class ShapeCheck {
public:
  ShapeCheck(std::optional<mlir::Location> location, llvm::StringRef opName)
      : location(location), opName(opName) {}

  /// Reports "'op' op message" and fails.
  mlir::LogicalResult error(const llvm::Twine &message) const;

  /// The type of `value` if it is a ranked tensor of at least `minRank` and at
  /// most `maxRank` dimensions; null after an error that names it `name`.
  mlir::RankedTensorType tensor(mlir::Value value, llvm::StringRef name,
                                int64_t minRank,
                                int64_t maxRank = INT64_MAX) const;

  /// Fails with "expects <what> 'rhs' to be 'lhs'" if the two sizes differ.
  mlir::LogicalResult same(int64_t expected, int64_t actual,
                           const llvm::Twine &what) const;

private:
  std::optional<mlir::Location> location;
  llvm::StringRef opName;
};

/// The extents of `shape` at run time, constants where they are known.
llvm::SmallVector<mlir::OpFoldResult>
materializeExtents(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::ArrayRef<Extent> extents);

/// The extent of dimension `dim` of `value` at run time: a constant where it is
/// known, else found by following the ops that make `value` back to one that
/// has the extent as an operand or to an argument, of which it is the
/// `tensor.dim`. New ops go to the builder's insertion point.
mlir::OpFoldResult reifyExtent(mlir::OpBuilder &builder, mlir::Location loc,
                               mlir::Value value, int64_t dim);

/// All extents of `value` by `reifyExtent`, ready for `tensor.empty`.
llvm::SmallVector<mlir::OpFoldResult>
reifyExtents(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

} // namespace sinter

#endif // SINTER_DIALECT_SINTER_IR_SHAPES_H
