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

/// Steps of k by which weights are asked for ahead of a tile that takes a part
/// of each row of a stack: processors find such a stream late, or not at all.
static constexpr int64_t prefetchDistance = 32;

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

/// Vectors of columns that one tile takes: as many as the registers hold, in
/// equal parts. A single row uses each weight once, straight from memory.
unsigned RecurrenceTask::columnsPerTile(unsigned columns) const {
  unsigned reserved = k.target.hasFma ? 1 : 2, fit = 1;
  auto registers = [&](unsigned columns) {
    return rows * columns + (rows == 1 ? 2 : columns) + reserved;
  };
  while (fit < columns && registers(fit + 1) <= k.target.registers)
    ++fit;
  return llvm::divideCeil(columns, llvm::divideCeil(columns, fit));
}

/// Products of the phase in tiles of what one factor and the registers allow.
SmallVector<RecurrenceTask::ProductTilePlan>
RecurrenceTask::tilesOf(const PhasePlan &phase) const {
  llvm::MapVector<Value, SmallVector<ProductColumn>> byFactor;
  for (auto [number, product] : llvm::enumerate(phase.products))
    for (unsigned v = 0; v < 16 / lanes; ++v)
      byFactor[product.factor].push_back({static_cast<unsigned>(number), v});
  SmallVector<ProductTilePlan> tiles;
  for (auto &[factor, columns] : byFactor) {
    unsigned perTile = columnsPerTile(columns.size());
    for (ArrayRef<ProductColumn> rest = columns; !rest.empty();) {
      ArrayRef<ProductColumn> part = rest.take_front(perTile);
      ProductTilePlan &tile = tiles.emplace_back();
      tile.columns.assign(part.begin(), part.end());
      tile.isPart = perTile < columns.size();
      for (ProductColumn column : part)
        tile.matrices.insert(phase.products[column.product].matrix);
      rest = rest.drop_front(part.size());
    }
  }
  return tiles;
}

/// The sums of a tile, rows outside. `panels`: the panel of each of the tile's
/// matrices; `factors`: one per row.
static SmallVector<Value> sumsOf(KernelBuilder &k, const PhasePlan &phase,
                                 const RecurrenceTask::ProductTilePlan &plan,
                                 ValueRange panels, ValueRange factors) {
  unsigned lanes = k.target.lanes;
  Type f32 = k.getF32Type(), vector = KernelBuilder::vec(f32, lanes);
  auto factor = [&](unsigned i, Value t, int64_t plus) {
    return k.load(f32, k.gep(f32, k.gep(f32, factors[i], t), k.i64(plus)));
  };
  auto weight = [&](unsigned j, Value t, int64_t plus) {
    const ProductPlan &product = phase.products[plan.columns[j].product];
    size_t matrix =
        llvm::find(plan.matrices, product.matrix) - plan.matrices.begin();
    int64_t pitch = product.stack.count * 16,
            inRow = product.gate * 16 + plan.columns[j].vector * lanes;
    Value row = k.gep(f32, panels[matrix], k.mul(t, pitch));
    auto at = [&](int64_t rows) {
      return k.gep(f32, row, k.i64(rows * pitch + inRow));
    };
    if (plan.isPart && inRow % 16 == 0)
      k.prefetch(at(plus + prefetchDistance), false);
    return k.load(vector, at(plus), lanes * 4);
  };
  ProductTile tile{static_cast<unsigned>(factors.size()),
                   SmallVector<Type>(plan.columns.size(), vector)};
  int64_t depth = phase.products[plan.columns[0].product].stack.rows;
  return tile.emit(k, k.i64(0), k.i64(depth), factor, weight);
}

/// The panels of the tile's matrices that start with unit `first`, then the
/// factor of each row.
SmallVector<Value> RecurrenceTask::tileOperands(const PhasePlan &phase,
                                                const ProductTilePlan &tile,
                                                Value first) {
  SmallVector<Value> operands;
  const ProductPlan &any = phase.products[tile.columns[0].product];
  for (unsigned matrix : tile.matrices) {
    const auto *product = llvm::find_if(phase.products, [&](auto &product) {
      return product.matrix == matrix;
    });
    const fused::MatrixStack &stack = product->stack;
    operands.push_back(
        k.gep(f32, at.matrices[matrix].pointer,
              k.mul(k.div(first, 16), stack.rows * stack.count * 16)));
  }
  for (const RowStep &row : steps)
    operands.push_back(factorRow(row, plan.places.lookup(any.factor)));
  return operands;
}

/// A function that stores the sums of a tile: (panels, factors, to).
LLVM::LLVMFuncOp RecurrenceTask::tileFunction(const PhasePlan &phase,
                                              const ProductTilePlan &tile) {
  SmallVector<Type> types(tile.matrices.size() + rows + 1, k.ptr());
  std::string suffix =
      "_tile" + std::to_string(tileFunctions++) + "_" + std::to_string(rows);
  auto fill = [&](KernelBuilder &k, ValueRange arguments) {
    ValueRange panels = arguments.take_front(tile.matrices.size());
    ValueRange factors = arguments.drop_back().take_back(rows);
    SmallVector<Value> sums = sumsOf(k, phase, tile, panels, factors);
    for (unsigned i = 0; i < rows; ++i)
      for (auto [j, column] : llvm::enumerate(tile.columns))
        k.store(sums[i * tile.columns.size() + j],
                k.gep(f32, arguments.back(),
                      k.i64(i * plan.productStride +
                            column.product * phase.productSpacing() +
                            column.vector * lanes)),
                lanes * 4);
    return Value();
  };
  return lowering.function(suffix, types, Type(), fill);
}

