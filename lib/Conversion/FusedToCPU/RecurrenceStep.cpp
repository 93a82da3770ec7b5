//===- RecurrenceStep.cpp - One step of a recurrence ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A phase takes its units 16 at a time: all products for them stay in registers
// until the map has made the results of these units. What the step ends with is
// stored as soon as it is made, what later phases need is kept in scratch.
//
//===----------------------------------------------------------------------===//

#include "ProductTile.h"
#include "RecurrenceTask.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// Numbers of a row
//===----------------------------------------------------------------------===//

RecurrenceTask::RowStep RecurrenceTask::rowStep(unsigned row, Value number,
                                                Value inChunk) {
  RowStep step;
  const Row &of = batchRows[row];
  step.dims = point(of, timeOf(of, number));
  if (at.lengths)
    step.active = k.broadcast(k.lt(number, of.length), lanes);
  Value inBuffer = k.add(k.mul(inChunk, rows), row);
  step.projections =
      k.gep(f32, projectionBase, k.mul(inBuffer, plan.projectionStride));
  step.states = stateRow(number, row);
  step.nextStates = stateRow(k.add(number, 1), row);
  step.results = gepF32(resultBase, row * plan.resultStride);
  step.products = gepF32(productBase, row * plan.productStride);
  return step;
}

/// The numbers of units that lie in scratch memory.
Value RecurrenceTask::numbersOf(const RowStep &row, const UnitsPlace &place) {
  Value base = place.kind == UnitsPlace::Projection ? row.projections
               : place.kind == UnitsPlace::State    ? row.states
                                                    : row.results;
  return gepF32(base, place.offset);
}

/// The numbers of a row that a product takes as its factor.
Value RecurrenceTask::factorRow(const RowStep &row, const UnitsPlace &place) {
  if (place.kind != UnitsPlace::Input)
    return numbersOf(row, place);
  const TensorView &view = at.vectors[place.offset];
  AffineMap map =
      cast<AffineMapAttr>(op.getVectorMaps()[place.offset]).getValue();
  return k.gep(f32, view.pointer, locate(k, view, map, row.dims).offset.base);
}

