//===- ToMapPositions.cpp - Positions and their encodings -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "RopeTables.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace sinter;

/// cursor[b] + t + offset, or t + offset.
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
  auto offset = static_cast<int64_t>(op.getOffset());
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value position;
    if (rank > 1)
      position =
          arith::IndexCastOp::create(b, loc, b.getI64Type(), args.back());
    else
      position = arith::ConstantIntOp::create(b, loc, 0, 64);
    if (hasCursor)
      position = arith::AddIOp::create(b, loc, args[0], position);
    if (offset != 0)
      position = arith::AddIOp::create(
          b, loc, position, arith::ConstantIntOp::create(b, loc, offset, 64));
    return SmallVector<Value>{position};
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

/// A vector of doubles.
static Value tableOf(EntryLowering &lowering, Location loc,
                     ArrayRef<double> numbers) {
  auto type = RankedTensorType::get({int64_t(numbers.size())},
                                    lowering.builder.getF64Type());
  return arith::ConstantOp::create(lowering.builder, loc,
                                   DenseElementsAttr::get(type, numbers));
}

static Value toF64(OpBuilder &b, Location loc, Value integer) {
  return arith::SIToFPOp::create(b, loc, b.getF64Type(), integer);
}

static Value toF32(OpBuilder &b, Location loc, Value value) {
  return arith::TruncFOp::create(b, loc, b.getF32Type(), value);
}

static Value number(OpBuilder &b, Location loc, double value) {
  return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
}

//===----------------------------------------------------------------------===//
// Rotary positions
//===----------------------------------------------------------------------===//

/// p[b, t] + 1 in double, 0 from the row's length on.
static Value reachOfEach(EntryLowering &lowering, RopeOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<Value> extents = lowering.extents(op.getPositions());
  auto type = RankedTensorType::get(op.getPositions().getType().getShape(),
                                    lowering.builder.getF64Type());
  fused::MapSpec spec;
  spec.space = {{"b", "t"}};
  spec.inputs = {{op.getPositions(), identityMap(context, 2)}};
  if (op.getLengths()) {
    spec.inputs.push_back({op.getLengths(), selectMap(context, 2, {0})});
    spec.indexDims = {1};
  }
  spec.destinations.add(lowering.empty(type, extents), identityMap(context, 2));
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value reach = arith::AddFOp::create(b, loc, toF64(b, loc, args[0]),
                                        number(b, loc, 1.0));
    if (!op.getLengths())
      return SmallVector<Value>{reach};
    Value t = arith::IndexCastOp::create(b, loc, b.getI64Type(), args[2]);
    Value counts =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, t, args[1]);
    return SmallVector<Value>{
        arith::SelectOp::create(b, loc, counts, reach, number(b, loc, 0.0))};
  };
  return fused::buildMap(lowering.builder, op.getLoc(), spec).getResult(0);
}

/// The length of each row, 1 + its largest position, [B] f64.
static Value reachOfRows(EntryLowering &lowering, RopeOp op) {
  MLIRContext *context = op.getContext();
  Value each = reachOfEach(lowering, op);
  auto type = cast<RankedTensorType>(each.getType());
  fused::NormalizeSpec spec;
  spec.space = {{"b", "j"}};
  spec.inputs = {{each, identityMap(context, 2)}};
  spec.destinations.add(lowering.empty(type.clone(type.getShape().take_front()),
                                       lowering.extent(each, 0)),
                        selectMap(context, 2, {0}));
  auto first = passThrough;
  spec.reduces = {{fused::Reduction::max, first}};
  spec.post = first;
  return fused::buildNormalize(lowering.builder, op.getLoc(), spec)
      .getResult(0);
}

/// A pair's frequency in a row of length `reach`, from both tables.
static Value frequencyAt(OpBuilder &b, Location loc, RopeScalingAttr scaling,
                         Value frequency, Value reach, Value second) {
  double trained = scaling.getNumber("original_length");
  Value limit = number(b, loc, trained);
  if (scaling.getKind() == RopeScalingKind::LongRope) {
    Value isLong =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, reach, limit);
    return arith::SelectOp::create(b, loc, isLong, second, frequency);
  }
  double factor = scaling.getNumber("factor");
  Value length = arith::MaximumFOp::create(b, loc, reach, limit);
  Value scaled =
      arith::MulFOp::create(b, loc, length, number(b, loc, factor / trained));
  Value growth =
      arith::SubFOp::create(b, loc, scaled, number(b, loc, factor - 1));
  return arith::MulFOp::create(b, loc, frequency,
                               math::PowFOp::create(b, loc, growth, second));
}

/// Cosine and sine, in double: f32 angles fail at long positions.
static SmallVector<Value> turns(OpBuilder &b, Location loc, Value position,
                                Value frequency, double factor) {
  Value angle =
      arith::MulFOp::create(b, loc, toF64(b, loc, position), frequency);
  SmallVector<Value> values = {math::CosOp::create(b, loc, angle),
                               math::SinOp::create(b, loc, angle)};
  for (Value &value : values) {
    if (factor != 1)
      value = arith::MulFOp::create(b, loc, value, number(b, loc, factor));
    value = toF32(b, loc, value);
  }
  return values;
}

static bool isTableOf(const EntryLowering::Angles &made, RopeOp op) {
  return made.positions == op.getPositions() &&
         made.lengths == op.getLengths() &&
         made.theta == op.getTheta().convertToDouble() &&
         made.columns == op.getRotaryColumns() &&
         made.scaling == op.getScalingAttr();
}

