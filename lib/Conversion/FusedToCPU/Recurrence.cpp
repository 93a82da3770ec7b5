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

#include <functional>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

RecurrenceOperands RecurrenceOperands::get(KernelBuilder &k,
                                           KernelLowering &lowering,
                                           fused::RecurrenceOp op, Value args) {
  RecurrenceOperands at;
  auto add = [&](SmallVector<TensorView> &to, ValueRange operands) {
    for (Value operand : operands)
      to.push_back(lowering.view(k, args, operand));
  };
  if (op.getInput())
    at.input = lowering.view(k, args, op.getInput());
  if (op.getLengths())
    at.lengths = lowering.view(k, args, op.getLengths());
  add(at.weights, op.getWeights());
  add(at.vectors, op.getVectors());
  add(at.states, op.getStates());
  add(at.outs, op.getOuts());
  for (auto phase : op.getBody().front().getOps<fused::PhaseOp>()) {
    add(at.matrices, phase.getMatrices());
    add(at.captures, phase.getCaptures());
  }
  at.extents = lowering.extents(k, args);
  at.notice = lowering.notice(k, args);
  return at;
}

LogicalResult cpu::lowerSkeleton(KernelLowering &lowering,
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
        RecurrenceOperands at = RecurrenceOperands::get(k, lowering, op, args);
        Value first = k.mul(task, plan->rows);
        auto emit = [&](unsigned rows) {
          RecurrenceTask task(lowering, k, op, *plan, at, rows, first, scratch);
          if (failed(task.emit()))
            status = failure();
          return SmallVector<Value>();
        };
        // One or two rows do not pay for those that they have not.
        Value left = k.sub(at.extents[DimB], first);
        std::function<SmallVector<Value>(unsigned)> emitFrom =
            [&](unsigned rows) -> SmallVector<Value> {
          if (rows >= 3 || rows >= plan->rows)
            return emit(plan->rows);
          return k.ifElse(
              k.le(left, k.i64(rows)), {}, [&] { return emit(rows); },
              [&] { return emitFrom(rows + 1); });
        };
        emitFrom(1);
      });
  lowering.setScratch(plan->scratchBytes());
  return status;
}
