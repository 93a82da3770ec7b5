//===- AttentionOps.cpp - attention and positions -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

//===----------------------------------------------------------------------===//
// attention
//===----------------------------------------------------------------------===//

FailureOr<ResultShape> AttentionOp::resultShape(Value query, Value key,
                                                Value value, Type present,
                                                const ShapeCheck &check) {
  // attention_c1
  RankedTensorType q = check.tensor(query, "query", 4, 4);
  if (!q)
    return failure();
  if (q.getDimSize(2) < 1 || q.getDimSize(3) < 1)
    return check.error("expects constant heads and head size of the query, at "
                       "least 1");
  ResultShape shape{extentsOf(query), q.getElementType()};
  if (!key) {
    auto old = dyn_cast_if_present<RankedTensorType>(present);
    if (old && old.getRank() == 4)
      shape.extents[3] = Extent::constant(old.getDimSize(3));
    return shape;
  }
  // attention_c2
  RankedTensorType k = check.tensor(key, "key", 4, 4);
  RankedTensorType v = check.tensor(value, "value", 4, 4);
  if (!k || !v)
    return failure();
  if (k.getDimSize(2) < 1 || v.getDimSize(3) < 1)
    return check.error("expects constant heads and head size of the value, at "
                       "least 1");
  if (failed(check.same(q.getDimSize(3), k.getDimSize(3), "the key size")) ||
      failed(check.same(q.getDimSize(0), k.getDimSize(0), "the batch of key")))
    return failure();
  for (int64_t dim = 0; dim < 3; ++dim)
    if (failed(check.same(k.getDimSize(dim), v.getDimSize(dim),
                          "dimension " + Twine(dim) + " of value")))
      return failure();
  shape.extents[0] =
      merge(shape.extents[0], merge(extentOf(key, 0), extentOf(value, 0)));
  shape.extents[3] = extentOf(value, 3);
  return shape;
}

ResultShape AttentionOp::lseShape(const ResultShape &first) {
  return {SmallVector<Extent>(first.extents.begin(), first.extents.end() - 1),
          first.elementType};
}

ResultShape AttentionOp::scoresShape(const ResultShape &first, Value key) {
  SmallVector<Extent> extents = {first.extents[0], first.extents[2],
                                 first.extents[1],
                                 key ? extentOf(key, 1) : Extent()};
  return {extents, first.elementType};
}

void AttentionOp::build(OpBuilder &builder, OperationState &state, Value query,
                        Value key, Value value, bool weights) {
  ShapeCheck check(state.location, getOperationName());
  FailureOr<ResultShape> shape = resultShape(query, key, value, {}, check);
  assert(succeeded(shape) && "the caller gives operands that fit");
  state.addOperands({query, key, value});
  auto &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {1, 1, 1, 0, 0, 0, 0};
  properties.resultSegmentSizes = {1, 0, 0, weights};
  for (unsigned i = 0; i < 4; ++i)
    state.addRegion();
  state.addTypes(shape->getType());
  if (weights)
    state.addTypes(scoresShape(*shape, key).getType());
}

double AttentionOp::getScaleValue() {
  if (FloatAttr scale = getScaleAttr())
    return scale.getValueAsDouble();
  if (!getCombineRegion().empty())
    return 1.0;
  return 1.0 / std::sqrt(double(getQuery().getType().getDimSize(3)));
}

LogicalResult
AttentionOp::getResultExtents(SmallVectorImpl<ResultShape> &results) {
  FailureOr<ResultShape> shape =
      resultShape(getQuery(), getKey(), getValue(), getType(),
                  ShapeCheck(std::nullopt, getOperationName()));
  if (failed(shape))
    return failure();
  results.push_back(*shape);
  if (getLse())
    results.push_back(lseShape(*shape));
  for (Value extra : {Value(getScores()), Value(getWeights())})
    if (extra)
      results.push_back(scoresShape(*shape, getKey()));
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &dims) {
  SmallVector<ResultShape> results;
  if (failed(getResultExtents(results)))
    return failure();
  for (const ResultShape &shape : results)
    dims.push_back(materializeExtents(builder, getLoc(), shape.extents));
  return success();
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  SideEffects::Resource *session = SessionResource::get();
  if (getCacheAttr())
    effects.emplace_back(MemoryEffects::Read::get(), session);
  if (getAppend())
    effects.emplace_back(MemoryEffects::Write::get(), session);
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

LogicalResult PositionsOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // positions_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 2);
  if (!input)
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.resize(2);
  results.push_back({extents, IntegerType::get(input.getContext(), 64)});
  return success();
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
  if (ShapedType::isDynamic(size) || size % 2 != 0)
    return check.error("expects an even constant head size, got '" +
                       Twine(size) + "'");
  // rope_c4
  FloatAttr theta = adaptor.getThetaAttr();
  if (theta && !(theta.getValueAsDouble() > 0.0))
    return check.error("expects a positive theta");
  results.push_back({extents, input.getElementType()});
  return success();
}

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
