//===- RecurrenceStep.cpp - One step of a recurrence ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units are taken 16 at a time: the products of all gates for them stay in
// registers until the map has made the new states of these units.
//
//===----------------------------------------------------------------------===//

#include "ProductTile.h"
#include "RecurrenceTask.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static unsigned argumentNumber(Value units) {
  return cast<BlockArgument>(units).getArgNumber();
}

/// The numbers of a row that a product takes as its factor.
Value RecurrenceTask::factorRow(unsigned argument, unsigned row,
                                const Units &at) {
  return argument < plan.projections
             ? projectionRow(at.inChunk, argument, row)
             : stateRow(at.step, argument - plan.projections - plan.vectors,
                        row);
}

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

/// Products for 16 units from `at.first` on, in the order product, row, vector.
/// Products with one factor share its broadcasts.
SmallVector<Value> RecurrenceTask::products(const Units &at) {
  fused::PhaseOp phase = plan.phase;
  unsigned vectors = 16 / lanes;
  llvm::MapVector<unsigned, SmallVector<unsigned>> byFactor;
  for (auto [product, factor] : llvm::enumerate(phase.getFactors()))
    byFactor[argumentNumber(factor)].push_back(product);

  SmallVector<Value> result(phase.getMatrices().size() * rows * vectors);
  Value panel = k.mul(k.div(at.first, 16), plan.units * 16);
  auto tile = [&](unsigned argument, ArrayRef<unsigned> group) {
    SmallVector<Value> factors, bases;
    for (unsigned i = 0; i < rows; ++i)
      factors.push_back(factorRow(argument, i, at));
    for (unsigned product : group)
      bases.push_back(k.gep(f32, this->at.matrices[product].pointer, panel));
    auto factor = [&](unsigned i, Value t, int64_t plus) {
      return k.load(f32, k.gep(f32, k.gep(f32, factors[i], t), k.i64(plus)));
    };
    auto weight = [&](unsigned j, Value t, int64_t plus) {
      Value row = k.gep(f32, bases[j / vectors], k.mul(t, 16));
      int64_t offset = plus * 16 + j % vectors * lanes;
      return k.load(vector, k.gep(f32, row, k.i64(offset)), lanes * 4);
    };
    unsigned columns = group.size() * vectors;
    ProductTile tile{rows, SmallVector<Type>(columns, vector)};
    SmallVector<Value> sums =
        tile.emit(k, k.i64(0), k.i64(plan.units), factor, weight);
    for (auto [g, product] : llvm::enumerate(group))
      for (unsigned i = 0; i < rows; ++i)
        for (unsigned v = 0; v < vectors; ++v)
          result[(product * rows + i) * vectors + v] =
              sums[i * columns + g * vectors + v];
  };
  for (auto &[argument, group] : byFactor) {
    unsigned perTile = productsPerTile(group.size());
    for (ArrayRef<unsigned> rest = group; !rest.empty();) {
      tile(argument, rest.take_front(perTile));
      rest = rest.drop_front(std::min<size_t>(perTile, rest.size()));
    }
  }
  return result;
}

/// A vector of the step at the units of `at`: a projection, an input or a
/// state.
Value RecurrenceTask::argument(unsigned number, unsigned row, RowStep &step,
                               const Units &at, Value active) {
  if (number >= plan.projections && number < plan.projections + plan.vectors) {
    unsigned input = number - plan.projections;
    AffineMap map = cast<AffineMapAttr>(op.getVectorMaps()[input]).getValue();
    return loadLanes(k, locate(k, this->at.vectors[input], map, step.dims),
                     active);
  }
  return k.load(vector, k.gep(f32, factorRow(number, row, at), at.first),
                lanes * 4);
}

/// Where the results of the map go: next states and outputs.
void RecurrenceTask::storeUnits(RowStep &step, unsigned row, const Units &at,
                                ArrayRef<Value> made, Value active) {
  auto valueOf = [&](Value units) {
    if (auto result = dyn_cast<OpResult>(units))
      return k.broadcast(made[result.getResultNumber()], lanes);
    return argument(argumentNumber(units), row, step, at, active);
  };
  fused::StepOp end = plan.step;
  for (auto [state, units] : llvm::enumerate(end.getStates())) {
    Value value = valueOf(units);
    if (step.active) {
      Value before = stateRow(at.step, state, row);
      value = k.select(step.active, value,
                       k.load(vector, k.gep(f32, before, at.first), lanes * 4));
    }
    Value next = stateRow(k.add(at.step, 1), state, row);
    k.store(value, k.gep(f32, next, at.first), lanes * 4);
  }
  for (auto [out, units] : llvm::enumerate(end.getOutputs())) {
    Value value = valueOf(units);
    if (step.active)
      value = k.select(step.active, value, k.zero(vector));
    AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
    storeLanes(k, value, locate(k, this->at.outs[out], map, step.dims), active);
  }
}

/// The map of a vector of units of one row.
void RecurrenceTask::pointwise(RowStep &step, unsigned row, const Units &at,
                               ArrayRef<Value> products, Value active) {
  fused::PhaseOp phase = plan.phase;
  step.dims[DimU] = LaneIndex::consecutive(at.first, lanes, lanes);
  SmallVector<RegionArgument> arguments(products.begin(), products.end());
  for (Value units : phase.getVectors())
    arguments.push_back(argument(argumentNumber(units), row, step, at, active));
  for (auto [view, attr] :
       llvm::zip_equal(this->at.captures, phase.getCaptureMaps()))
    arguments.push_back(readArgument(k, view, fused::getOptionalMap(attr),
                                     step.dims, {}, active));
  FailureOr<SmallVector<Value>> made =
      emitRegion(k, phase.getMap().front(), arguments, lanes);
  if (failed(made))
    status = failure();
  else
    storeUnits(step, row, at, *made, active);
}

/// 16 units from `at.first` on; `fixedFirst` where it is known and some of them
/// may be past the last unit.
void RecurrenceTask::units(MutableArrayRef<RowStep> steps, const Units &at,
                           std::optional<int64_t> fixedFirst) {
  fused::PhaseOp phase = plan.phase;
  unsigned vectors = 16 / lanes, count = phase.getMatrices().size();
  SmallVector<Value> sums = products(at);
  for (unsigned v = 0; v < vectors; ++v) {
    Value active;
    if (fixedFirst) {
      int64_t left = plan.units - *fixedFirst - v * lanes;
      if (left <= 0)
        break;
      if (left < lanes)
        active = k.i64(left);
    }
    Units here = at;
    here.first = k.add(at.first, v * lanes);
    for (unsigned i = 0; i < rows; ++i) {
      SmallVector<Value> products;
      for (unsigned product = 0; product < count; ++product)
        products.push_back(sums[(product * rows + i) * vectors + v]);
      pointwise(steps[i], i, here, products, active);
    }
  }
}

void RecurrenceTask::step(Value number, Value inChunk) {
  SmallVector<RowStep> steps;
  for (const Row &row : batchRows) {
    Value time = timeOf(row, number);
    steps.push_back({row, time, {}, point(row, time)});
    if (at.lengths)
      steps.back().active = k.broadcast(k.lt(number, row.length), lanes);
  }
  int64_t whole = plan.units / 16 * 16;
  k.loop(k.i64(0), k.i64(whole), 16, [&](Value first) {
    units(steps, {number, inChunk, first}, std::nullopt);
  });
  if (whole != plan.units)
    units(steps, {number, inChunk, k.i64(whole)}, whole);
}
