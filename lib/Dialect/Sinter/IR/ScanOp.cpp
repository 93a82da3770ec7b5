//===- ScanOp.cpp - user-defined recurrence -------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Value ScanOp::getInitial(unsigned state) {
  ArrayRef<bool> zeros = getZeros();
  if (zeros[state])
    return {};
  return getInitials()[llvm::count(zeros.take_front(state), false)];
}

OperandRange ScanOp::getYieldedSteps() {
  OperandRange values = getBody().front().getTerminator()->getOperands();
  return values.drop_back(getNumStates());
}

OperandRange ScanOp::getYieldedStates() {
  OperandRange values = getBody().front().getTerminator()->getOperands();
  return values.take_back(getNumStates());
}

Extent ScanOp::getBatch() {
  Extent batch = extentOf(getSequences().front(), 0);
  for (Value value : getOperands())
    batch = merge(batch, extentOf(value, 0));
  return batch;
}

Extent ScanOp::getTime() {
  Extent time = extentOf(getSequences().front(), 1);
  for (Value sequence : getSequences())
    time = merge(time, extentOf(sequence, 1));
  return time;
}

Extent ScanOp::getArgumentExtent(BlockArgument argument, int64_t dim) {
  int64_t size = cast<RankedTensorType>(argument.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return Extent::constant(size);
  if (dim == 0)
    return getBatch();
  // The extents of states are constant but for the first.
  return extentOf(getSequences()[argument.getArgNumber()], dim + 1);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The step's extents with `leading` in place of the first.
static ResultShape shapeOf(Value step, ArrayRef<Extent> leading) {
  auto type = cast<RankedTensorType>(step.getType());
  ResultShape shape{SmallVector<Extent>(leading), type.getElementType()};
  for (int64_t size : type.getShape().drop_front())
    shape.extents.push_back(Extent::constant(size));
  return shape;
}

LogicalResult ScanOp::getResultExtents(SmallVectorImpl<ResultShape> &results) {
  Extent batch = getBatch(), time = getTime();
  for (Value step : getYieldedSteps())
    results.push_back(shapeOf(step, {batch, time}));
  for (Value state : getStates())
    results.push_back(shapeOf(state, {batch}));
  return success();
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &dims) {
  SmallVector<ResultShape> results;
  if (failed(getResultExtents(results)))
    return failure();
  for (const ResultShape &result : results)
    dims.push_back(materializeExtents(builder, getLoc(), result.extents));
  return success();
}

void ScanOp::refineTypes() {
  auto refine = [](Value value, ArrayRef<Extent> leading) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape(type.getShape());
    for (auto [size, extent] : llvm::zip(shape, leading))
      size = extent.size;
    value.setType(type.clone(shape));
  };
  Extent batch = getBatch(), time = getTime();
  for (auto [step, sequence] : llvm::zip_equal(getSteps(), getSequences())) {
    SmallVector<Extent> extents = extentsOf(sequence);
    extents.erase(extents.begin() + 1);
    extents.front() = batch;
    refine(step, extents);
  }
  for (Value state : getStates())
    refine(state, {batch});
  for (Value output : getResults().take_front(getNumOutputs()))
    refine(output, {batch, time});
  for (Value last : getResults().take_back(getNumStates()))
    refine(last, {batch});
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Checks that the sequences agree in B and T.
static LogicalResult verifySequences(ScanOp op, const ShapeCheck &check) {
  // scan_c1
  if (op.getSequences().empty())
    return op.emitOpError("expects a sequence to go over");
  RankedTensorType first;
  for (Value sequence : op.getSequences()) {
    RankedTensorType type = check.tensor(sequence, "a sequence", 2);
    if (!type)
      return failure();
    if (!first)
      first = type;
    if (failed(check.same(first.getDimSize(0), type.getDimSize(0),
                          "the rows of a sequence")) ||
        failed(check.same(first.getDimSize(1), type.getDimSize(1),
                          "the time of a sequence")))
      return failure();
  }
  return success();
}

LogicalResult ScanOp::verify() {
  ShapeCheck check(getLoc(), getOperationName());
  if (failed(verifySequences(*this, check)))
    return failure();
  // scan_c2
  if (llvm::count(getZeros(), false) !=
      static_cast<int64_t>(getInitials().size()))
    return emitOpError("expects an initial value for each state that does not "
                       "start at zero");
  for (Value initial : getInitials())
    if (!check.tensor(initial, "an initial value", 1))
      return failure();
  // scan_c4
  if (Value lengths = getLengths()) {
    RankedTensorType type = check.tensor(lengths, "lengths", 1, 1);
    if (!type || failed(check.same(getBatch().size, type.getDimSize(0),
                                   "the size of lengths")))
      return failure();
  }
  // scan_c6
  if (getNumResults() < getNumStates())
    return emitOpError("expects a result for each of its '")
           << getNumStates() << "' states, got '" << getNumResults() << "'";
  return success();
}

/// Checks that `value` is [batch, constant ...].
static LogicalResult verifyStep(ScanOp op, Value value, StringRef name) {
  // scan_c3
  ShapeCheck check(op.getLoc(), ScanOp::getOperationName());
  RankedTensorType type = check.tensor(value, name, 1);
  if (!type || failed(check.same(op.getBatch().size, type.getDimSize(0),
                                 "the rows of " + name)))
    return failure();
  if (llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return check.error("expects " + name +
                       " to have constant extents after the first");
  return success();
}

/// Whether `type` is that of one step of `sequence`.
static bool isStepOf(Type type, Value sequence) {
  auto step = dyn_cast<RankedTensorType>(type);
  auto whole = cast<RankedTensorType>(sequence.getType());
  return step && step.getRank() + 1 == whole.getRank() &&
         step.getElementType() == whole.getElementType() &&
         agree(step.getDimSize(0), whole.getDimSize(0)) &&
         step.getShape().drop_front() == whole.getShape().drop_front(2);
}

static LogicalResult verifyArguments(ScanOp op) {
  // scan_c2
  unsigned sequences = op.getSequences().size();
  if (op.getBody().getNumArguments() != sequences + op.getNumStates())
    return op.emitOpError("expects '")
           << sequences << "' steps and '" << op.getNumStates()
           << "' states as arguments of its body, got '"
           << op.getBody().getNumArguments() << "'";
  for (auto [step, sequence] :
       llvm::zip_equal(op.getSteps(), op.getSequences()))
    if (!isStepOf(step.getType(), sequence))
      return op.emitOpError("expects an argument that is one step of ")
             << sequence.getType() << ", got " << step.getType();
  for (auto [number, state] : llvm::enumerate(op.getStates())) {
    Value initial = op.getInitial(number);
    if (initial && initial.getType() != state.getType())
      return op.emitOpError("expects a state of its initial value's type ")
             << initial.getType() << ", got " << state.getType();
    if (failed(verifyStep(op, state, "a state")))
      return failure();
  }
  return success();
}

static LogicalResult verifyYield(ScanOp op) {
  // scan_c5
  auto yield = dyn_cast<YieldOp>(op.getBody().front().getTerminator());
  if (!yield || yield.getCarried() != op.getNumStates())
    return op.getBody().front().back().emitOpError(
               "expects 'sinter.yield each(...) carry(...)' with '")
           << op.getNumStates() << "' states";
  if (yield.getValues().size() != op.getNumResults())
    return yield.emitOpError("expects '")
           << op.getNumOutputs() << "' steps of outputs";
  for (auto [value, state] :
       llvm::zip_equal(op.getYieldedStates(), op.getStates()))
    if (value.getType() != state.getType())
      return yield.emitOpError("expects a state of ")
             << state.getType() << ", got " << value.getType();
  for (Value step : op.getYieldedSteps())
    if (failed(verifyStep(op, step, "a yielded step")))
      return failure();
  return success();
}

static LogicalResult verifyResults(ScanOp op) {
  // scan_c6
  SmallVector<ResultShape> shapes;
  if (failed(op.getResultExtents(shapes)))
    return failure();
  for (auto [result, shape] : llvm::zip_equal(op.getResults(), shapes)) {
    RankedTensorType expected = shape.getType();
    auto type = cast<RankedTensorType>(result.getType());
    if (type.getElementType() != expected.getElementType() ||
        failed(verifyCompatibleShape(type, expected)))
      return op.emitOpError("expects a result like ")
             << expected << ", got " << type;
  }
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  if (failed(verifyArguments(*this)) || failed(verifyYield(*this)) ||
      failed(verifyResults(*this)))
    return failure();
  // scan_c7
  for (Operation &op : getBody().front())
    if (!isMemoryEffectFree(&op))
      return op.emitOpError("reads or changes the session's state in a scan");
  return success();
}

LogicalResult YieldOp::verify() {
  // yield_c1
  if (getCarried() && !isa<ScanOp>((*this)->getParentOp()))
    return emitOpError("expects values without 'each' and 'carry', which end "
                       "the step of a scan");
  return success();
}
