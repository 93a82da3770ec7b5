//===- ToRecurrence.cpp - Recurrent layers --------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sinter;

namespace {
// Dimensions of fused.recurrence.
enum : unsigned { B, T, U, K, rank };

/// What `sinter.lstm` and a cell at T = 1 have in common.
struct Lstm {
  Operation *op;
  Value input, weight, recurrence, inputBias, recurrentBias;
  Value hidden, cell, lengths;
  StringRef gates;
  bool reverse;
  SmallVector<Value> outs;
};
} // namespace

static constexpr StringLiteral gateOrder = "ifgo";

/// The sum of both biases for one gate: of weights alone, so made at compile
/// time.
static Value gateBias(EntryLowering &lowering, const Lstm &lstm, int64_t first,
                      int64_t units) {
  MLIRContext *context = lowering.builder.getContext();
  AffineMap map =
      AffineMap::get(1, 0, getAffineDimExpr(0, context) + first, context);
  fused::MapSpec spec;
  spec.space = {{"i"}, {units}};
  for (Value bias : {lstm.inputBias, lstm.recurrentBias})
    if (bias)
      spec.inputs.push_back({bias, map});
  auto type = RankedTensorType::get({units}, lowering.builder.getF32Type());
  spec.destinations.add(lowering.empty(type, {lowering.constantIndex(units)}),
                        identityMap(context, 1));
  spec.body = [](OpBuilder &b, Location loc, ValueRange args) {
    Value sum = args[0];
    if (args.size() > 1)
      sum = arith::AddFOp::create(b, loc, sum, args[1]);
    return SmallVector<Value>{sum};
  };
  return fused::buildMap(lowering.builder, lstm.op->getLoc(), spec)
      .getResult(0);
}

namespace {
/// Stacks of the four gates and a bias per gate, in `gateOrder`; no bias where
/// the layer has none.
struct GateWeights {
  Value input, recurrence;
  SmallVector<Value> bias;
};
} // namespace

/// The rows of the stored weights that belong to each gate.
static GateWeights stackGates(EntryLowering &lowering, const Lstm &lstm,
                              int64_t units) {
  SmallVector<StoredMatrix> input, recurrence;
  GateWeights gates;
  for (char gate : gateOrder) {
    int64_t first = static_cast<int64_t>(lstm.gates.find(gate)) * units;
    input.push_back({lstm.weight, /*isInOut=*/false, first});
    recurrence.push_back({lstm.recurrence, /*isInOut=*/false, first});
    if (lstm.inputBias || lstm.recurrentBias)
      gates.bias.push_back(gateBias(lowering, lstm, first, units));
  }
  gates.input = lowering.stack(input, units);
  gates.recurrence = lowering.stack(recurrence, units);
  return gates;
}

/// Arguments: four products, four projections, the cell, the biases if any;
/// yields the new hidden and cell.
static SmallVector<Value> cellMap(OpBuilder &b, Location loc, ValueRange args) {
  bool hasBias = args.size() > 9;
  auto gate = [&](unsigned i) {
    Value sum = arith::AddFOp::create(b, loc, args[4 + i], args[i]);
    return hasBias ? arith::AddFOp::create(b, loc, sum, args[9 + i]) : sum;
  };
  Value i = fused::SigmoidOp::create(b, loc, gate(0));
  Value f = fused::SigmoidOp::create(b, loc, gate(1));
  Value g = math::TanhOp::create(b, loc, gate(2));
  Value o = fused::SigmoidOp::create(b, loc, gate(3));
  Value kept = arith::MulFOp::create(b, loc, f, args[8]);
  Value added = arith::MulFOp::create(b, loc, i, g);
  Value cell = arith::AddFOp::create(b, loc, kept, added);
  Value t = math::TanhOp::create(b, loc, cell);
  return {arith::MulFOp::create(b, loc, o, t), cell};
}

