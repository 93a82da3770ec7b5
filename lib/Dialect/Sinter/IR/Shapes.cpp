//===- Shapes.cpp - result shapes as functions of the operands
//----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Shapes.h"

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace sinter;

RankedTensorType ResultShape::getType() const {
  SmallVector<int64_t> sizes;
  for (const Extent &extent : extents)
    sizes.push_back(extent.size);
  return RankedTensorType::get(sizes, elementType);
}

Extent sinter::extentOf(Value value, int64_t dim) {
  return {cast<RankedTensorType>(value.getType()).getDimSize(dim), value, dim};
}

SmallVector<Extent> sinter::extentsOf(Value value) {
  SmallVector<Extent> extents;
  for (int64_t dim = 0, e = cast<RankedTensorType>(value.getType()).getRank();
       dim != e; ++dim)
    extents.push_back(extentOf(value, dim));
  return extents;
}

Extent sinter::merge(const Extent &lhs, const Extent &rhs) {
  return lhs.isDynamic() && !rhs.isDynamic() ? rhs : lhs;
}

bool sinter::agree(int64_t lhs, int64_t rhs) {
  return ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) || lhs == rhs;
}

LogicalResult ShapeCheck::error(const Twine &message) const {
  if (location)
    emitError(*location) << "'" << opName << "' op " << message;
  return failure();
}

RankedTensorType ShapeCheck::tensor(Value value, StringRef name,
                                    int64_t minRank, int64_t maxRank) const {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && type.getRank() >= minRank && type.getRank() <= maxRank)
    return type;
  if (!location)
    return {};
  InFlightDiagnostic diag = emitError(*location)
                            << "'" << opName << "' op expects " << name
                            << " to be a tensor of ";
  if (minRank != maxRank)
    diag << (maxRank == INT64_MAX ? "at least " : "");
  diag << minRank;
  if (minRank != maxRank && maxRank != INT64_MAX)
    diag << " to " << maxRank;
  diag << " dimensions, got " << value.getType();
  return {};
}

LogicalResult ShapeCheck::same(int64_t expected, int64_t actual,
                               const Twine &what) const {
  if (agree(expected, actual))
    return success();
  return error("expects " + what + " '" + Twine(actual) + "' to be '" +
               Twine(expected) + "'");
}

SmallVector<OpFoldResult> sinter::materializeExtents(OpBuilder &builder,
                                                     Location loc,
                                                     ArrayRef<Extent> extents) {
  SmallVector<OpFoldResult> sizes;
  for (const Extent &extent : extents) {
    if (extent.isDynamic())
      sizes.push_back(
          tensor::getMixedSize(builder, loc, extent.value, extent.dim));
    else
      sizes.push_back(builder.getIndexAttr(extent.size));
  }
  return sizes;
}

/// Where `extent` comes from, one op up; null if the op does not tell.
static std::optional<Extent> follow(const Extent &extent) {
  if (auto argument = dyn_cast<BlockArgument>(extent.value)) {
    auto scan = dyn_cast<ScanOp>(argument.getOwner()->getParentOp());
    if (!scan)
      return std::nullopt;
    return scan.getArgumentExtent(argument, extent.dim);
  }
  Operation *op = extent.value.getDefiningOp();
  if (auto shaped = dyn_cast<ResultExtentsOpInterface>(op)) {
    SmallVector<ResultShape> results;
    if (failed(shaped.getResultExtents(results)))
      return std::nullopt;
    unsigned number = cast<OpResult>(extent.value).getResultNumber();
    return results[number].extents[extent.dim];
  }
  if (auto castOp = dyn_cast<tensor::CastOp>(op))
    if (isa<RankedTensorType>(castOp.getSource().getType()))
      return extentOf(castOp.getSource(), extent.dim);
  auto concat = dyn_cast<tensor::ConcatOp>(op);
  if (!op->hasTrait<OpTrait::Elementwise>() &&
      !(concat && int64_t(concat.getDim()) != extent.dim))
    return std::nullopt;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      return extentOf(operand, extent.dim);
  return std::nullopt;
}

OpFoldResult sinter::reifyExtent(OpBuilder &builder, Location loc, Value value,
                                 int64_t dim) {
  Extent extent = extentOf(value, dim);
  while (extent.isDynamic()) {
    std::optional<Extent> next = follow(extent);
    if (!next)
      break;
    extent = *next;
  }
  if (!extent.isDynamic())
    return builder.getIndexAttr(extent.size);
  Operation *op = extent.value.getDefiningOp();
  ReifiedRankedShapedTypeDims shapes;
  if (op && succeeded(reifyResultShapes(builder, op, shapes)))
    return shapes[cast<OpResult>(extent.value).getResultNumber()][extent.dim];
  return tensor::getMixedSize(builder, loc, extent.value, extent.dim);
}

SmallVector<OpFoldResult> sinter::reifyExtents(OpBuilder &builder, Location loc,
                                               Value value) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0, e = cast<RankedTensorType>(value.getType()).getRank();
       dim != e; ++dim)
    sizes.push_back(reifyExtent(builder, loc, value, dim));
  return sizes;
}
