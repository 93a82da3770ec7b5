//===- AttentionOps.cpp - attention ---------------------------------------===//
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
