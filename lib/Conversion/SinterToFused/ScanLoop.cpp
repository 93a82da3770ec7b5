//===- ScanLoop.cpp - A scan as a loop of kernels -------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For a step that is no recurrence over units (attention inside of it, say).
// The loop carries the number of the step, the states and the outputs; what a
// step needs besides is made of these by maps, so that nothing but memory
// passes between kernels.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace sinter;

namespace {
class ScanLoop {
public:
  ScanLoop(EntryLowering &lowering, ScanOp op)
      : lowering(lowering), op(op), builder(lowering.builder), loc(op.getLoc()),
        context(op.getContext()),
        batch(lowering.extent(op.getSequences().front(), 0)) {}

  Lowered lower();

private:
  SmallVector<Value> carriedAtStart();
  LogicalResult lowerBody(scf::ForOp loop);
  Value lastOfEach();
  Value map(ArrayRef<fused::Access> inputs, RankedTensorType type,
            ArrayRef<Value> extents, fused::RegionBuilder body);
  Value times(Value step);
  Value isActive(Value step);
  Value stepOf(Value sequence, Value time);
  Value keep(Value active, Value next, Value before);
  Value put(Value output, Value step, Value time, Value active);

  RankedTensorType rows() {
    return RankedTensorType::get({ShapedType::kDynamic}, builder.getI64Type());
  }
  AffineMap first(unsigned rank) { return selectMap(context, rank, {0}); }

  EntryLowering &lowering;
  ScanOp op;
  OpBuilder &builder;
  Location loc;
  MLIRContext *context;
  Value batch;
  /// For `reverse`: where each row starts.
  Value starts;
};
} // namespace

Value ScanLoop::map(ArrayRef<fused::Access> inputs, RankedTensorType type,
                    ArrayRef<Value> extents, fused::RegionBuilder body) {
  fused::MapSpec spec;
  spec.space = spaceOfRank(type.getRank());
  spec.inputs.assign(inputs.begin(), inputs.end());
  spec.destinations.add(lowering.empty(type, extents),
                        identityMap(context, type.getRank()));
  spec.body = std::move(body);
  return fused::buildMap(builder, loc, spec).getResult(0);
}

/// T - 1 for each row: the last of 0, 1, ..., T - 1.
Value ScanLoop::lastOfEach() {
  Value time = lowering.extent(op.getSequences().front(), 1);
  Value numbers = lowering.numbered(loc, time);
  return map({{numbers, AffineMap()}}, rows(), {batch},
             [](OpBuilder &b, Location l, ValueRange args) {
               Value end = arith::ConstantIndexOp::create(b, l, INT64_MAX);
               return SmallVector<Value>{fused::ReadOp::create(
                   b, l, b.getI64Type(), args[0], ValueRange{end},
                   /*reports=*/false)};
             });
}

/// The number of the step, the states, the outputs (0 everywhere).
SmallVector<Value> ScanLoop::carriedAtStart() {
  auto zeros = [&](Type type, ArrayRef<Value> extents) {
    auto tensor = cast<RankedTensorType>(type);
    return lowering.filled(tensor, extents,
                           builder.getZeroAttr(tensor.getElementType()), loc);
  };
  SmallVector<Value> values = {
      zeros(RankedTensorType::get({1}, builder.getI64Type()),
            {lowering.constantIndex(1)})};
  auto results = op->getResults();
  for (unsigned state : llvm::seq(op.getNumStates())) {
    Value initial = op.getInitial(state);
    OpResult result = results[op.getNumOutputs() + state];
    values.push_back(
        initial ? initial
                : zeros(result.getType(), lowering.resultExtents(result)));
  }
  for (OpResult output : results.take_front(op.getNumOutputs()))
    values.push_back(zeros(output.getType(), lowering.resultExtents(output)));
  return values;
}

/// The element that each row takes in a step.
Value ScanLoop::times(Value step) {
  SmallVector<fused::Access> inputs = {
      {step, AffineMap::get(1, 0, getAffineConstantExpr(0, context))}};
  if (op.getReverse())
    inputs.push_back({starts, identityMap(context, 1)});
  bool reverse = op.getReverse(), measured = bool(op.getLengths());
  return map(
      inputs, rows(), {batch}, [=](OpBuilder &b, Location l, ValueRange args) {
        if (!reverse)
          return SmallVector<Value>{args[0]};
        Value time = arith::SubIOp::create(b, l, args[1], args[0]);
        Value one = arith::ConstantIntOp::create(b, l, 1, 64);
        Value zero = arith::ConstantIntOp::create(b, l, 0, 64);
        if (measured)
          time = arith::SubIOp::create(b, l, time, one);
        return SmallVector<Value>{arith::MaxSIOp::create(b, l, time, zero)};
      });
}

/// 1 for rows that take a step, 0 for those past their length.
Value ScanLoop::isActive(Value step) {
  if (!op.getLengths())
    return Value();
  return map({{step, AffineMap::get(1, 0, getAffineConstantExpr(0, context))},
              {op.getLengths(), identityMap(context, 1)}},
             rows(), {batch}, [](OpBuilder &b, Location l, ValueRange args) {
               Value active = arith::CmpIOp::create(
                   b, l, arith::CmpIPredicate::slt, args[0], args[1]);
               return SmallVector<Value>{
                   arith::ExtUIOp::create(b, l, b.getI64Type(), active)};
             });
}