/// One phase: the gates' products with the hidden state, then the cell.
static SmallVector<Value> lower(EntryLowering &lowering, const Lstm &lstm) {
  MLIRContext *context = lowering.builder.getContext();
  Location loc = lstm.op->getLoc();
  auto map = [&](ArrayRef<unsigned> dims) {
    return selectMap(context, rank, dims);
  };
  int64_t units =
      cast<RankedTensorType>(lstm.recurrence.getType()).getDimSize(1);
  fused::RecurrenceSpec spec;
  spec.space = {{"b", "t", "u", "k"}};
  spec.input = fused::Access{lstm.input, map({B, T, K})};
  GateWeights gates = stackGates(lowering, lstm, units);
  spec.weights = {gates.input};
  spec.states = {{lstm.hidden, map({B, U})}, {lstm.cell, map({B, U})}};
  if (lstm.lengths)
    spec.lengths = fused::Access{lstm.lengths, map({B})};
  spec.reverse = lstm.reverse;
  spec.outs = {{lstm.outs[0], map({B, T, U})},
               {lstm.outs[1], map({B, U})},
               {lstm.outs[2], map({B, U})}};
  spec.step = [&](OpBuilder &b, Location l, ValueRange args) {
    Value hidden = args[4], cell = args[5];
    fused::PhaseSpec phase;
    phase.units = units;
    phase.products = {{hidden, gates.recurrence}};
    phase.vectors.assign(args.begin(), args.begin() + 4);
    phase.vectors.push_back(cell);
    for (Value bias : gates.bias)
      phase.captures.push_back({bias, map({U})});
    phase.map = cellMap;
    auto made = fused::addPhase(b, l, phase);
    return fused::StepValues{{made.getResult(0)},
                             {made.getResult(0), made.getResult(1)}};
  };
  auto recurrence = fused::buildRecurrence(lowering.builder, loc, spec);
  return SmallVector<Value>(recurrence.getResults());
}

/// Clauses that only the expansion to a scan takes.
template <typename OpT> static LogicalResult checkClauses(OpT op) {
  if (op.getActivations() || op.getClip() || op.getInOut() ||
      op.getPeephole() || op.getCoupled())
    return op.emitError("clauses other than 'gates', 'init', 'lengths' and "
                        "'reverse' are not lowered yet");
  return success();
}

Lowered sinter::lowerLstm(EntryLowering &lowering, LstmOp op) {
  if (failed(checkClauses(op)))
    return failure();
  if (op.getTimeMajor())
    return op.emitError("'time_major' is not lowered yet");
  Lstm lstm{op,
            op.getInput(),
            op.getWeight(),
            op.getRecurrence(),
            op.getInputBias(),
            op.getRecurrentBias(),
            op.getInitialHidden(),
            op.getInitialCell(),
            op.getLengths(),
            op.getGates(),
            op.getReverse(),
            {}};
  for (OpResult result : op->getResults())
    lstm.outs.push_back(lowering.destination(result));
  for (Value *state : {&lstm.hidden, &lstm.cell})
    if (!*state) {
      OpResult like = op->getResult(1);
      *state = lowering.filled(
          cast<RankedTensorType>(like.getType()), lowering.resultExtents(like),
          lowering.builder.getF32FloatAttr(0.0), op.getLoc());
    }
  return lower(lowering, lstm);
}

/// The cell is the layer at T = 1.
Lowered sinter::lowerLstmCell(EntryLowering &lowering, LstmCellOp op) {
  if (failed(checkClauses(op)))
    return failure();
  Location loc = op.getLoc();
  int64_t size = op.getInput().getType().getDimSize(1);
  Lstm lstm{op,
            lowering.expand(loc, op.getInput(), 1, {1, size}),
            op.getWeight(),
            op.getRecurrence(),
            op.getInputBias(),
            op.getRecurrentBias(),
            op.getHidden(),
            op.getCell(),
            Value(),
            op.getGates(),
            /*reverse=*/false,
            {}};
  auto hidden = op.getNextHidden().getType();
  SmallVector<Value> extents = lowering.resultExtents(op->getResult(0));
  auto sequence = RankedTensorType::get(
      {hidden.getDimSize(0), 1, hidden.getDimSize(1)}, hidden.getElementType());
  lstm.outs = {lowering.empty(sequence, {extents[0], lowering.constantIndex(1),
                                         extents[1]}),
               lowering.destination(op->getResult(0)),
               lowering.destination(op->getResult(1))};
  SmallVector<Value> values = lower(lowering, lstm);
  return SmallVector<Value>{values[1], values[2]};
}
