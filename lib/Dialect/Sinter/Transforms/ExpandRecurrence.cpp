//===- ExpandRecurrence.cpp - recurrent layers as scans -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each layer is a sinter.scan whose body is the formula of its description; a
// cell is the scan over an input of one element. What follows knows scans only.
//
//===----------------------------------------------------------------------===//

#include "CellFormulas.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace sinter {
#define GEN_PASS_DEF_SINTEREXPANDRECURRENCE
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

/// One step: the next states from x [B, K] and the states, which `formulas`
/// writes down.
using StepBuilder = llvm::function_ref<SmallVector<Value>(
    CellFormulas &formulas, Value x, ValueRange states)>;

namespace {
/// A scan over one sequence.
struct ScanForm {
  Value sequence;             ///< [B, T, K]
  SmallVector<Value> initial; ///< null: 0
  RankedTensorType state;     ///< [B, H]
  RankedTensorType output;    ///< [B, T, H]; null: states alone
  Value lengths;              ///< null: all of T
  bool reverse = false;
};
} // namespace

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

/// `type` with the extent `size` at `dim`.
static RankedTensorType withExtent(RankedTensorType type, unsigned dim,
                                   int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = size;
  return type.clone(shape);
}

/// Fills the body of a scan, which gets an `element` of the sequence and
/// states.
static void buildStep(OpBuilder &builder, Location loc, const ScanForm &form,
                      Type element, StepBuilder step, Block &body) {
  Value x = body.addArgument(element, loc);
  SmallVector<Value> states;
  for (size_t i = 0; i < form.initial.size(); ++i)
    states.push_back(body.addArgument(form.state, loc));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body);
  CellFormulas formulas(builder, loc);
  SmallVector<Value> next = step(formulas, x, states);
  auto each = ArrayRef(next).take_front(form.output ? 1 : 0);
  YieldOp::create(builder, loc, ValueRange(each), ValueRange(next));
}

/// Builds the scan: the output, if any, then the last states.
static ScanOp buildScan(OpBuilder &builder, Location loc, const ScanForm &form,
                        StepBuilder step) {
  int64_t batch = form.state.getDimSize(0);
  auto sequence = cast<RankedTensorType>(form.sequence.getType());
  Value input =
      castTo(builder, loc, form.sequence, withExtent(sequence, 0, batch));
  Value lengths = form.lengths;
  if (lengths)
    lengths =
        castTo(builder, loc, lengths,
               withExtent(cast<RankedTensorType>(lengths.getType()), 0, batch));
  SmallVector<Value> initial;
  SmallVector<bool> zeros;
  SmallVector<Type> types;
  if (form.output)
    types.push_back(form.output);
  for (Value value : form.initial) {
    zeros.push_back(!value);
    types.push_back(form.state);
    if (value)
      initial.push_back(castTo(builder, loc, value, form.state));
  }
  auto scan = ScanOp::create(builder, loc, types, ValueRange{input}, initial,
                             lengths, builder.getDenseBoolArrayAttr(zeros),
                             form.reverse ? builder.getUnitAttr() : nullptr);
  auto element = RankedTensorType::get({batch, sequence.getDimSize(2)},
                                       sequence.getElementType());
  buildStep(builder, loc, form, element, step, scan.getBody().emplaceBlock());
  return scan;
}

//===----------------------------------------------------------------------===//
// Layers and cells
//===----------------------------------------------------------------------===//

/// [B, T, ...] from [T, B, ...] and the other way round.
static Value exchangeTime(OpBuilder &builder, Location loc, Value value) {
  return TransposeOp::create(builder, loc, value, ArrayRef<int64_t>{1, 0, 2});
}

template <typename OpT>
static void expandLayer(OpT op, SmallVector<Value> initial, StepBuilder step) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  bool timeMajor = op.getTimeMajor();
  ScanForm form;
  form.sequence = op.getInput();
  form.output = cast<RankedTensorType>(op.getOutput().getType());
  if (timeMajor) {
    form.sequence = exchangeTime(builder, loc, form.sequence);
    ArrayRef<int64_t> shape = form.output.getShape();
    form.output = form.output.clone({shape[1], shape[0], shape[2]});
  }
  form.initial = std::move(initial);
  form.state = cast<RankedTensorType>(op.getHidden().getType());
  form.lengths = op.getLengths();
  form.reverse = op.getReverse();
  ScanOp scan = buildScan(builder, loc, form, step);
  SmallVector<Value> results(scan.getResults());
  if (timeMajor)
    results[0] = exchangeTime(builder, loc, results[0]);
  op->replaceAllUsesWith(results);
  op->erase();
}

