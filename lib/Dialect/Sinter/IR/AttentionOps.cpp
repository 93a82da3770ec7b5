//===- AttentionOps.cpp - attention and positions
//-----------------------------===//
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

void AttentionOp::build(OpBuilder &builder, OperationState &state, Value query,
                        Value key, Value value) {
  ShapeCheck check(state.location, getOperationName());
  FailureOr<ResultShape> shape = resultShape(query, key, value, {}, check);
  assert(succeeded(shape) && "the caller gives operands that fit");
  state.addOperands({query, key, value});
  state.getOrAddProperties<Properties>().operandSegmentSizes = {1, 1, 1,
                                                                0, 0, 0};
  for (unsigned i = 0; i < 4; ++i)
    state.addRegion();
  state.addTypes(shape->getType());
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
  return success();
}

LogicalResult
AttentionOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &dims) {
  SmallVector<ResultShape> results;
  if (failed(getResultExtents(results)))
    return failure();
  dims.push_back(
      materializeExtents(builder, getLoc(), results.front().extents));
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

/// Checks which clauses go together.
static LogicalResult verifyClauses(AttentionOp op) {
  // attention_c3
  if (bool(op.getKey()) != bool(op.getValue()) ||
      bool(op.getKey()) == bool(op.getFrom()))
    return op.emitOpError("expects key and value, or 'from' without them");
  // attention_c4
  if (op.getFrom() && (op.getAppend() || op.getLengths()))
    return op.emitOpError("can't have 'from' together with 'append' or "
                          "'lengths'");
  // attention_c5
  if (op.getAppend() && op.getOffset())
    return op.emitOpError("can't have 'offset' together with 'append', whose "
                          "cursor is the offset");
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyClauses(*this)))
    return failure();
  ShapeCheck check(getLoc(), getOperationName());
  FailureOr<ResultShape> shape =
      resultShape(getQuery(), getKey(), getValue(), getType(), check);
  if (failed(shape))
    return failure();
  // attention_c6
  if (shape->getType() != getType())
    return emitOpError("expects a result of ")
           << shape->getType() << ", got " << getType();
  int64_t batch = shape->extents[0].size;
  int64_t heads = shape->extents[2].size;
  // attention_c7
  if (getKey() && heads % getKey().getType().getDimSize(2) != 0)
    return emitOpError("expects the key heads '")
           << getKey().getType().getDimSize(2)
           << "' to divide the query heads '" << heads << "'";
  // attention_c8
  for (auto [vector, name] :
       {std::pair<Value, StringRef>{getLengths(), "lengths"},
        std::pair<Value, StringRef>{getOffset(), "offset"}}) {
    if (!vector)
      continue;
    RankedTensorType type = check.tensor(vector, name, 1, 1);
    if (!type ||
        failed(check.same(batch, type.getDimSize(0), "the size of " + name)))
      return failure();
  }
  // attention_c9
  if (!getDenseMask())
    return success();
  RankedTensorType mask = check.tensor(getDenseMask(), "mask", 4, 4);
  if (!mask)
    return failure();
  int64_t keys = getKey() && !getAppend() ? getKey().getType().getDimSize(1)
                                          : ShapedType::kDynamic;
  int64_t full[] = {batch, heads, getType().getDimSize(1), keys};
  for (int64_t dim = 0; dim < 4; ++dim)
    if (mask.getDimSize(dim) != 1 &&
        failed(check.same(full[dim], mask.getDimSize(dim),
                          "dimension " + Twine(dim) + " of mask")))
      return failure();
  return success();
}

/// Checks the arguments and the yielded value of `region`, if it is there.
static LogicalResult verifyRule(AttentionOp op, Region &region, StringRef name,
                                unsigned floats, unsigned indices,
                                Type result) {
  if (region.empty())
    return success();
  MLIRContext *context = op.getContext();
  SmallVector<Type> expected(floats, Float32Type::get(context));
  expected.append(indices, IndexType::get(context));
  if (TypeRange(region.getArgumentTypes()) != TypeRange(expected))
    return op.emitOpError("expects arguments (")
           << TypeRange(expected) << ") of '" << name << "', got ("
           << region.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(region.front().getTerminator());
  if (!yield)
    return op.emitOpError("expects '")
           << name << "' to end with 'sinter.yield'";
  if (yield.getValues().getTypes() != TypeRange(result))
    return yield.emitOpError("expects one value of type ")
           << result << " for '" << name << "'";
  return success();
}

LogicalResult AttentionOp::verifyRegions() {
  Type f32 = Float32Type::get(getContext());
  Type i1 = IntegerType::get(getContext(), 1);
  // attention_c10
  if (failed(verifyRule(*this, getScoreRegion(), "score", 1, 4, f32)) ||
      failed(verifyRule(*this, getMaskRegion(), "mask", 0, 4, i1)) ||
      failed(verifyRule(*this, getSinkRegion(), "sink", 0, 3, f32)) ||
      failed(verifyRule(*this, getCombineRegion(), "combine", 2, 2, f32)))
    return failure();
  return success();
}

LogicalResult AttentionOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (!getCacheAttr())
    return success();
  // attention_c11
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(*this, getCacheAttr());
  if (!state)
    return emitOpError("uses an unknown state ") << getCacheAttr();
  CacheType cache = state.getCacheType();
  if (!cache)
    return emitOpError("expects a cache, got a state of ") << state.getType();
  // attention_c12
  ShapeCheck check(getLoc(), getOperationName());
  if (failed(check.same(cache.getKey(), getQuery().getType().getDimSize(3),
                        "the query size")) ||
      failed(check.same(cache.getValue(), getType().getDimSize(3),
                        "the value size")))
    return failure();
  if (getKey())
    return check.same(cache.getHeads(), getKey().getType().getDimSize(2),
                      "the key heads");
  if (getHeads() % cache.getHeads() != 0)
    return emitOpError("expects the cache's heads '")
           << cache.getHeads() << "' to divide the query heads '" << getHeads()
           << "'";
  return success();
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