/// Cosines and sines [B, T, R/2] of the rotation angles, shared by all layers.
static EntryLowering::Angles &anglesOf(EntryLowering &lowering, RopeOp op) {
  for (EntryLowering::Angles &made : lowering.angles)
    if (isTableOf(made, op))
      return made;
  MLIRContext *context = op.getContext();
  RopeTables tables = ropeTables(op);
  int64_t half = op.getRotaryColumns() / 2;
  SmallVector<Value> extents = lowering.extents(op.getPositions());
  extents.push_back(lowering.constantIndex(half));
  SmallVector<int64_t> shape(op.getPositions().getType().getShape());
  shape.push_back(half);
  auto type = RankedTensorType::get(shape, lowering.builder.getF32Type());
  AffineMap all = identityMap(context, 3), byPair = selectMap(context, 3, {2});
  fused::MapSpec spec;
  spec.space = spaceOfRank(3);
  spec.inputs = {{op.getPositions(), selectMap(context, 3, {0, 1})},
                 {tableOf(lowering, op.getLoc(), tables.frequencies), byPair}};
  if (!tables.second.empty()) {
    spec.inputs.push_back(
        {reachOfRows(lowering, op), selectMap(context, 3, {0})});
    spec.inputs.push_back(
        {tableOf(lowering, op.getLoc(), tables.second), byPair});
  }
  spec.destinations.add(lowering.empty(type, extents), all);
  spec.destinations.add(lowering.empty(type, extents), all);
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value frequency = args[1];
    if (!tables.second.empty())
      frequency =
          frequencyAt(b, loc, op.getScalingAttr(), frequency, args[2], args[3]);
    return turns(b, loc, args[0], frequency, tables.attentionFactor);
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  lowering.angles.push_back({op.getPositions(), op.getLengths(),
                             op.getTheta().convertToDouble(),
                             op.getRotaryColumns(), op.getScalingAttr(),
                             map.getResult(0), map.getResult(1)});
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

/// (d0, ..., dn-1) -> (d0, ..., dn-2, last).
static AffineMap withLast(MLIRContext *context, int64_t rank, AffineExpr last) {
  SmallVector<AffineExpr> exprs(
      identityMap(context, rank).getResults().drop_back());
  exprs.push_back(last);
  return AffineMap::get(rank, 0, exprs, context);
}

/// Columns from `first` on, as they are, beside what `destination` holds.
static Value copyRest(EntryLowering &lowering, RopeOp op, int64_t first,
                      Value destination) {
  MLIRContext *context = op.getContext();
  int64_t rank = op.getInput().getType().getRank();
  AffineExpr i = getAffineDimExpr(rank - 1, context);
  AffineMap at = withLast(context, rank, i + first);
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents.back() = op.getInput().getType().getDimSize(3) - first;
  spec.inputs = {{op.getInput(), at}};
  spec.destinations.add(destination, at);
  spec.body = passThrough;
  return fused::buildMap(lowering.builder, op.getLoc(), spec).getResult(0);
}

Lowered sinter::lowerRope(EntryLowering &lowering, RopeOp op) {
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getInput().getType();
  int64_t rank = type.getRank(), columns = op.getRotaryColumns();
  EntryLowering::Angles angles = anglesOf(lowering, op);
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents.back() = columns / 2;
  AffineExpr i = getAffineDimExpr(rank - 1, context);
  bool interleaved = op.getInterleaved();
  AffineMap first = withLast(context, rank, interleaved ? i * 2 : i);
  AffineMap second =
      withLast(context, rank, interleaved ? i * 2 + 1 : i + columns / 2);
  // Positions are [B, T]; the heads in between share them.
  AffineMap shared = selectMap(context, rank, {0, 1, 3});
  spec.inputs = {{op.getInput(), first},
                 {op.getInput(), second},
                 {angles.cosines, shared},
                 {angles.sines, shared}};
  Value destination = lowering.destination(op->getResult(0));
  spec.destinations.add(destination, first);
  spec.destinations.add(destination, second);
  spec.body = rotate;
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  if (columns == type.getShape().back())
    return SmallVector<Value>(map.getResults());
  return SmallVector<Value>{copyRest(lowering, op, columns, map.getResult(0))};
}

//===----------------------------------------------------------------------===//
// Sinusoidal positions
//===----------------------------------------------------------------------===//

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
  bool halves = op.getHalves();
  SmallVector<double> frequencies;
  for (int64_t c : llvm::seq(size / 2))
    frequencies.push_back(std::pow(1.0e4, -2.0 * double(c) / double(size)));
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents.back() = size / 2;
  spec.inputs = {{op.getPositions(), all.dropResult(rank - 1)},
                 {tableOf(lowering, op.getLoc(), frequencies),
                  selectMap(context, rank, {unsigned(rank - 1)})}};
  SmallVector<Value> extents = lowering.extents(op.getPositions());
  extents.push_back(lowering.constantIndex(size));
  Value destination = lowering.empty(type, extents);
  spec.destinations.add(destination,
                        withLast(context, rank, halves ? i : i * 2));
  spec.destinations.add(
      destination, withLast(context, rank, halves ? i + size / 2 : i * 2 + 1));
  spec.body = [](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> values = turns(b, loc, args[0], args[1], /*factor=*/1);
    std::swap(values[0], values[1]);
    return values;
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}
