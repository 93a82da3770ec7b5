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

/// Dimensions of the op.
enum { dimB, dimT, dimU, dimK };

static unsigned argumentNumber(Value units) {
  return cast<BlockArgument>(units).getArgNumber();
}

/// The numbers of a row that a product takes as its factor.
Value RecurrenceTask::factorRow(unsigned argument, unsigned row, Value number,
                                Value inChunk) {
  return argument < plan.projections
             ? projectionRow(inChunk, argument, row)
             : stateRow(number, argument - plan.projections - plan.vectors,
                        row);
}

/// Products for `vectors` vectors of units from `first` on, in the order
/// product, row, vector. Products with one factor share its broadcasts.
SmallVector<Value> RecurrenceTask::products(Value number, Value inChunk,
                                            Value first, unsigned vectors) {
  fused::PhaseOp phase = plan.phase;
  llvm::MapVector<unsigned, SmallVector<unsigned>> byFactor;
  for (auto [product, factor] : llvm::enumerate(phase.getFactors()))
    byFactor[argumentNumber(factor)].push_back(product);

  SmallVector<Value> result(phase.getMatrices().size() * rows * vectors);
  Value panel = k.mul(k.div(first, 16), plan.units * 16);
  Value start = k.add(panel, k.rem(first, 16));
  for (auto &[argument, group] : byFactor) {
    SmallVector<Value> factors, bases;
    for (unsigned i = 0; i < rows; ++i)
      factors.push_back(factorRow(argument, i, number, inChunk));
    for (unsigned product : group)
      bases.push_back(k.gep(f32, at.matrices[product].pointer, start));
    auto factor = [&](unsigned i, Value t, int64_t plus) {
      return k.load(f32, k.gep(f32, k.gep(f32, factors[i], t), k.i64(plus)));
    };
    auto weight = [&](unsigned j, Value t, int64_t plus) {
      Value row = k.gep(f32, bases[j / vectors], k.mul(t, 16));
      return k.load(vector,
                    k.gep(f32, row, k.i64(plus * 16 + j % vectors * lanes)),
                    lanes * 4);
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
  }
  return result;
}

/// A vector of the step at units [first, first + lanes): a projection, an
/// input or a state.
RegionArgument RecurrenceTask::argument(unsigned number, unsigned row,
                                        RowStep &step, Value stepNumber,
                                        Value inChunk, Value first,
                                        Value active) {
  if (number >= plan.projections && number < plan.projections + plan.vectors) {
    unsigned input = number - plan.projections;
    AffineMap map = cast<AffineMapAttr>(op.getVectorMaps()[input]).getValue();
    return readArgument(k, at.vectors[input], map, step.dims, {}, active);
  }
  Value base = factorRow(number, row, stepNumber, inChunk);
  return k.load(vector, k.gep(f32, base, first), lanes * 4);
}

/// `vectors` vectors of units from `first` on; `fixedFirst` where it is known
/// and some of them may be past the last unit.
void RecurrenceTask::units(MutableArrayRef<RowStep> steps, Value number,
                           Value inChunk, Value first, unsigned vectors,
                           std::optional<int64_t> fixedFirst) {
  fused::PhaseOp phase = plan.phase;
  fused::StepOp end = plan.step;
  unsigned count = phase.getMatrices().size();
  SmallVector<Value> sums = products(number, inChunk, first, vectors);
  for (unsigned v = 0; v < vectors; ++v) {
    Value active;
    if (fixedFirst) {
      int64_t left = plan.units - *fixedFirst - v * lanes;
      if (left <= 0)
        break;
      if (left < lanes)
        active = k.i64(left);
    }
    Value at0 = k.add(first, v * lanes);
    for (auto [i, step] : llvm::enumerate(steps)) {
      step.dims[dimU] = LaneIndex::consecutive(at0, lanes, lanes);
      SmallVector<RegionArgument> arguments;
      for (unsigned product = 0; product < count; ++product)
        arguments.push_back(sums[(product * rows + i) * vectors + v]);
      for (Value units : phase.getVectors())
        arguments.push_back(argument(argumentNumber(units), i, step, number,
                                     inChunk, at0, active));
      for (auto [view, attr] :
           llvm::zip_equal(at.captures, phase.getCaptureMaps()))
        arguments.push_back(readArgument(k, view, fused::getOptionalMap(attr),
                                         step.dims, {}, active));
      FailureOr<SmallVector<Value>> made =
          emitRegion(k, phase.getMap().front(), arguments, lanes);
      if (failed(made)) {
        status = failure();
        return;
      }
      auto valueOf = [&](Value units) {
        if (auto result = dyn_cast<OpResult>(units))
          return k.broadcast((*made)[result.getResultNumber()], lanes);
        RegionArgument value = argument(argumentNumber(units), i, step, number,
                                        inChunk, at0, active);
        return k.broadcast(std::get<Value>(value), lanes);
      };
      for (auto [state, units] : llvm::enumerate(end.getStates())) {
        Value value = valueOf(units);
        Value before = k.load(
            vector, k.gep(f32, stateRow(number, state, i), at0), lanes * 4);
        if (step.active)
          value = k.select(step.active, value, before);
        Value to = stateRow(k.add(number, 1), state, i);
        k.store(value, k.gep(f32, to, at0), lanes * 4);
      }
      for (auto [out, units] : llvm::enumerate(end.getOutputs())) {
        Value value = valueOf(units);
        if (step.active)
          value = k.select(step.active, value, k.zero(vector));
        AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[out]).getValue();
        storeLanes(k, value, locate(k, at.outs[out], map, step.dims), active);
      }
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
  // As many vectors of units as the registers hold for all products.
  fused::PhaseOp phase = plan.phase;
  unsigned products = std::max<unsigned>(1, phase.getMatrices().size());
  unsigned reserved = k.target.hasFma ? 1 : 2, vectors = 1;
  while (vectors * lanes < 16 &&
         (rows + 1) * products * vectors * 2 + reserved <= k.target.registers)
    vectors *= 2;
  int64_t width = vectors * lanes, whole = plan.units / width * width;
  k.loop(k.i64(0), k.i64(whole), width, [&](Value first) {
    units(steps, number, inChunk, first, vectors, std::nullopt);
  });
  if (whole != plan.units)
    units(steps, number, inChunk, k.i64(whole), vectors, whole);
}
