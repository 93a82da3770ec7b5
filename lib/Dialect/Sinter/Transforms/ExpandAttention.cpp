//===- ExpandAttention.cpp - named forms of attention ---------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandAttention.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

/// Gives an empty `region` a block with `floats` f32 and then `indices` index
/// arguments.
static Block *makeRule(Region &region, unsigned floats, unsigned indices,
                       Location loc) {
  MLIRContext *context = region.getContext();
  Block &block = region.emplaceBlock();
  for (unsigned i = 0; i < floats; ++i)
    block.addArgument(Float32Type::get(context), loc);
  for (unsigned i = 0; i < indices; ++i)
    block.addArgument(IndexType::get(context), loc);
  return &block;
}

namespace {
/// Arithmetic on f32 scalars and indices at one place.
struct Scalars {
  OpBuilder &builder;
  Location loc;

  Value number(double value) {
    return arith::ConstantOp::create(
        builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  }
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value times(Value a, Value b) {
    return arith::MulFOp::create(builder, loc, a, b);
  }
  Value plus(Value a, Value b) {
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value minus(Value a, Value b) {
    return arith::SubIOp::create(builder, loc, a, b);
  }
  /// Signed: a query may stand before position 0.
  Value atMost(Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, a, b);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// x tanh(s scale / x), plus m[h] (j - i), for a score region's arguments.
static Value plainScore(Scalars scalars, AttentionOp op, Block &rule) {
  auto &[builder, loc] = scalars;
  double scale = op.getScaleValue();
  Value score = rule.getArgument(0);
  if (FloatAttr cap = op.getSoftcapAttr())
    scale /= cap.getValueAsDouble();
  if (scale != 1.0)
    score = scalars.times(score, scalars.number(scale));
  if (FloatAttr cap = op.getSoftcapAttr())
    score = scalars.times(math::TanhOp::create(builder, loc, score),
                          scalars.number(cap.getValueAsDouble()));
  if (!op.getSlopes())
    return score;
  Value distance = scalars.minus(rule.getArgument(4), rule.getArgument(3));
  Value integer =
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), distance);
  Value slope = tensor::ExtractOp::create(builder, loc, op.getSlopes(),
                                          rule.getArgument(2));
  return scalars.plus(
      score,
      scalars.times(slope, arith::SIToFPOp::create(
                               builder, loc, builder.getF32Type(), integer)));
}

/// Moves scale, cap and slopes into the score region, before the user's rule.
static void expandScore(AttentionOp op) {
  Location loc = op.getLoc();
  OpBuilder builder(op);
  bool isIdentity =
      op.getScaleValue() == 1.0 && !op.getSoftcapAttr() && !op.getSlopes();
  if (!isIdentity) {
    Region &region = op.getScoreRegion();
    bool fresh = region.empty();
    Block *rule = fresh ? makeRule(region, 1, 4, loc) : &region.front();
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : rule->getArgument(0).getUses())
      uses.push_back(&use);
    builder.setInsertionPointToStart(rule);
    Value score = plainScore({builder, loc}, op, *rule);
    for (OpOperand *use : uses)
      use->set(score);
    if (fresh)
      YieldOp::create(builder, loc, score);
  }
  op.setScaleAttr(builder.getF64FloatAttr(1.0));
  op.removeSoftcapAttr();
  op.getSlopesMutable().clear();
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The conjuncts of `causal` and `window` for queries `i` and keys `j`.
static SmallVector<Value> conjuncts(Scalars scalars, AttentionOp op, Value i,
                                    Value j) {
  SmallVector<Value> values;
  if (op.getCausal())
    values.push_back(scalars.atMost(j, i));
  if (IntegerAttr left = op.getWindowLeftAttr())
    values.push_back(
        scalars.atMost(scalars.minus(i, j), scalars.index(left.getInt())));
  if (IntegerAttr right = op.getWindowRightAttr())
    values.push_back(
        scalars.atMost(scalars.minus(j, i), scalars.index(right.getInt())));
  return values;
}

/// Moves `causal` and `window` into the mask region, after the user's rule.
static void expandMask(AttentionOp op) {
  if (!op.getCausal() && !op.getWindowLeftAttr() && !op.getWindowRightAttr())
    return;
  Location loc = op.getLoc();
  OpBuilder builder(op);
  Region &region = op.getMaskRegion();
  bool fresh = region.empty();
  Block *rule = fresh ? makeRule(region, 0, 4, loc) : &region.front();
  if (fresh)
    builder.setInsertionPointToEnd(rule);
  else
    builder.setInsertionPoint(rule->getTerminator());
  Value seen = fresh ? Value() : rule->getTerminator()->getOperand(0);
  for (Value conjunct : conjuncts({builder, loc}, op, rule->getArgument(2),
                                  rule->getArgument(3)))
    seen = seen
               ? arith::AndIOp::create(builder, loc, seen, conjunct).getResult()
               : conjunct;
  if (fresh)
    YieldOp::create(builder, loc, seen);
  else
    rule->getTerminator()->setOperand(0, seen);
  op.setCausal(false);
  op.removeWindowLeftAttr();
  op.removeWindowRightAttr();
}

void sinter::expandAttention(AttentionOp op) {
  expandScore(op);
  expandMask(op);
}

//===----------------------------------------------------------------------===//
// Additive attention
//===----------------------------------------------------------------------===//

/// `value` with dimensions of extent 1 put in before dimension `dim`.
static Value insertOnes(OpBuilder &builder, Location loc, Value value,
                        int64_t dim, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, count, 1);
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    ReassociationIndices &group = groups.emplace_back();
    for (int64_t n = i + 1 == dim ? count + 1 : 1; n > 0; --n)
      group.push_back(next++);
  }
  return tensor::ExpandShapeOp::create(
      builder, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups);
}