/// Asks for what the map will read of 16 units: the weights of a step push it
/// out of the near caches, and the sums that come first leave time to fetch it.
void RecurrenceTask::prefetchOperands(const PhasePlan &phase, Value first) {
  fused::PhaseOp phaseOp = phase.op;
  for (const RowStep &row : steps)
    for (Value units : phaseOp.getVectors()) {
      UnitsPlace place = plan.places.lookup(units);
      if (place.kind != UnitsPlace::Input)
        k.prefetch(k.gep(f32, numbersOf(row, place), first),
                   /*forWrite=*/false);
    }
  SmallVector<LaneIndex> dims = steps[0].dims;
  dims[DimU] = LaneIndex::uniform(first);
  for (auto [i, attr] : llvm::enumerate(phaseOp.getCaptureMaps())) {
    AffineMap map = fused::getOptionalMap(attr);
    if (!map || !map.isFunctionOfDim(DimU))
      continue;
    const TensorView &view = at.captures[phase.firstCapture + i];
    LaneAddress address = locate(k, view, map, dims);
    k.prefetch(k.gep(view.element, view.pointer, address.offset.base),
               /*forWrite=*/false);
  }
}

/// Makes the products of the units from `first` on, in panels of 16. A single
/// tile leaves them in registers for `use`; sums of several would spill those
/// of the next, so they go through scratch memory.
void RecurrenceTask::forPanels(const PhasePlan &phase, PanelUse use) {
  SmallVector<ProductTilePlan> tiles = tilesOf(phase);
  bool inRegisters = phase.keepsPanel() && rows == 1 && tiles.size() <= 1;
  SmallVector<LLVM::LLVMFuncOp> functions;
  if (!inRegisters)
    for (const ProductTilePlan &tile : tiles)
      functions.push_back(tileFunction(phase, tile));
  auto panel = [&](Value first, std::optional<int64_t> left) {
    SmallVector<Value> sums;
    if (phase.keepsPanel() && !tiles.empty())
      prefetchOperands(phase, first);
    for (auto [i, tile] : llvm::enumerate(tiles)) {
      SmallVector<Value> operands = tileOperands(phase, tile, first);
      size_t matrices = tile.matrices.size();
      if (inRegisters) {
        sums = sumsOf(k, phase, tile, ArrayRef(operands).take_front(matrices),
                      ArrayRef(operands).drop_front(matrices));
        continue;
      }
      Value to = steps[0].products;
      operands.push_back(phase.keepsPanel() ? to : k.gep(f32, to, first));
      callFunction(k, functions[i], operands);
    }
    use(first, left, sums);
  };
  int64_t whole = phase.units / 16 * 16;
  if (whole != 0)
    k.loop(k.i64(0), k.i64(whole), 16,
           [&](Value first) { panel(first, std::nullopt); });
  if (whole != phase.units)
    panel(k.i64(whole), phase.units - whole);
}

/// Products of a row for the units of `piece`, whose place in what scratch
/// memory has of them is `at`.
SmallVector<Value> RecurrenceTask::keptProducts(const PhasePlan &phase,
                                                const RowStep &row, Value at) {
  SmallVector<Value> products;
  for (unsigned product = 0; product < phase.products.size(); ++product) {
    Value numbers = gepF32(row.products, product * phase.productSpacing());
    products.push_back(k.load(vector, k.gep(f32, numbers, at), lanes * 4));
  }
  return products;
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
  for (auto [state, next] :
       llvm::zip_equal(plan.stateArguments(), end.getStates())) {
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

void RecurrenceTask::phase(const PhasePlan &phase) {
  if (!phase.keepsPanel())
    return reducingPhase(phase);
  forPanels(phase, [&](Value first, std::optional<int64_t> left,
                       ArrayRef<Value> sums) {
    for (unsigned v = 0; v < 16 / lanes; ++v) {
      Lanes piece{k.add(first, v * lanes), nullptr};
      int64_t existing = left ? *left - v * lanes : lanes;
      if (existing <= 0)
        break;
      if (existing < lanes)
        piece.active = k.i64(existing);
      for (const RowStep &row : steps) {
        SmallVector<Value> mine;
        for (unsigned n = v; n < sums.size(); n += 16 / lanes)
          mine.push_back(sums[n]);
        if (sums.empty())
          mine = keptProducts(phase, row, k.i64(v * lanes));
        mapUnits(phase, row, piece, mine, {});
      }
    }
  });
}

/// Arguments of the step with which it ends as they are.
void RecurrenceTask::storeArguments(const RowStep &row) {
  for (Value argument : plan.passedArguments())
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
