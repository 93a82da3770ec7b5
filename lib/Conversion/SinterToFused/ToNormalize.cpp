//===- ToNormalize.cpp - Norms and softmax --------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace sinter;

namespace {
/// Scalar f32 arithmetic of the regions.
struct Floats {
  OpBuilder &b;
  Location loc;

  Value number(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value exp(Value x) { return math::ExpOp::create(b, loc, x); }
  /// `x`, or `other` where x is `number`.
  Value replace(Value x, double number, double other) {
    Value isNumber = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x,
                                           this->number(number));
    return arith::SelectOp::create(b, loc, isNumber, this->number(other), x);
  }
  /// 1 / sqrt(sum / count + eps).
  Value inverseDeviation(Value sum, int64_t count, double eps) {
    Value mean = div(sum, number(double(count)));
    return math::RsqrtOp::create(b, loc, add(mean, number(eps)));
  }
};
} // namespace

using Values = SmallVector<Value>;

static fused::NormalizeSpec rowSpec(EntryLowering &lowering, Operation *op,
                                    Value input) {
  int64_t rank = cast<RankedTensorType>(input.getType()).getRank();
  AffineMap identity = identityMap(op->getContext(), rank);
  fused::NormalizeSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.names.back() = "j";
  spec.inputs.push_back({input, identity});
  spec.destinations.add(lowering.destination(op->getResult(0)), identity);
  return spec;
}

/// Captures a vector over the normalised dimension.
static fused::Access vectorOf(Value vector, int64_t rank) {
  return {vector, selectMap(vector.getContext(), rank, {unsigned(rank - 1)})};
}

static Lowered finish(EntryLowering &lowering, Operation *op,
                      const fused::NormalizeSpec &spec) {
  auto normalize = fused::buildNormalize(lowering.builder, op->getLoc(), spec);
  return Values(normalize.getResults());
}

/// x minus the row's maximum. In a row of -inf that is x: inf - inf would be
/// NaN, where the softmax is 0.
static Value shiftByMaximum(Floats f, Value x, Value maximum) {
  return f.sub(x, f.replace(maximum, -HUGE_VAL, 0));
}

/// exp(x - max) / sum, or x - max - log(sum).
Lowered sinter::lowerSoftmax(EntryLowering &lowering, Operation *op) {
  bool isLog = isa<LogSoftmaxOp>(op);
  fused::NormalizeSpec spec = rowSpec(lowering, op, op->getOperand(0));
  spec.reduces = {
      {fused::Reduction::max,
       [](OpBuilder &, Location, ValueRange args) { return Values{args[0]}; }},
      {fused::Reduction::sum, [](OpBuilder &b, Location loc, ValueRange args) {
         Floats f{b, loc};
         return Values{f.exp(shiftByMaximum(f, args[0], args[1]))};
       }}};
  spec.post = [isLog](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    Value shifted = shiftByMaximum(f, args[0], args[1]);
    Value sum = f.replace(args[2], 0, 1);
    if (isLog)
      return Values{f.sub(shifted, math::LogOp::create(b, loc, sum))};
    return Values{f.div(f.exp(shifted), sum)};
  };
  return finish(lowering, op, spec);
}

/// Size of the normalised dimension, or an error.
static FailureOr<int64_t> countOf(EntryLowering &lowering, Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t count = type.getShape().back();
  if (ShapedType::isDynamic(count)) {
    (void)lowering.notLowered(op, "the normalised dimension is dynamic",
                              "give the last dimension a constant size");
    return failure();
  }
  return count;
}

/// The variance is taken around the mean: the second reduction uses the first.
Lowered sinter::lowerLayerNorm(EntryLowering &lowering, LayerNormOp op) {
  FailureOr<int64_t> count = countOf(lowering, op);
  if (failed(count))
    return failure();
  int64_t n = *count, rank = op.getInput().getType().getRank();
  double eps = op.getEps().convertToDouble();
  fused::NormalizeSpec spec = rowSpec(lowering, op, op.getInput());
  spec.captures = {vectorOf(op.getGain(), rank)};
  if (op.getBias())
    spec.captures.push_back(vectorOf(op.getBias(), rank));
  auto centred = [n](Floats f, Value x, Value sum) {
    return f.sub(x, f.div(sum, f.number(double(n))));
  };
  spec.reduces = {
      {fused::Reduction::sum,
       [](OpBuilder &, Location, ValueRange args) { return Values{args[0]}; }},
      {fused::Reduction::sum, [&](OpBuilder &b, Location loc, ValueRange args) {
         Floats f{b, loc};
         Value d = centred(f, args[0], args[1]);
         return Values{f.mul(d, d)};
       }}};
  spec.post = [&](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    Value scale = f.inverseDeviation(args[2], n, eps);
    Value y = f.mul(f.mul(centred(f, args[0], args[1]), scale), args[3]);
    return Values{op.getBias() ? f.add(y, args[4]) : y};
  };
  return finish(lowering, op, spec);
}

Lowered sinter::lowerRmsNorm(EntryLowering &lowering, RmsNormOp op) {
  FailureOr<int64_t> count = countOf(lowering, op);
  if (failed(count))
    return failure();
  int64_t n = *count;
  double eps = op.getEps().convertToDouble();
  fused::NormalizeSpec spec = rowSpec(lowering, op, op.getInput());
  spec.captures = {vectorOf(op.getGain(), op.getInput().getType().getRank())};
  spec.reduces = {
      {fused::Reduction::sum, [](OpBuilder &b, Location loc, ValueRange args) {
         return Values{Floats{b, loc}.mul(args[0], args[0])};
       }}};
  spec.post = [&](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    Value scale = f.inverseDeviation(args[1], n, eps);
    return Values{f.mul(f.mul(args[0], scale), args[2])};
  };
  return finish(lowering, op, spec);
}
