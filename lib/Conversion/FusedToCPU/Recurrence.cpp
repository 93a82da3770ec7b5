//===- Recurrence.cpp - fused.recurrence on a CPU -------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A task takes a few batch rows through all steps, so nobody waits for anybody.
// Its states and the projections of a chunk of steps lie in a worker's scratch
// memory, whose size is a constant: it grows with units, never with the length.
//
//===----------------------------------------------------------------------===//

#include "RecurrenceTask.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Bytes of projections that a task holds, half a usual L2.
static constexpr int64_t projectionBytes = 512 << 10;

//===----------------------------------------------------------------------===//
// What is lowered
//===----------------------------------------------------------------------===//

static bool isPanels(Type type) {
  fused::LayoutAttr layout = fused::getLayout(type);
  if (!layout)
    return false;
  MLIRContext *context = type.getContext();
  AffineExpr k = getAffineDimExpr(0, context), n = getAffineDimExpr(1, context);
  return layout.getMap() ==
         AffineMap::get(2, 0, {n.floorDiv(16), k, n % 16}, context);
}

static LogicalResult checkOperands(fused::RecurrenceOp op,
                                   fused::PhaseOp phase) {
  auto refuse = [&](const Twine &what) {
    return op.emitError("recurrence with ") << what << " is not lowered yet";
  };
  SmallVector<Value> matrices = llvm::to_vector(op.getWeights());
  llvm::append_range(matrices, phase.getMatrices());
  for (Value matrix : matrices)
    if (!isPanels(matrix.getType()))
      return refuse("a matrix that does not lie in panels of 16 columns");
  SmallVector<Value> floats = matrices;
  for (ValueRange range :
       {ValueRange(op.getVectors()), ValueRange(op.getStates()),
        ValueRange(op.getOuts())})
    llvm::append_range(floats, range);
  if (op.getInput())
    floats.push_back(op.getInput());
  for (Value operand : floats)
    if (!cast<ShapedType>(operand.getType()).getElementType().isF32())
      return refuse("operands other than f32");
  if (op.getInput() && (fused::getLayout(op.getInput().getType()) ||
                        op.getInputMap()->getResults().back() !=
                            getAffineDimExpr(DimK, op.getContext())))
    return refuse("an input whose last index is not 'k'");
  return success();
}

/// One phase without reductions, whose products are of projections and states.
static FailureOr<fused::PhaseOp> onlyPhase(fused::RecurrenceOp op) {
  SmallVector<fused::PhaseOp> phases =
      llvm::to_vector(op.getBody().front().getOps<fused::PhaseOp>());
  if (phases.size() != 1)
    return op.emitError("recurrence with '")
           << phases.size() << "' phases is not lowered yet, expected one";
  fused::PhaseOp phase = phases.front();
  if (!phase.getReductions().empty())
    return phase.emitError("phase with reductions is not lowered yet");
  unsigned projections = op.getWeights().size();
  unsigned vectors = op.getVectors().size();
  for (Value factor : phase.getFactors()) {
    unsigned number = cast<BlockArgument>(factor).getArgNumber();
    if (number >= projections && number < projections + vectors)
      return phase.emitError("product of a 'vectors' input is not lowered yet");
  }
  return phase;
}

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

/// Batch rows that share each load of weights. More rows take fewer gates at a
/// time, so 8 only where they are all there.
static unsigned rowsFor(const TargetInfo &target, int64_t batch) {
  unsigned rows = target.lanes >= 8 ? 4 : 2;
  if (ShapedType::isDynamic(batch))
    return rows;
  if (batch >= 8 && target.lanes == 16)
    return 8;
  return std::min<int64_t>(rows, std::max<int64_t>(1, batch));
}

FailureOr<RecurrencePlan> RecurrencePlan::get(fused::RecurrenceOp op,
                                              KernelLowering &lowering) {
  FailureOr<fused::PhaseOp> phase = onlyPhase(op);
  if (failed(phase) || failed(checkOperands(op, *phase)))
    return failure();
  RecurrencePlan plan;
  plan.phase = *phase;
  plan.step = cast<fused::StepOp>(op.getBody().front().getTerminator());
  plan.units =
      cast<fused::UnitsType>(plan.phase.getResult(0).getType()).getSize();
  for (BlockArgument argument : op.getBody().front().getArguments())
    if (cast<fused::UnitsType>(argument.getType()).getSize() != plan.units)
      return op.emitError("recurrence with vectors of several sizes is not "
                          "lowered yet");
  plan.projections = op.getWeights().size();
  plan.vectors = op.getVectors().size();
  plan.states = op.getStates().size();
  plan.outputs = plan.step.getOutputs().size();
  if (plan.projections)
    plan.inputSize =
        cast<ShapedType>(op.getWeights()[0].getType()).getDimSize(0);
  plan.rows = rowsFor(lowering.target, lowering.staticExtent(DimB));
  int64_t stepBytes =
      std::max<int64_t>(1, plan.rows * plan.projectionStride() * 4);
  plan.chunk = std::clamp<int64_t>(projectionBytes / stepBytes, 18, 256);
  // Whole tiles of 6 rows.
  plan.chunk = plan.chunk / 6 * 6;
  return plan;
}

int64_t RecurrencePlan::scratchBytes() const {
  int64_t floats = projectionRows() * projectionStride() + 2 * stateNumbers();
  return floats * 4 + 2 * 64;
}

RecurrenceOperands RecurrenceOperands::get(KernelBuilder &k,
                                           KernelLowering &lowering,
                                           fused::RecurrenceOp op,
                                           const RecurrencePlan &plan,
                                           Value args) {
  RecurrenceOperands at;
  auto views = [&](ValueRange operands) {
    SmallVector<TensorView> list;
    for (Value operand : operands)
      list.push_back(lowering.view(k, args, operand));
    return list;
  };
  if (op.getInput())
    at.input = lowering.view(k, args, op.getInput());
  if (op.getLengths())
    at.lengths = lowering.view(k, args, op.getLengths());
  at.weights = views(op.getWeights());
  at.vectors = views(op.getVectors());
  at.states = views(op.getStates());
  at.outs = views(op.getOuts());
  fused::PhaseOp phase = plan.phase;
  at.matrices = views(phase.getMatrices());
  at.captures = views(phase.getCaptures());
  at.extents = lowering.extents(k, args);
  return at;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

LogicalResult cpu::lowerRecurrence(KernelLowering &lowering,
                                   fused::RecurrenceOp op) {
  FailureOr<RecurrencePlan> plan = RecurrencePlan::get(op, lowering);
  if (failed(plan))
    return failure();
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    return k.ceilDiv(lowering.extents(k, args)[DimB], plan->rows);
  });
  LogicalResult status = success();
  lowering.body(
      [&](KernelBuilder &k, Value args, Value, Value task, Value scratch) {
        RecurrenceOperands at =
            RecurrenceOperands::get(k, lowering, op, *plan, args);
        Value first = k.mul(task, plan->rows);
        auto emit = [&](unsigned rows) {
          RecurrenceTask task(k, op, *plan, at, rows, first, scratch);
          if (failed(task.emit()))
            status = failure();
          return SmallVector<Value>();
        };
        if (plan->rows == 1) {
          emit(1);
          return;
        }
        // A single row does not pay for those that it has not.
        k.ifElse(
            k.eq(k.sub(at.extents[DimB], first), k.i64(1)), {},
            [&] { return emit(1); }, [&] { return emit(plan->rows); });
      });
  lowering.setScratch(plan->scratchBytes());
  return status;
}
