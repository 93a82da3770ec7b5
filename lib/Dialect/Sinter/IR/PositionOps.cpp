//===- PositionOps.cpp - positions and their encodings --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Positions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace sinter;

/// The number that all elements are, if they are one constant.
static std::optional<int64_t> constantOfAll(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    return constantOfAll(broadcast.getInput());
  if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    return constantOfAll(splat.getInput());
  llvm::APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number.trySExtValue();
  return std::nullopt;
}

OffsetPositions sinter::traceOffsetPositions(Value indices) {
  Operation *op = indices.getDefiningOp();
  if (auto positions = dyn_cast_or_null<PositionsOp>(op))
    return {positions, static_cast<int64_t>(positions.getOffset())};
  if (isa_and_nonnull<tensor::CastOp, arith::TruncIOp, arith::ExtSIOp>(op))
    return traceOffsetPositions(op->getOperand(0));
  if (!isa_and_nonnull<arith::AddIOp>(op))
    return {};
  for (unsigned number : {0, 1}) {
    OffsetPositions source = traceOffsetPositions(op->getOperand(number));
    std::optional<int64_t> added = constantOfAll(op->getOperand(1 - number));
    if (source.op && added)
      return {source.op, source.offset + *added};
  }
  return {};
}

using Results = SmallVectorImpl<ResultShape>;

static constexpr double defaultTheta = 1.0e4;

LogicalResult PositionsOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // positions_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 2);
  if (!input)
    return failure();
  // positions_c3
  // While an op is being parsed its default attributes are not there yet.
  IntegerAttr offset = adaptor.getOffsetAttr();
  if (offset && offset.getInt() < 0)
    return check.error("expects a non-negative offset, got '" +
                       Twine(offset.getInt()) + "'");
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.resize(2);
  results.push_back({extents, IntegerType::get(input.getContext(), 64)});
  return success();
}

//===----------------------------------------------------------------------===//
// Rotary positions
//===----------------------------------------------------------------------===//

/// Checks that `scaling` fits frequencies theta^(-2 c / columns).
static LogicalResult checkScaling(RopeScalingAttr scaling, int64_t columns,
                                  double theta, const ShapeCheck &check) {
  // rope_c6
  switch (scaling.getKind()) {
  case RopeScalingKind::Dynamic:
    if (columns <= 2)
      return check.error("expects more than 2 rotated columns for 'dynamic'");
    return success();
  case RopeScalingKind::Yarn:
    if (theta == 1.0)
      return check.error("expects a theta that is not 1 for 'yarn'");
    return success();
  case RopeScalingKind::LongRope: {
    int64_t size = scaling.getList("long_factor").size();
    return check.same(columns / 2, size, "the number of long factors");
  }
  case RopeScalingKind::Linear:
  case RopeScalingKind::Llama3:
    return success();
  }
  llvm_unreachable("all kinds are above");
}

/// Checks lengths and scaling of a rope with `batch` rows.
static LogicalResult checkScaling(RopeOp::Adaptor adaptor, int64_t batch,
                                  int64_t columns, double theta,
                                  const ShapeCheck &check) {
  // rope_c5
  RopeScalingAttr scaling = adaptor.getScalingAttr();
  if (Value lengths = adaptor.getLengths()) {
    RankedTensorType type = check.tensor(lengths, "lengths", 1, 1);
    if (!type ||
        failed(check.same(batch, type.getDimSize(0), "the size of lengths")))
      return failure();
    if (!scaling || !scaling.dependsOnLength())
      return check.error(
          "expects lengths only with a 'dynamic' or 'longrope' scaling");
  }
  if (!scaling)
    return success();
  return checkScaling(scaling, columns, theta, check);
}

LogicalResult RopeOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  // rope_c1, rope_c2
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 4, 4);
  RankedTensorType positions =
      check.tensor(adaptor.getPositions(), "positions", 2, 2);
  if (!input || !positions)
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  for (int64_t dim = 0; dim < 2; ++dim) {
    if (failed(check.same(extents[dim].size, positions.getDimSize(dim),
                          "dimension " + Twine(dim) + " of positions")))
      return failure();
    extents[dim] = merge(extents[dim], extentOf(adaptor.getPositions(), dim));
  }
  // rope_c3
  int64_t size = input.getDimSize(3);
  if (ShapedType::isDynamic(size))
    return check.error("expects a constant head size");
  int64_t columns = adaptor.getRotarySize().value_or(size);
  if (columns < 2 || columns % 2 != 0 || columns > size)
    return check.error("expects an even number of rotated columns, at most '" +
                       Twine(size) + "', got '" + Twine(columns) + "'");
  // rope_c4
  FloatAttr given = adaptor.getThetaAttr();
  double theta = given ? given.getValueAsDouble() : defaultTheta;
  if (!(theta > 0.0) || std::isinf(theta))
    return check.error("expects a positive theta");
  if (failed(checkScaling(adaptor, extents[0].size, columns, theta, check)))
    return failure();
  results.push_back({extents, input.getElementType()});
  return success();
}

//===----------------------------------------------------------------------===//
// Sinusoidal positions
//===----------------------------------------------------------------------===//

LogicalResult SinusoidalPositionsOp::verify() {
  // sinusoidal_positions_c1
  ShapeCheck check(getLoc(), getOperationName());
  RankedTensorType positions = check.tensor(getPositions(), "positions", 1);
  RankedTensorType result = check.tensor(getResult(), "result", 2);
  if (!positions || !result)
    return failure();
  if (result.getRank() != positions.getRank() + 1 ||
      failed(verifyCompatibleShape(positions.getShape(),
                                   result.getShape().drop_back())))
    return emitOpError("expects the result to add one dimension to ")
           << positions << ", got " << result;
  // sinusoidal_positions_c2
  int64_t size = result.getShape().back();
  if (ShapedType::isDynamic(size) || size % 2 != 0)
    return emitOpError("expects an even constant size, got '") << size << "'";
  return success();
}

LogicalResult
SinusoidalPositionsOp::getResultExtents(SmallVectorImpl<ResultShape> &results) {
  SmallVector<Extent> extents = extentsOf(getPositions());
  extents.push_back(Extent::constant(getType().getShape().back()));
  results.push_back({extents, getType().getElementType()});
  return success();
}

LogicalResult
SinusoidalPositionsOp::reifyResultShapes(OpBuilder &builder,
                                         ReifiedRankedShapedTypeDims &dims) {
  SmallVector<ResultShape> results;
  if (failed(getResultExtents(results)))
    return failure();
  dims.push_back(
      materializeExtents(builder, getLoc(), results.front().extents));
  return success();
}

//===----------------------------------------------------------------------===//
// Linear biases
//===----------------------------------------------------------------------===//

LogicalResult AlibiSlopesOp::verify() {
  // alibi_slopes_c1
  RankedTensorType type = getType();
  if (type.getRank() != 1 || !type.hasStaticShape() || type.getDimSize(0) < 1)
    return emitOpError("expects a vector with a constant number of heads, got ")
           << type;
  return success();
}

SmallVector<double> AlibiSlopesOp::slopesOf(int64_t heads) {
  auto power = static_cast<int64_t>(llvm::bit_floor<uint64_t>(heads));
  SmallVector<double> slopes;
  for (int64_t h = 1; h <= power; ++h)
    slopes.push_back(std::exp2(-8.0 * double(h) / double(power)));
  for (int64_t h = 1; h <= heads - power; ++h)
    slopes.push_back(std::exp2(-4.0 * double(2 * h - 1) / double(power)));
  return slopes;
}
