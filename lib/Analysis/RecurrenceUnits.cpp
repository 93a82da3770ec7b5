//===- RecurrenceUnits.cpp - What all lowerings of recurrences know -------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Analysis/RecurrenceUnits.h"

using namespace mlir;
using namespace sinter;

RecurrenceUnits::RecurrenceUnits(fused::RecurrenceOp op)
    : op(op), step(cast<fused::StepOp>(op.getBody().front().getTerminator())) {
  placeArguments();
  placeResults();
}

void RecurrenceUnits::placeArguments() {
  ArrayRef<BlockArgument> arguments = op.getBody().front().getArguments();
  for (Value weight : op.getWeights()) {
    fused::MatrixStack stack = *fused::getMatrixStack(weight.getType());
    for (int64_t gate = 0; gate < stack.count; ++gate) {
      places[arguments.front()] = {UnitsPlace::Projection, projectionStride};
      projectionStride += padded(stack.columns);
      arguments = arguments.drop_front();
    }
  }
  for (int64_t input = 0; input < int64_t(op.getVectors().size()); ++input) {
    places[arguments.front()] = {UnitsPlace::Input, input};
    arguments = arguments.drop_front();
  }
  for (Value state : arguments) {
    places[state] = {UnitsPlace::State, stateStride};
    stateStride += padded(unitsOf(state));
  }
}

void RecurrenceUnits::placeResults() {
  for (fused::PhaseOp phase : getPhases())
    for (Value result : phase.getResults()) {
      if (!llvm::any_of(result.getUsers(), llvm::IsaPred<fused::PhaseOp>))
        continue;
      places[result] = {UnitsPlace::Result, resultStride};
      resultStride += padded(unitsOf(result));
    }
}

SmallVector<fused::PhaseOp> RecurrenceUnits::getPhases() const {
  fused::RecurrenceOp recurrence = op;
  return llvm::to_vector(recurrence.getBody().front().getOps<fused::PhaseOp>());
}

ArrayRef<BlockArgument> RecurrenceUnits::stateArguments() const {
  fused::RecurrenceOp recurrence = op;
  return recurrence.getBody().front().getArguments().take_back(
      recurrence.getStates().size());
}

SmallVector<Value> RecurrenceUnits::passedArguments() const {
  fused::RecurrenceOp recurrence = op;
  SmallVector<Value> passed;
  for (Value argument : recurrence.getBody().front().getArguments())
    if (llvm::is_contained(step->getOperands(), argument))
      passed.push_back(argument);
  return passed;
}

static InFlightDiagnostic refuse(Operation *op, StringRef what,
                                 StringRef consequence) {
  return op->emitError("recurrence with ") << what << " " << consequence;
}

static LogicalResult checkOperands(fused::RecurrenceOp op,
                                   StringRef consequence) {
  SmallVector<Value> floats;
  for (ValueRange range :
       {ValueRange(op.getWeights()), ValueRange(op.getVectors()),
        ValueRange(op.getStates()), ValueRange(op.getOuts())})
    llvm::append_range(floats, range);
  if (op.getInput())
    floats.push_back(op.getInput());
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>())
    llvm::append_range(floats, phase.getMatrices());
  for (Value operand : floats)
    if (!cast<ShapedType>(operand.getType()).getElementType().isF32())
      return refuse(op, "operands other than f32", consequence);
  return success();
}

LogicalResult sinter::checkRecurrenceTypes(fused::RecurrenceOp op,
                                           StringRef consequence) {
  if (failed(checkOperands(op, consequence)))
    return failure();
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>()) {
    for (Type type : phase.getResultTypes())
      if (!cast<fused::UnitsType>(type).getElementType().isF32())
        return refuse(phase, "results of a phase other than f32", consequence);
    for (Region &reduce : phase.getReduces())
      if (!reduce.front().getTerminator()->getOperand(0).getType().isF32())
        return refuse(phase, "a reduction of other than f32", consequence);
  }
  return success();
}