/// `value` without the `count` dimensions of extent 1 from `dim` on.
static Value dropOnes(OpBuilder &builder, Location loc, Value value,
                      int64_t dim, int64_t count) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < cast<RankedTensorType>(value.getType()).getRank();
       ++i) {
    if (i < dim || i >= dim + count)
      groups.emplace_back();
    groups.back().push_back(i);
  }
  return tensor::CollapseShapeOp::create(builder, loc, value, groups);
}

static void addCombine(OpBuilder &builder, AttentionOp op, Value vector) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = op.getLoc();
  Block *rule = makeRule(op.getCombineRegion(), 2, 2, loc);
  builder.setInsertionPointToEnd(rule);
  Scalars scalars{builder, loc};
  Value sum = scalars.plus(rule->getArgument(0), rule->getArgument(1));
  Value factor =
      tensor::ExtractOp::create(builder, loc, vector, rule->getArgument(3));
  Value term = scalars.times(factor, math::TanhOp::create(builder, loc, sum));
  YieldOp::create(builder, loc, term);
}

void sinter::expandAdditiveAttention(AdditiveAttentionOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  // Query [B, D] becomes [B, 1, 1, D], [B, T, D] becomes [B, T, 1, D].
  int64_t rank = op.getQuery().getType().getRank();
  int64_t ones = 4 - rank;
  auto attention = AttentionOp::create(
      builder, loc, insertOnes(builder, loc, op.getQuery(), rank - 1, ones),
      insertOnes(builder, loc, op.getKey(), 2, 1),
      insertOnes(builder, loc, op.getValue(), 2, 1), op.getWithWeights());
  attention.setScaleAttr(builder.getF64FloatAttr(1.0));
  if (op.getLengths())
    attention.getLengthsMutable().assign(op.getLengths());
  if (Value mask = op.getDenseMask()) {
    builder.setInsertionPoint(attention);
    attention.getDenseMaskMutable().assign(
        insertOnes(builder, loc, mask, 1, ones));
    builder.setInsertionPointAfter(attention);
  }
  addCombine(builder, attention, op.getVector());
  op.getResult().replaceAllUsesWith(
      dropOnes(builder, loc, attention.getResult(), rank - 1, ones));
  if (op.getWeights())
    op.getWeights().replaceAllUsesWith(
        dropOnes(builder, loc, attention.getWeights(), 1, ones));
  op.erase();
}
