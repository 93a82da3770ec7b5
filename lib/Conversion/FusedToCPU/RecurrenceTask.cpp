//===- RecurrenceTask.cpp - All steps of a few batch rows -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrenceTask.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

RecurrenceTask::RecurrenceTask(KernelLowering &lowering, KernelBuilder &k,
                               fused::RecurrenceOp op,
                               const RecurrencePlan &plan,
                               const RecurrenceOperands &at, unsigned rows,
                               Value firstRow, Value scratch)
    : lowering(lowering), k(k), op(op), plan(plan), at(at), rows(rows),
      lanes(k.target.lanes), f32(k.getF32Type()),
      vector(KernelBuilder::vec(f32, lanes)), firstRow(firstRow),
      projectionBase(scratch) {
  stateBase = gepF32(scratch, plan.projectionRows() * plan.projectionStride);
  resultBase = gepF32(stateBase, 2 * rows * plan.stateStride);
  productBase = gepF32(resultBase, rows * plan.resultStride);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

RecurrenceTask::Row RecurrenceTask::rowAt(Value number) {
  Value last = k.sub(at.extents[DimB], k.i64(1));
  Row row{k.min(k.add(firstRow, number), last), at.extents[DimT]};
  if (!at.lengths)
    return row;
  SmallVector<LaneIndex> dims(4, LaneIndex::uniform(k.i64(0)));
  dims[DimB] = LaneIndex::uniform(row.batch);
  Value length =
      loadLanes(k, locate(k, *at.lengths, *op.getLengthsMap(), dims));
  row.length = k.max(k.i64(0), k.min(row.length, length));
  return row;
}

/// Where the row reads and writes in a step. Past its length that is the step
/// itself, where it writes 0.
Value RecurrenceTask::timeOf(const Row &row, Value step) {
  if (!op.getReverse())
    return step;
  Value mirrored = k.sub(k.sub(row.length, k.i64(1)), step);
  return at.lengths ? k.select(k.lt(step, row.length), mirrored, step)
                    : mirrored;
}

SmallVector<LaneIndex> RecurrenceTask::point(const Row &row, Value time) {
  SmallVector<LaneIndex> dims(4, LaneIndex::uniform(k.i64(0)));
  dims[DimB] = LaneIndex::uniform(row.batch);
  dims[DimT] = LaneIndex::uniform(time);
  return dims;
}

/// The states of a row before step `stepNumber`: there are two copies.
Value RecurrenceTask::stateRow(Value stepNumber, unsigned row) {
  Value half = k.mul(k.rem(stepNumber, 2), rows * plan.stateStride);
  return gepF32(k.gep(f32, stateBase, half), row * plan.stateStride);
}

void RecurrenceTask::forUnits(int64_t count,
                              llvm::function_ref<void(Lanes)> body) {
  int64_t whole = count / lanes * lanes;
  if (whole != 0)
    k.loop(k.i64(0), k.i64(whole), lanes,
           [&](Value first) { body({first, nullptr}); });
  if (whole != count)
    body({k.i64(whole), k.i64(count - whole)});
}

//===----------------------------------------------------------------------===//
// States and outputs at both ends
//===----------------------------------------------------------------------===//

void RecurrenceTask::loadStates() {
  for (auto [state, argument] : llvm::enumerate(plan.stateArguments())) {
    AffineMap map = cast<AffineMapAttr>(op.getStateMaps()[state]).getValue();
    for (unsigned i = 0; i < rows; ++i) {
      SmallVector<LaneIndex> dims = point(batchRows[i], k.i64(0));
      Value to = gepF32(stateRow(k.i64(0), i), plan.places.at(argument).offset);
      forUnits(plan.unitsOf(argument), [&](Lanes piece) {
        dims[DimU] = LaneIndex::consecutive(piece.first, lanes, lanes);
        Value value =
            loadLanes(k, locate(k, at.states[state], map, dims), piece.active);
        k.store(k.broadcast(value, lanes), k.gep(f32, to, piece.first),
                lanes * 4);
      });
    }
  }
}

void RecurrenceTask::storeStates(Value steps) {
  for (auto [state, argument] : llvm::enumerate(plan.stateArguments())) {
    unsigned out = at.outs.size() - at.states.size() + state;
    AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
    for (unsigned i = 0; i < rows; ++i) {
      SmallVector<LaneIndex> dims = point(batchRows[i], k.i64(0));
      Value from = gepF32(stateRow(steps, i), plan.places.at(argument).offset);
      forUnits(plan.unitsOf(argument), [&](Lanes piece) {
        dims[DimU] = LaneIndex::consecutive(piece.first, lanes, lanes);
        storeLanes(k, k.load(vector, k.gep(f32, from, piece.first), lanes * 4),
                   locate(k, at.outs[out], map, dims), piece.active);
      });
    }
  }
}

/// Steps that no row takes.
void RecurrenceTask::clearOutputs(Value steps) {
  fused::StepOp end = plan.step;
  k.loop(steps, at.extents[DimT], 1, [&](Value time) {
    for (auto [out, units] : llvm::enumerate(end.getOutputs()))
      for (const Row &row : batchRows) {
        AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
        SmallVector<LaneIndex> dims = point(row, time);
        forUnits(plan.unitsOf(units), [&](Lanes piece) {
          dims[DimU] = LaneIndex::consecutive(piece.first, lanes, lanes);
          storeLanes(k, k.zero(vector), locate(k, at.outs[out], map, dims),
                     piece.active);
        });
      }
  });
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

LogicalResult RecurrenceTask::emit() {
  Value steps = k.i64(0);
  for (unsigned i = 0; i < rows; ++i) {
    batchRows.push_back(rowAt(k.i64(i)));
    steps = k.max(steps, batchRows.back().length);
  }
  loadStates();
  // Fewer rows make longer chunks of the same buffer.
  int64_t chunk = plan.chunk * plan.rows / rows;
  k.loop(k.i64(0), steps, chunk, [&](Value firstStep) {
    Value count = k.min(k.i64(chunk), k.sub(steps, firstStep));
    if (at.input)
      project(firstStep, count);
    k.loop(k.i64(0), count, 1,
           [&](Value inChunk) { step(k.add(firstStep, inChunk), inChunk); });
  });
  storeStates(steps);
  if (at.lengths)
    clearOutputs(steps);
  return status;
}