/// x[b, time[b], ...].
Value ScanLoop::stepOf(Value sequence, Value time) {
  auto type = cast<RankedTensorType>(sequence.getType());
  unsigned rank = type.getRank() - 1;
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + 1);
  SmallVector<Value> extents = lowering.extents(sequence);
  extents.erase(extents.begin() + 1);
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.symbols.push_back({"p", time, first(rank)});
  SmallVector<AffineExpr> at = {getAffineDimExpr(0, context),
                                getAffineSymbolExpr(0, context)};
  for (unsigned dim = 1; dim < rank; ++dim)
    at.push_back(getAffineDimExpr(dim, context));
  spec.inputs.push_back({sequence, AffineMap::get(rank, 1, at, context)});
  auto step = RankedTensorType::get(shape, type.getElementType());
  spec.destinations.add(lowering.empty(step, extents),
                        identityMap(context, rank));
  spec.body = passThrough;
  return fused::buildMap(builder, loc, spec).getResult(0);
}

/// A row past its length keeps its state.
Value ScanLoop::keep(Value active, Value next, Value before) {
  if (!active)
    return next;
  auto type = cast<RankedTensorType>(next.getType());
  unsigned rank = type.getRank();
  return map({{active, first(rank)},
              {next, identityMap(context, rank)},
              {before, identityMap(context, rank)}},
             type, lowering.extents(before),
             [](OpBuilder &b, Location l, ValueRange args) {
               Value zero = arith::ConstantIntOp::create(b, l, 0, 64);
               Value takes = arith::CmpIOp::create(
                   b, l, arith::CmpIPredicate::ne, args[0], zero);
               return SmallVector<Value>{
                   arith::SelectOp::create(b, l, takes, args[1], args[2])};
             });
}

/// `output` with the step of each active row in its place.
Value ScanLoop::put(Value output, Value step, Value time, Value active) {
  // A dimension of one point, which exists where a row is active.
  unsigned rank = cast<RankedTensorType>(output.getType()).getRank();
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents[1] = 1;
  if (active)
    spec.rows = fused::RowLimit{active, first(rank), 1};
  spec.symbols.push_back({"p", time, first(rank)});
  spec.inputs.push_back({step, identityMap(context, rank).dropResult(1)});
  SmallVector<AffineExpr> at = {getAffineDimExpr(0, context),
                                getAffineSymbolExpr(0, context)};
  for (unsigned dim = 2; dim < rank; ++dim)
    at.push_back(getAffineDimExpr(dim, context));
  spec.destinations.add(output, AffineMap::get(rank, 1, at, context));
  spec.body = passThrough;
  return fused::buildMap(builder, loc, spec).getResult(0);
}

LogicalResult ScanLoop::lowerBody(scf::ForOp loop) {
  Block &body = *loop.getBody();
  builder.setInsertionPointToStart(&body);
  ValueRange carried = loop.getRegionIterArgs();
  ValueRange states = carried.slice(1, op.getNumStates());
  ValueRange outputs = carried.drop_front(1 + op.getNumStates());
  Value time = times(carried[0]), active = isActive(carried[0]);
  for (auto [argument, sequence] :
       llvm::zip_equal(op.getSteps(), op.getSequences()))
    argument.replaceAllUsesWith(stepOf(sequence, time));
  for (auto [argument, state] : llvm::zip_equal(op.getStates(), states))
    argument.replaceAllUsesWith(state);
  if (failed(lowering.lowerInto(op.getBody().front(), body)))
    return failure();

  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> next = {map(
      {{carried[0], identityMap(context, 1)}},
      cast<RankedTensorType>(carried[0].getType()), {lowering.constantIndex(1)},
      [](OpBuilder &b, Location l, ValueRange args) {
        Value one = arith::ConstantIntOp::create(b, l, 1, 64);
        return SmallVector<Value>{arith::AddIOp::create(b, l, args[0], one)};
      })};
  for (auto [state, before] : llvm::zip_equal(op.getYieldedStates(), states))
    next.push_back(keep(active, state, before));
  for (auto [output, step] : llvm::zip_equal(outputs, op.getYieldedSteps()))
    next.push_back(put(output, step, time, active));
  scf::YieldOp::create(builder, loc, next);
  return success();
}

/// Whether something in the loop updates the result in place.
static bool isUpdated(Operation *op) {
  return !isa<tensor::EmptyOp>(op) &&
         llvm::any_of(op->getUses(), [](OpOperand &use) {
           auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
           return user && user.isDpsInit(&use);
         });
}

/// Kernels of what the loop does not change stand before it.
static void hoistInvariants(scf::ForOp loop) {
  auto isOutside = [&](Value value, Region *region) {
    return !region->isAncestor(value.getParentRegion());
  };
  moveLoopInvariantCode(
      loop.getLoopRegions(), isOutside,
      [](Operation *op, Region *) {
        return isMemoryEffectFree(op) && !isUpdated(op);
      },
      [&](Operation *op, Region *) { op->moveBefore(loop); });
}

Lowered ScanLoop::lower() {
  if (op.getReverse())
    starts = op.getLengths() ? op.getLengths() : lastOfEach();
  SmallVector<Value> start = carriedAtStart();
  auto loop = scf::ForOp::create(builder, loc, lowering.constantIndex(0),
                                 lowering.extent(op.getSequences().front(), 1),
                                 lowering.constantIndex(1), start);
  if (failed(lowering.inLoop([&] { return lowerBody(loop); })))
    return failure();
  hoistInvariants(loop);
  SmallVector<Value> results(
      loop.getResults().drop_front(1 + op.getNumStates()));
  llvm::append_range(results, loop.getResults().slice(1, op.getNumStates()));
  return results;
}

Lowered sinter::lowerScanLoop(EntryLowering &lowering, ScanOp op) {
  return ScanLoop(lowering, op).lower();
}
