//===- Shapes.cpp - result shapes as functions of the operands
//----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Shapes.h"

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

SmallVector<OpFoldResult> sinter::reifyExtents(OpBuilder &builder, Location loc,
                                               Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  ReifiedRankedShapedTypeDims shapes;
  if (type.hasStaticShape() || !value.getDefiningOp() ||
      failed(reifyResultShapes(builder, value.getDefiningOp(), shapes)))
    return tensor::getMixedSizes(builder, loc, value);
  return shapes[cast<OpResult>(value).getResultNumber()];
}
