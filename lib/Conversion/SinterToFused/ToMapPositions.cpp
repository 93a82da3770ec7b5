//===- ToMapPositions.cpp - Positions and their encodings -----------------===//
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

/// cursor[b] + t, or t.
Lowered sinter::lowerPositions(EntryLowering &lowering, PositionsOp op) {
  MLIRContext *context = op.getContext();
  int64_t rank = op.getResult().getType().getRank();
  fused::MapSpec spec;
  spec.space = {{"b", "t"}};
  spec.space.names.resize(rank);
  if (op.getAfter())
    spec.inputs.push_back({lowering.cursor(*op.getAfter(), /*after=*/false),
                           selectMap(context, rank, {0})});
  if (rank > 1)
    spec.indexDims = {1};
  spec.destinations.add(lowering.destination(op->getResult(0)),
                        identityMap(context, rank));
  bool hasCursor = !spec.inputs.empty();
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value position;
    if (rank > 1)
      position =
          arith::IndexCastOp::create(b, loc, b.getI64Type(), args.back());
    else
      position = arith::ConstantIntOp::create(b, loc, 0, 64);
    if (hasCursor)
      position = arith::AddIOp::create(b, loc, args[0], position);
    return SmallVector<Value>{position};
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

/// base^(-2i / size) for i < half, in double.
static Value frequencies(EntryLowering &lowering, Location loc, double base,
                         int64_t half, int64_t size) {
  SmallVector<double> numbers;
  for (int64_t i : llvm::seq(half))
    numbers.push_back(std::pow(base, -2.0 * double(i) / double(size)));
  auto type = RankedTensorType::get({half}, lowering.builder.getF64Type());
  return arith::ConstantOp::create(
      lowering.builder, loc, DenseElementsAttr::get(type, ArrayRef(numbers)));
}

/// position * frequency, in double: f32 angles fail at long positions.
static Value angleOf(OpBuilder &b, Location loc, ValueRange args) {
  Value position = arith::SIToFPOp::create(b, loc, b.getF64Type(), args[0]);
  return arith::MulFOp::create(b, loc, position, args[1]);
}

static Value toF32(OpBuilder &b, Location loc, Value value) {
  return arith::TruncFOp::create(b, loc, b.getF32Type(), value);
}

/// Cosines and sines [B, T, D/2] of the rotation angles, shared by all layers.
static EntryLowering::Angles &anglesOf(EntryLowering &lowering, RopeOp op) {
  int64_t size = op.getInput().getType().getShape().back();
  double theta = op.getTheta().convertToDouble();
  for (EntryLowering::Angles &made : lowering.angles)
    if (made.positions == op.getPositions() && made.theta == theta &&
        made.half == size / 2)
      return made;
  MLIRContext *context = op.getContext();
  SmallVector<Value> extents = lowering.extents(op.getPositions());
  extents.push_back(lowering.constantIndex(size / 2));
  SmallVector<int64_t> shape(op.getPositions().getType().getShape());
  shape.push_back(size / 2);
  int64_t rank = shape.size();
  auto type = RankedTensorType::get(shape, lowering.builder.getF32Type());
  AffineMap all = identityMap(context, rank);
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.inputs = {{op.getPositions(), all.dropResult(rank - 1)},
                 {frequencies(lowering, op.getLoc(), theta, size / 2, size),
                  selectMap(context, rank, {unsigned(rank - 1)})}};
  spec.destinations.add(lowering.empty(type, extents), all);
  spec.destinations.add(lowering.empty(type, extents), all);
  spec.body = [](OpBuilder &b, Location loc, ValueRange args) {
    Value angle = angleOf(b, loc, args);
    Value cosine = math::CosOp::create(b, loc, angle);
    Value sine = math::SinOp::create(b, loc, angle);
    return SmallVector<Value>{toF32(b, loc, cosine), toF32(b, loc, sine)};
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  lowering.angles.push_back(
      {op.getPositions(), theta, size / 2, map.getResult(0), map.getResult(1)});
  return lowering.angles.back();
}

/// (x, y) -> (x cos - y sin, x sin + y cos) of each pair.
static SmallVector<Value> rotate(OpBuilder &b, Location loc, ValueRange args) {
  auto mul = [&](Value x, Value y) {
    return arith::MulFOp::create(b, loc, x, y);
  };
  Value x = args[0], y = args[1], cosine = args[2], sine = args[3];
  return {arith::SubFOp::create(b, loc, mul(x, cosine), mul(y, sine)),
          arith::AddFOp::create(b, loc, mul(x, sine), mul(y, cosine))};
}

Lowered sinter::lowerRope(EntryLowering &lowering, RopeOp op) {
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getInput().getType();
  int64_t rank = type.getRank(), half = type.getShape().back() / 2;
  EntryLowering::Angles angles = anglesOf(lowering, op);
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents.back() = half;
  AffineExpr i = getAffineDimExpr(rank - 1, context);
  auto at = [&](AffineExpr last) {
    SmallVector<AffineExpr> exprs(
        identityMap(context, rank).getResults().drop_back());
    exprs.push_back(last);
    return AffineMap::get(rank, 0, exprs, context);
  };
  AffineMap first = at(op.getInterleaved() ? i * 2 : i);
  AffineMap second = at(op.getInterleaved() ? i * 2 + 1 : i + half);
  // Positions are [B, T]; the heads in between share them.
  unsigned positionRank = op.getPositions().getType().getRank();
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, positionRank));
  dims.push_back(rank - 1);
  AffineMap shared = selectMap(context, rank, dims);
  spec.inputs = {{op.getInput(), first},
                 {op.getInput(), second},
                 {angles.cosines, shared},
                 {angles.sines, shared}};
  Value destination = lowering.destination(op->getResult(0));
  spec.destinations.add(destination, first);
  spec.destinations.add(destination, second);
  spec.body = rotate;
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

/// PE(p, 2i) = sin(p / 10000^(2i / C)), PE(p, 2i + 1) = cos(...) (Vaswani et
/// al. 2017).
Lowered sinter::lowerSinusoidal(EntryLowering &lowering,
                                SinusoidalPositionsOp op) {
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getResult().getType();
  int64_t rank = type.getRank(), size = type.getShape().back();
  if (ShapedType::isDynamic(size) || size % 2 != 0)
    return lowering.notLowered(op, "its size is not an even constant",
                               "give the result an even last dimension");
  AffineExpr i = getAffineDimExpr(rank - 1, context);
  AffineMap all = identityMap(context, rank);
  auto at = [&](int64_t offset) {
    SmallVector<AffineExpr> exprs(all.getResults().drop_back());
    exprs.push_back(i * 2 + offset);
    return AffineMap::get(rank, 0, exprs, context);
  };
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents.back() = size / 2;
  spec.inputs = {{op.getPositions(), all.dropResult(rank - 1)},
                 {frequencies(lowering, op.getLoc(), 1.0e4, size / 2, size),
                  selectMap(context, rank, {unsigned(rank - 1)})}};
  SmallVector<Value> extents = lowering.extents(op.getPositions());
  extents.push_back(lowering.constantIndex(size));
  Value destination = lowering.empty(type, extents);
  spec.destinations.add(destination, at(0));
  spec.destinations.add(destination, at(1));
  spec.body = [](OpBuilder &b, Location loc, ValueRange args) {
    Value angle = angleOf(b, loc, args);
    Value sine = math::SinOp::create(b, loc, angle);
    Value cosine = math::CosOp::create(b, loc, angle);
    return SmallVector<Value>{toF32(b, loc, sine), toF32(b, loc, cosine)};
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}
