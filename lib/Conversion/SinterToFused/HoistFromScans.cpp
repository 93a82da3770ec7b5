//===- HoistFromScans.cpp - What a scan does not have to do in its steps --===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of a step that use nothing of it move before the scan. A product
// whose factor is made of steps of sequences alone, relu(x[t]) say, is worth a
// whole matrix product ahead of the steps: the factor is computed for all steps
// before the scan, as one more sequence.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Fusion.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace sinter;

namespace {

/// Computes values of a step for whole sequences.
class StepLifter {
public:
  explicit StepLifter(ScanOp scan) : scan(scan), builder(scan) {
    for (auto [step, sequence] :
         llvm::zip_equal(scan.getSteps(), scan.getSequences()))
      whole.map(step, sequence);
  }

  /// Makes the value a step of a new sequence if it can be computed for all
  /// steps at once.
  void lift(Value value);

private:
  bool isOutside(Value value) const {
    return !ScanOp(scan).getBody().isAncestor(value.getParentRegion());
  }
  bool areOutside(ValueRange values) const {
    return llvm::all_of(values, [&](Value value) { return isOutside(value); });
  }
  bool canLift(Value value);
  bool canLiftOp(Operation *op);
  void liftOp(Operation *op);

  ScanOp scan;
  OpBuilder builder;
  IRMapping whole;
};

} // namespace

bool StepLifter::canLift(Value value) {
  if (whole.contains(value))
    return true;
  Operation *op = value.getDefiningOp();
  return op && !isOutside(value) && canLiftOp(op);
}

/// Ops of which row (b, t) of the result is made of row (b, t) of the operands.
bool StepLifter::canLiftOp(Operation *op) {
  if (isElementwise(op))
    return llvm::all_of(op->getOperands(), [&](Value operand) {
      bool isTensor = isa<RankedTensorType>(operand.getType());
      return isTensor ? canLift(operand) : isOutside(operand);
    });
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    return concat.getDim() != 0 &&
           llvm::all_of(op->getOperands(),
                        [&](Value operand) { return canLift(operand); });
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(broadcast.getInput().getType());
    return isOutside(broadcast.getInput()) && (!type || type.getRank() <= 1) &&
           canLift(broadcast.getLike());
  }
  return isa<LinearOp, SplitOp, LayerNormOp, RmsNormOp, SoftmaxOp, LogSoftmaxOp,
             tensor::CastOp>(op) &&
         canLift(op->getOperand(0)) &&
         areOutside(op->getOperands().drop_front());
}

/// The type of a sequence of such steps.
static Type sequenceType(Type step, int64_t time) {
  auto type = cast<RankedTensorType>(step);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + 1, time);
  return type.clone(shape);
}

void StepLifter::liftOp(Operation *op) {
  for (Value operand : op->getOperands())
    if (!isOutside(operand) && !whole.contains(operand))
      liftOp(operand.getDefiningOp());
  Operation *made = builder.clone(*op, whole);
  if (auto concat = dyn_cast<tensor::ConcatOp>(made))
    concat.setDim(concat.getDim() + 1);
  int64_t time = scan.getTime().size;
  for (Value result : made->getResults())
    result.setType(sequenceType(result.getType(), time));
}

void StepLifter::lift(Value value) {
  if (isa<BlockArgument>(value) || !canLift(value))
    return;
  liftOp(value.getDefiningOp());
  unsigned number = scan.getSequences().size();
  scan.getSequencesMutable().append(whole.lookup(value));
  BlockArgument step =
      scan.getBody().insertArgument(number, value.getType(), value.getLoc());
  value.replaceAllUsesWith(step);
  whole.map(step, scan.getSequences().back());
}

/// The factors of a product with a matrix: of a concatenation, its parts.
static void collectFactors(Value value, SmallVectorImpl<Value> &factors) {
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  if (!concat || concat.getDim() != 1) {
    factors.push_back(value);
    return;
  }
  for (Value input : concat.getInputs())
    collectFactors(input, factors);
}

void sinter::hoistFromScans(func::FuncOp entry) {
  entry.walk([](ScanOp scan) {
    Region &body = scan.getBody();
    moveLoopInvariantCode(
        &body,
        [](Value value, Region *region) {
          return !region->isAncestor(value.getParentRegion());
        },
        [](Operation *op, Region *) { return isPure(op); },
        [&](Operation *op, Region *) { op->moveBefore(scan); });
    StepLifter lifter(scan);
    SmallVector<Value> factors;
    for (Operation &op : body.front())
      if (isa<LinearOp, MatmulOp>(op))
        collectFactors(op.getOperand(0), factors);
    for (Value factor : factors)
      if (body.isAncestor(factor.getParentRegion()))
        lifter.lift(factor);
  });
}
