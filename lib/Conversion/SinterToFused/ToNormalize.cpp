//===- ToNormalize.cpp - Norms and softmax --------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Floats.h"

using namespace mlir;
using namespace sinter;

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

/// exp(x - max) / sum, or x - max - log(sum).
Lowered sinter::lowerSoftmax(EntryLowering &lowering, Operation *op) {
  bool isLog = isa<LogSoftmaxOp>(op);
  fused::NormalizeSpec spec = rowSpec(lowering, op, op->getOperand(0));
  spec.reduces = {
      {fused::Reduction::max, passThrough},
      {fused::Reduction::sum, [](OpBuilder &b, Location loc, ValueRange args) {
         Floats f{b, loc};
         return Values{f.exp(f.shiftByMaximum(args[0], args[1]))};
       }}};
  spec.post = [isLog](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    Value shifted = f.shiftByMaximum(args[0], args[1]);
    return Values{f.softmax(shifted, args[2], isLog)};
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
  for (Value vector : {op.getGain(), op.getBias()})
    if (vector)
      spec.captures.push_back(vectorOf(vector, rank));
  spec.reduces = {
      {fused::Reduction::sum, passThrough},
      {fused::Reduction::sum, [&](OpBuilder &b, Location loc, ValueRange args) {
         Floats f{b, loc};
         Value d = f.centred(args[0], args[1], n);
         return Values{f.mul(d, d)};
       }}};
  spec.post = [&](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    Value scale = f.inverseDeviation(args[2], n, eps);
    Value y = f.mul(f.centred(args[0], args[1], n), scale);
    if (op.getGain())
      y = f.mul(y, args[3]);
    return Values{op.getBias() ? f.add(y, args[4]) : y};
  };
  return finish(lowering, op, spec);
}

/// gain + 1, once for all rows, and when weights are packed if it is one.
static Value addOne(EntryLowering &lowering, RmsNormOp op) {
  auto type = cast<RankedTensorType>(op.getGain().getType());
  AffineMap identity = identityMap(op.getContext(), 1);
  fused::MapSpec spec;
  spec.space = spaceOfRank(1);
  spec.inputs = {{op.getGain(), identity}};
  spec.destinations.add(lowering.empty(type, lowering.extents(op.getGain())),
                        identity);
  spec.body = [](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    return Values{f.add(args[0], f.number(1.0))};
  };
  return fused::buildMap(lowering.builder, op.getLoc(), spec).getResult(0);
}

Lowered sinter::lowerRmsNorm(EntryLowering &lowering, RmsNormOp op) {
  FailureOr<int64_t> count = countOf(lowering, op);
  if (failed(count))
    return failure();
  int64_t n = *count;
  double eps = op.getEps().convertToDouble();
  fused::NormalizeSpec spec = rowSpec(lowering, op, op.getInput());
  if (Value gain = op.getGain())
    spec.captures = {vectorOf(op.getUnitOffset() ? addOne(lowering, op) : gain,
                              op.getInput().getType().getRank())};
  spec.reduces = {
      {fused::Reduction::sum, [](OpBuilder &b, Location loc, ValueRange args) {
         return Values{Floats{b, loc}.mul(args[0], args[0])};
       }}};
  spec.post = [&](OpBuilder &b, Location loc, ValueRange args) {
    Floats f{b, loc};
    Value scale = f.inverseDeviation(args[1], n, eps);
    Value y = f.mul(args[0], scale);
    return Values{op.getGain() ? f.mul(y, args[2]) : y};
  };
  return finish(lowering, op, spec);
}
