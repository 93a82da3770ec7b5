//===- RecurrenceOps.cpp - Recurrent layers and cells on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Reference/Recurrence.h"

using namespace mlir;

namespace sinter {

using reference::CellStates;
using reference::CellWeights;

/// The cell that an op computes, at one step.
using Cell = std::function<CellStates(const Tensor &, const CellStates &)>;

/// Weights without gates and activations, which the caller owns.
template <typename OpT>
static CellWeights weightsOf(OpT op, ArrayRef<CellActivation> activations,
                             EntryRun &run) {
  CellWeights weights{&run.get(op.getWeight()), &run.get(op.getRecurrence())};
  weights.inputBias = run.getOptional(op.getInputBias());
  weights.recurrentBias = run.getOptional(op.getRecurrentBias());
  weights.inOut = op.getInOut();
  weights.activations = activations;
  weights.clip = op.getClipValue();
  weights.noise = run.noise;
  return weights;
}

template <typename OpT> static Cell makeRnn(OpT op, EntryRun &run) {
  return [op, &run](const Tensor &x, const CellStates &states) mutable {
    auto activations = op.getCellActivations();
    return reference::rnnCell(x, states, weightsOf(op, activations, run));
  };
}

template <typename OpT> static Cell makeGru(OpT op, EntryRun &run) {
  return [op, &run](const Tensor &x, const CellStates &states) mutable {
    auto activations = op.getCellActivations();
    CellWeights weights = weightsOf(op, activations, run);
    weights.gates = op.getGates();
    return reference::gruCell(x, states, weights, *op.getReset());
  };
}

template <typename OpT> static Cell makeLstm(OpT op, EntryRun &run) {
  return [op, &run](const Tensor &x, const CellStates &states) mutable {
    auto activations = op.getCellActivations();
    CellWeights weights = weightsOf(op, activations, run);
    weights.gates = op.getGates();
    return reference::lstmCell(
        x, states, weights, run.getOptional(op.getPeephole()), op.getCoupled());
  };
}

/// Runs a layer from `initial`, where a null value is 0.
template <typename OpT>
static LogicalResult runLayer(OpT op, ValueRange initial, unsigned states,
                              const Cell &cell, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  bool timeMajor = op.getTimeMajor();
  int64_t batch = x.dim(timeMajor ? 1 : 0), time = x.dim(timeMajor ? 0 : 1);
  int64_t units = run.get(op.getRecurrence()).dim(op.getInOut() ? 0 : 1);
  FailureOr<RowValues> lengths =
      rowLengths(op, run.getOptional(op.getLengths()), batch, time);
  if (failed(lengths))
    return failure();
  CellStates first(states, Tensor({batch, units}, x.elementType()));
  for (auto [i, state] : llvm::enumerate(initial)) {
    first[i] = run.get(state);
    if (failed(checkSame(op, "rows of init", batch, first[i].dim(0))))
      return failure();
  }
  reference::LayerResult result = reference::runLayer(
      x, std::move(first), {*lengths, op.getReverse(), timeMajor}, cell);
  run.define(op.getOutput(), std::move(result.output));
  for (auto [value, state] :
       llvm::zip_equal(op->getResults().drop_front(), result.states))
    run.define(value, std::move(state));
  return success();
}

template <typename OpT>
static LogicalResult runCell(OpT op, ValueRange states, const Cell &cell,
                             EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  CellStates before;
  for (Value state : states) {
    before.push_back(run.get(state));
    if (failed(
            checkSame(op, "rows of a state", x.dim(0), before.back().dim(0))))
      return failure();
  }
  CellStates after = cell(x, before);
  for (auto [value, state] : llvm::zip_equal(op->getResults(), after))
    run.define(value, std::move(state));
  return success();
}

/// The operands of `init`, or none.
static SmallVector<Value> present(ArrayRef<Value> values) {
  SmallVector<Value> list;
  llvm::copy_if(values, std::back_inserter(list),
                [](Value value) { return static_cast<bool>(value); });
  return list;
}

static LogicalResult runRnn(RnnOp op, EntryRun &run) {
  return runLayer(op, present({op.getInitialHidden()}), /*states=*/1,
                  makeRnn(op, run), run);
}

static LogicalResult runGru(GruOp op, EntryRun &run) {
  return runLayer(op, present({op.getInitialHidden()}), /*states=*/1,
                  makeGru(op, run), run);
}

static LogicalResult runLstm(LstmOp op, EntryRun &run) {
  return runLayer(op, present({op.getInitialHidden(), op.getInitialCell()}),
                  /*states=*/2, makeLstm(op, run), run);
}

static LogicalResult runRnnCell(RnnCellOp op, EntryRun &run) {
  return runCell(op, {op.getHidden()}, makeRnn(op, run), run);
}

static LogicalResult runGruCell(GruCellOp op, EntryRun &run) {
  return runCell(op, {op.getHidden()}, makeGru(op, run), run);
}

static LogicalResult runLstmCell(LstmCellOp op, EntryRun &run) {
  return runCell(op, {op.getHidden(), op.getCell()}, makeLstm(op, run), run);
}

void addRecurrenceOps(OpTable &table) {
  table.add<RnnOp>(runRnn);
  table.add<GruOp>(runGru);
  table.add<LstmOp>(runLstm);
  table.add<RnnCellOp>(runRnnCell);
  table.add<GruCellOp>(runGruCell);
  table.add<LstmCellOp>(runLstmCell);
}

} // namespace sinter