Value RecurrenceTask::load(const RowStep &row, Value units, Lanes piece) {
  UnitsPlace place = plan.places.lookup(units);
  if (place.kind != UnitsPlace::Input)
    return k.load(vector, k.gep(f32, numbersOf(row, place), piece.first),
                  lanes * 4);
  AffineMap map =
      cast<AffineMapAttr>(op.getVectorMaps()[place.offset]).getValue();
  SmallVector<LaneIndex> dims = row.dims;
  dims[DimU] = LaneIndex::consecutive(piece.first, lanes, lanes);
  return k.broadcast(loadLanes(k,
                               locate(k, at.vectors[place.offset], map, dims),
                               piece.active),
                     lanes);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Products that one tile takes: as many as the registers hold, in equal
/// parts. A single row uses each weight once, straight from memory.
unsigned RecurrenceTask::productsPerTile(unsigned products) const {
  unsigned vectors = 16 / lanes, reserved = k.target.hasFma ? 1 : 2, fit = 1;
  auto registers = [&](unsigned columns) {
    return rows * columns + (rows == 1 ? 2 : columns) + reserved;
  };
  while (fit < products && registers((fit + 1) * vectors) <= k.target.registers)
    ++fit;
  return llvm::divideCeil(products, llvm::divideCeil(products, fit));
}

/// Products of one factor for 16 units from `first` on.
void RecurrenceTask::productTile(const PhasePlan &phase,
                                 ArrayRef<unsigned> group, Value first,
                                 MutableArrayRef<Value> result) {
  unsigned vectors = 16 / lanes, columns = group.size() * vectors;
  UnitsPlace place = plan.places.lookup(phase.products[group[0]].factor);
  SmallVector<Value> factors, bases;
  for (const RowStep &row : steps)
    factors.push_back(factorRow(row, place));
  for (unsigned number : group) {
    const ProductPlan &product = phase.products[number];
    const fused::MatrixStack &stack = product.stack;
    bases.push_back(
        k.gep(f32, at.matrices[product.matrix].pointer,
              k.mul(k.div(first, 16), stack.rows * stack.count * 16)));
  }
  auto factor = [&](unsigned i, Value t, int64_t plus) {
    return k.load(f32, k.gep(f32, k.gep(f32, factors[i], t), k.i64(plus)));
  };
  auto weight = [&](unsigned j, Value t, int64_t plus) {
    const ProductPlan &product = phase.products[group[j / vectors]];
    int64_t pitch = product.stack.count * 16;
    Value row = k.gep(f32, bases[j / vectors], k.mul(t, pitch));
    int64_t offset = plus * pitch + product.gate * 16 + j % vectors * lanes;
    return k.load(vector, k.gep(f32, row, k.i64(offset)), lanes * 4);
  };
  ProductTile tile{rows, SmallVector<Type>(columns, vector)};
  int64_t depth = phase.products[group[0]].stack.rows;
  SmallVector<Value> sums =
      tile.emit(k, k.i64(0), k.i64(depth), factor, weight);
  for (auto [g, product] : llvm::enumerate(group))
    for (unsigned i = 0; i < rows; ++i)
      for (unsigned v = 0; v < vectors; ++v)
        result[(product * rows + i) * vectors + v] =
            sums[i * columns + g * vectors + v];
}

/// All products for 16 units from `first` on, in the order product, row,
/// vector. Those with one factor share its broadcasts.
SmallVector<Value> RecurrenceTask::products(const PhasePlan &phase,
                                            Value first) {
  llvm::MapVector<Value, SmallVector<unsigned>> byFactor;
  for (auto [number, product] : llvm::enumerate(phase.products))
    byFactor[product.factor].push_back(number);
  SmallVector<Value> result(phase.products.size() * rows * (16 / lanes));
  for (auto &[factor, group] : byFactor) {
    unsigned perTile = productsPerTile(group.size());
    for (ArrayRef<unsigned> rest = group; !rest.empty();) {
      productTile(phase, rest.take_front(perTile), first, result);
      rest = rest.drop_front(std::min<size_t>(perTile, rest.size()));
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Runs a region of the phase: products, vectors, reductions, captures.
SmallVector<Value> RecurrenceTask::run(Block &block, const PhasePlan &phase,
                                       const RowStep &row, Lanes piece,
                                       ArrayRef<Value> products,
                                       ArrayRef<Value> reductions) {
  fused::PhaseOp phaseOp = phase.op;
  SmallVector<LaneIndex> dims = row.dims;
  dims[DimU] = LaneIndex::consecutive(piece.first, lanes, lanes);
  SmallVector<RegionArgument> arguments(products.begin(), products.end());
  for (Value units : phaseOp.getVectors())
    arguments.push_back(load(row, units, piece));
  llvm::append_range(arguments, reductions);
  for (auto [i, attr] : llvm::enumerate(phaseOp.getCaptureMaps()))
    arguments.push_back(readArgument(k, at.captures[phase.firstCapture + i],
                                     fused::getOptionalMap(attr), dims, {},
                                     piece.active));
  ClampReport report{at.notice, piece.active};
  // A row that is past its length has nothing to tell.
  if (at.notice && row.active)
    report.active =
        k.select(k.extract(row.active, 0),
                 piece.active ? piece.active : k.i64(lanes), k.i64(0));
  FailureOr<SmallVector<Value>> made =
      emitRegion(k, block, arguments, lanes, report);
  if (succeeded(made))
    return *made;
  status = failure();
  // Something of the right type, so that what follows can be emitted.
  SmallVector<Value> nothing;
  for (Type type : block.getTerminator()->getOperandTypes())
    nothing.push_back(k.zero(type));
  return nothing;
}

/// Where units that were just made, or an argument of the step, are needed.
void RecurrenceTask::store(const RowStep &row, Value units, Value value,
                           Lanes piece) {
  auto place = plan.places.find(units);
  if (place != plan.places.end() && place->second.kind == UnitsPlace::Result)
    k.store(value, k.gep(f32, numbersOf(row, place->second), piece.first),
            lanes * 4);
  fused::StepOp end = plan.step;
  ArrayRef<BlockArgument> states =
      op.getBody().front().getArguments().take_back(at.states.size());
  for (auto [state, next] : llvm::zip_equal(states, end.getStates())) {
    if (next != units)
      continue;
    int64_t offset = plan.places.at(state).offset;
    Value made = row.active
                     ? k.select(row.active, value, load(row, state, piece))
                     : value;
    k.store(made, k.gep(f32, gepF32(row.nextStates, offset), piece.first),
            lanes * 4);
  }
  SmallVector<LaneIndex> dims = row.dims;
  dims[DimU] = LaneIndex::consecutive(piece.first, lanes, lanes);
  for (auto [out, output] : llvm::enumerate(end.getOutputs())) {
    if (output != units)
      continue;
    Value made =
        row.active ? k.select(row.active, value, k.zero(vector)) : value;
    AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
    storeLanes(k, made, locate(k, at.outs[out], map, dims), piece.active);
  }
}

void RecurrenceTask::mapUnits(const PhasePlan &phase, const RowStep &row,
                              Lanes piece, ArrayRef<Value> products,
                              ArrayRef<Value> reductions) {
  fused::PhaseOp phaseOp = phase.op;
  SmallVector<Value> made =
      run(phaseOp.getMap().front(), phase, row, piece, products, reductions);
  for (auto [units, value] : llvm::zip_equal(phaseOp.getResults(), made))
    store(row, units, k.broadcast(value, lanes), piece);
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

/// Calls `body` for 16 units from `first` on; `left` where some of them are
/// past the last one.
void RecurrenceTask::forPanels(
    const PhasePlan &phase,
    llvm::function_ref<void(Value first, std::optional<int64_t> left)> body) {
  int64_t whole = phase.units / 16 * 16;
  if (whole != 0)
    k.loop(k.i64(0), k.i64(whole), 16,
           [&](Value first) { body(first, std::nullopt); });
  if (whole != phase.units)
    body(k.i64(whole), phase.units - whole);
}

void RecurrenceTask::phase(const PhasePlan &phase) {
  fused::PhaseOp phaseOp = phase.op;
  if (!phaseOp.getReductions().empty())
    return reducingPhase(phase);
  forPanels(phase, [&](Value first, std::optional<int64_t> left) {
    unsigned vectors = 16 / lanes;
    SmallVector<Value> sums = products(phase, first);
    for (unsigned v = 0; v < vectors; ++v) {
      Lanes piece{k.add(first, v * lanes), nullptr};
      int64_t existing = left ? *left - v * lanes : lanes;
      if (existing <= 0)
        break;
      if (existing < lanes)
        piece.active = k.i64(existing);
      for (unsigned i = 0; i < rows; ++i) {
        SmallVector<Value> mine;
        for (unsigned product = 0; product < phase.products.size(); ++product)
          mine.push_back(sums[(product * rows + i) * vectors + v]);
        mapUnits(phase, steps[i], piece, mine, {});
      }
    }
  });
}

/// Arguments of the step with which it ends as they are.
void RecurrenceTask::storeArguments(const RowStep &row) {
  for (Value argument : op.getBody().front().getArguments())
    if (llvm::is_contained(plan.step->getOperands(), argument))
      forUnits(plan.unitsOf(argument), [&](Lanes piece) {
        store(row, argument, load(row, argument, piece), piece);
      });
}

void RecurrenceTask::step(Value number, Value inChunk) {
  steps.clear();
  for (unsigned i = 0; i < rows; ++i)
    steps.push_back(rowStep(i, number, inChunk));
  for (const PhasePlan &phase : plan.phases)
    this->phase(phase);
  for (const RowStep &row : steps)
    storeArguments(row);
}