/// The input [B, K] is a sequence of one element; in a user's scan the cell is
/// a part of the step.
template <typename OpT>
static void expandCell(OpT op, ArrayRef<Value> states, StepBuilder step) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  if (op->template getParentOfType<ScanOp>()) {
    CellFormulas formulas(builder, loc);
    op->replaceAllUsesWith(step(formulas, op.getInput(), states));
    op->erase();
    return;
  }
  auto row = cast<RankedTensorType>(op.getInput().getType());
  auto type = row.clone({row.getDimSize(0), 1, row.getDimSize(1)});
  OpFoldResult batch = reifyExtent(builder, loc, op.getInput(), 0);
  ScanForm form;
  form.sequence = tensor::ExpandShapeOp::create(
      builder, loc, type, op.getInput(),
      SmallVector<ReassociationIndices>{{0, 1}, {2}},
      {batch, builder.getIndexAttr(1),
       builder.getIndexAttr(row.getDimSize(1))});
  form.initial.assign(states.begin(), states.end());
  form.state = cast<RankedTensorType>(op->getResult(0).getType());
  op->replaceAllUsesWith(buildScan(builder, loc, form, step));
  op->erase();
}

/// What the cell has, with one bias where only the sum of both counts.
template <typename OpT>
static CellOperands cellOf(OpT op, bool addsBiases = true) {
  CellOperands cell = CellOperands::get(op);
  if (!addsBiases || !cell.recurrentBias)
    return cell;
  OpBuilder builder(op);
  cell.inputBias = arith::AddFOp::create(builder, op.getLoc(), cell.inputBias,
                                         cell.recurrentBias);
  cell.recurrentBias = Value();
  return cell;
}

/// A step of `op`, whichever form it has.
template <typename OpT> static auto rnnStep(OpT op) {
  return [cell = cellOf(op)](CellFormulas &f, Value x, ValueRange states) {
    return f.rnn(cell, x, states);
  };
}

template <typename OpT> static auto gruStep(OpT op) {
  CellOperands cell = cellOf(op, *op.getReset() == Reset::Before);
  return [op, cell](CellFormulas &f, Value x, ValueRange states) mutable {
    return f.gru(cell, op.getGates(), *op.getReset(), x, states);
  };
}

template <typename OpT> static auto lstmStep(OpT op) {
  return [op, cell = cellOf(op)](CellFormulas &f, Value x,
                                 ValueRange states) mutable {
    return f.lstm(cell, op.getGates(), op.getPeephole(), op.getCoupled(), x,
                  states);
  };
}

static void expand(Operation *op) {
  if (auto rnn = dyn_cast<RnnOp>(op))
    expandLayer(rnn, {rnn.getInitialHidden()}, rnnStep(rnn));
  else if (auto gru = dyn_cast<GruOp>(op))
    expandLayer(gru, {gru.getInitialHidden()}, gruStep(gru));
  else if (auto lstm = dyn_cast<LstmOp>(op))
    expandLayer(lstm, {lstm.getInitialHidden(), lstm.getInitialCell()},
                lstmStep(lstm));
  else if (auto rnnCell = dyn_cast<RnnCellOp>(op))
    expandCell(rnnCell, {rnnCell.getHidden()}, rnnStep(rnnCell));
  else if (auto gruCell = dyn_cast<GruCellOp>(op))
    expandCell(gruCell, {gruCell.getHidden()}, gruStep(gruCell));
  else if (auto lstmCell = dyn_cast<LstmCellOp>(op))
    expandCell(lstmCell, {lstmCell.getHidden(), lstmCell.getCell()},
               lstmStep(lstmCell));
}

namespace {
struct ExpandRecurrencePass
    : sinter::impl::SinterExpandRecurrenceBase<ExpandRecurrencePass> {
  void runOnOperation() override { getOperation().walk(expand); }
};
} // namespace
