//===- AttentionVerifier.cpp - constraints of attention -------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace mlir;
using namespace sinter;

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
  // attention_c13
  if (op.getCacheAttr() && (op.getScores() || op.getWeights()))
    return op.emitOpError("can't have 'scores' or 'weights' together with "
                          "'append' or 'from'");
  return success();
}

/// Checks the numbers of the clauses.
static LogicalResult verifyNumbers(AttentionOp op) {
  // attention_c14
  FloatAttr cap = op.getSoftcapAttr();
  if (cap && !(cap.getValueAsDouble() > 0.0))
    return op.emitOpError("expects a positive 'softcap', got '")
           << cap.getValueAsDouble() << "'";
  // attention_c16
  for (IntegerAttr limit : {op.getWindowLeftAttr(), op.getWindowRightAttr()})
    if (limit && limit.getInt() < 0)
      return op.emitOpError("expects limits of 'window' of at least '0', got '")
             << limit.getInt() << "'";
  return success();
}

/// Checks the types of the results against their shapes.
static LogicalResult verifyResults(AttentionOp op, const ResultShape &first) {
  // attention_c6
  auto same = [&](Value result, const ResultShape &shape,
                  StringRef name) -> LogicalResult {
    if (!result || result.getType() == shape.getType())
      return success();
    return op.emitOpError("expects ")
           << name << " of " << shape.getType() << ", got " << result.getType();
  };
  ResultShape scores = AttentionOp::scoresShape(first, op.getKey());
  return success(
      succeeded(same(op.getResult(), first, "a result")) &&
      succeeded(same(op.getLse(), AttentionOp::lseShape(first), "'lse'")) &&
      succeeded(same(op.getScores(), scores, "'scores'")) &&
      succeeded(same(op.getWeights(), scores, "'weights'")));
}

/// Checks a vector with one element per row of the batch or per head.
static LogicalResult verifyVector(const ShapeCheck &check, Value vector,
                                  StringRef name, int64_t size) {
  if (!vector)
    return success();
  RankedTensorType type = check.tensor(vector, name, 1, 1);
  return failure(!type || failed(check.same(size, type.getDimSize(0),
                                            "the size of " + name)));
}

/// Checks the mask operand.
static LogicalResult verifyMask(AttentionOp op, const ShapeCheck &check,
                                const ResultShape &first) {
  // attention_c9
  if (!op.getDenseMask())
    return success();
  RankedTensorType mask = check.tensor(op.getDenseMask(), "mask", 4, 4);
  if (!mask)
    return failure();
  ResultShape full = AttentionOp::scoresShape(
      first, op.getAppend() ? Value() : Value(op.getKey()));
  for (int64_t dim = 0; dim < 4; ++dim)
    if (mask.getDimSize(dim) != 1 &&
        failed(check.same(full.extents[dim].size, mask.getDimSize(dim),
                          "dimension " + Twine(dim) + " of mask")))
      return failure();
  return success();
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyClauses(*this)) || failed(verifyNumbers(*this)))
    return failure();
  ShapeCheck check(getLoc(), getOperationName());
  FailureOr<ResultShape> shape =
      resultShape(getQuery(), getKey(), getValue(), getType(), check);
  if (failed(shape) || failed(verifyResults(*this, *shape)))
    return failure();
  int64_t batch = shape->extents[0].size;
  int64_t heads = shape->extents[2].size;
  // attention_c7
  if (getKey() && heads % getKey().getType().getDimSize(2) != 0)
    return emitOpError("expects the key heads '")
           << getKey().getType().getDimSize(2)
           << "' to divide the query heads '" << heads << "'";
  // attention_c8, attention_c15
  if (failed(verifyVector(check, getLengths(), "lengths", batch)) ||
      failed(verifyVector(check, getOffset(), "offset", batch)) ||
      failed(verifyVector(check, getSlopes(), "alibi", heads)))
    return failure();
  return verifyMask(*this, check, *shape);
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
