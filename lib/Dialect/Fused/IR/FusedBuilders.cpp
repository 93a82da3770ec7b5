//===- FusedBuilders.cpp - Making skeleton ops ----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/FusedBuilders.h"
#include "FusedRegionTypes.h"

using namespace mlir;
using namespace sinter::fused;

unsigned Destinations::add(Value destination, AffineMap map) {
  auto *found = llvm::find(outs, destination);
  unsigned out = found - outs.begin();
  if (found == outs.end())
    outs.push_back(destination);
  stores.push_back({out, map});
  return out;
}

//===----------------------------------------------------------------------===//
// Attributes and operand lists
//===----------------------------------------------------------------------===//

static SmallVector<int64_t> extentsOf(const Space &space) {
  if (!space.extents.empty())
    return space.extents;
  return SmallVector<int64_t>(space.names.size(), ShapedType::kDynamic);
}

template <typename Range>
static SmallVector<Value> valuesOf(const Range &accesses) {
  SmallVector<Value> values;
  for (const auto &access : accesses)
    values.push_back(access.value);
  return values;
}

/// All maps of an op that use symbols are declared with all of them.
static Attribute mapAttr(Builder &builder, AffineMap map, unsigned symbols) {
  if (!map)
    return builder.getUnitAttr();
  if (map.getNumSymbols() == 0 && symbols != 0)
    map = AffineMap::get(map.getNumDims(), symbols, map.getResults(),
                         map.getContext());
  return AffineMapAttr::get(map);
}

template <typename Range>
static ArrayAttr mapsOf(Builder &builder, const Range &accesses,
                        unsigned symbols = 0) {
  SmallVector<Attribute> maps;
  for (const auto &access : accesses)
    maps.push_back(mapAttr(builder, access.map, symbols));
  return builder.getArrayAttr(maps);
}

static ArrayAttr namesOf(Builder &builder, ArrayRef<Symbol> symbols) {
  SmallVector<StringRef> names;
  for (const Symbol &symbol : symbols)
    names.push_back(symbol.name);
  return builder.getStrArrayAttr(names);
}

static SmallVector<int64_t> numbersOf(const Destinations &destinations) {
  SmallVector<int64_t> numbers;
  for (const Store &store : destinations.stores)
    numbers.push_back(store.out);
  return numbers;
}

template <typename Optional> static Value valueOf(const Optional &access) {
  return access ? access->value : Value();
}

template <typename Optional>
static AffineMapAttr mapOf(const Optional &access) {
  return access ? AffineMapAttr::get(access->map) : AffineMapAttr();
}

static IntegerAttr dimOf(Builder &builder,
                         const std::optional<RowLimit> &rows) {
  return rows ? builder.getI64IntegerAttr(rows->dim) : IntegerAttr();
}

static SmallVector<Type> resultsOf(ArrayRef<Value> outs) {
  SmallVector<Type> types;
  for (Value out : outs)
    if (isa<RankedTensorType>(out.getType()))
      types.push_back(out.getType());
  return types;
}

static ArrayAttr
kindsOf(Builder &builder,
        ArrayRef<std::pair<Reduction, RegionBuilder>> reductions) {
  SmallVector<Attribute> kinds;
  for (const auto &reduction : reductions)
    kinds.push_back(ReductionAttr::get(builder.getContext(), reduction.first));
  return builder.getArrayAttr(kinds);
}

/// Gives `region` one block with arguments `types`, the code of `body` and a
/// yield of what it returns.
static void fill(OpBuilder &builder, Location loc, Region &region,
                 TypeRange types, const RegionBuilder &body) {
  if (!body)
    return;
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locs(types.size(), loc);
  Block *block = builder.createBlock(&region, {}, types, locs);
  SmallVector<Value> values = body(builder, loc, block->getArguments());
  YieldOp::create(builder, loc, values);
}

//===----------------------------------------------------------------------===//
// Skeletons
//===----------------------------------------------------------------------===//

MapOp sinter::fused::buildMap(OpBuilder &builder, Location loc,
                              const MapSpec &spec) {
  unsigned symbols = spec.symbols.size();
  auto op = MapOp::create(
      builder, loc, resultsOf(spec.destinations.outs), valuesOf(spec.inputs),
      valuesOf(spec.symbols), valueOf(spec.rows), spec.destinations.outs,
      builder.getStrArrayAttr(spec.space.names), extentsOf(spec.space),
      mapsOf(builder, spec.inputs, symbols), namesOf(builder, spec.symbols),
      mapsOf(builder, spec.symbols), mapOf(spec.rows),
      dimOf(builder, spec.rows), numbersOf(spec.destinations),
      mapsOf(builder, spec.destinations.stores, symbols), spec.indexDims);
  fill(builder, loc, op.getBody(), regions::bodyArguments(op), spec.body);
  return op;
}

ContractOp sinter::fused::buildContract(OpBuilder &builder, Location loc,
                                        const ContractSpec &spec) {
  auto op = ContractOp::create(
      builder, loc, resultsOf(spec.outs), spec.input.value, valueOf(spec.rows),
      spec.outs, builder.getStrArrayAttr(spec.space.names),
      extentsOf(spec.space), spec.input.map, mapOf(spec.rows),
      dimOf(builder, spec.rows), DictionaryAttr());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&op.getBody());
  return op;
}

/// A weight without a map is a matrix [k, n].
static ArrayAttr weightMaps(ContractOp contract, ArrayRef<Access> weights) {
  SmallVector<AffineMap> maps;
  for (const Access &weight : weights)
    maps.push_back(weight.map ? weight.map : contract.getMatrixMap());
  return Builder(contract.getContext()).getAffineMapArrayAttr(maps);
}

SegmentOp sinter::fused::addSegment(ContractOp contract, Location loc,
                                    const SegmentSpec &spec) {
  auto builder = OpBuilder::atBlockEnd(&contract.getBody().front());
  unsigned symbols = spec.symbols.size();
  SmallVector<Attribute> kinds;
  SmallVector<Access> partials;
  for (const Partial &partial : spec.partials) {
    kinds.push_back(ReductionAttr::get(builder.getContext(), partial.kind));
    partials.push_back(partial.access);
  }
  auto op = SegmentOp::create(
      builder, loc, valuesOf(spec.weights), valuesOf(spec.captures),
      valuesOf(spec.symbols), valuesOf(spec.stores), valuesOf(partials), spec.n,
      weightMaps(contract, spec.weights),
      mapsOf(builder, spec.captures, symbols), namesOf(builder, spec.symbols),
      mapsOf(builder, spec.symbols), mapsOf(builder, spec.stores, symbols),
      builder.getArrayAttr(kinds), mapsOf(builder, partials), spec.indexDims);
  fill(builder, loc, op.getEpilogue(), regions::epilogueArguments(op),
       spec.epilogue);
  return op;
}

AttentionOp sinter::fused::buildAttention(OpBuilder &builder, Location loc,
                                          const AttentionSpec &spec) {
  SmallVector<Value> outs = valuesOf(spec.outs);
  auto op = AttentionOp::create(
      builder, loc, resultsOf(outs), spec.query.value, spec.key.value,
      spec.value.value, valueOf(spec.offset), valueOf(spec.length),
      valueOf(spec.rows), valuesOf(spec.combine.captures),
      valuesOf(spec.score.captures), valuesOf(spec.mask.captures),
      valuesOf(spec.sink.captures), outs,
      builder.getStrArrayAttr(spec.space.names), extentsOf(spec.space),
      spec.query.map, spec.key.map, spec.value.map, mapOf(spec.offset),
      mapOf(spec.length), mapOf(spec.rows),
      mapsOf(builder, spec.combine.captures),
      mapsOf(builder, spec.score.captures), mapsOf(builder, spec.mask.captures),
      mapsOf(builder, spec.sink.captures), mapsOf(builder, spec.outs),
      builder.getStrArrayAttr(spec.extras), DictionaryAttr());
  fill(builder, loc, op.getCombine(), regions::combineArguments(op),
       spec.combine.body);
  fill(builder, loc, op.getScore(), regions::scoreArguments(op),
       spec.score.body);
  fill(builder, loc, op.getMask(), regions::maskArguments(op), spec.mask.body);
  fill(builder, loc, op.getSink(), regions::sinkArguments(op), spec.sink.body);
  return op;
}

NormalizeOp sinter::fused::buildNormalize(OpBuilder &builder, Location loc,
                                          const NormalizeSpec &spec) {
  auto op = NormalizeOp::create(
      builder, loc, resultsOf(spec.destinations.outs), valuesOf(spec.inputs),
      valuesOf(spec.captures), valueOf(spec.rows), spec.destinations.outs,
      builder.getStrArrayAttr(spec.space.names), extentsOf(spec.space),
      mapsOf(builder, spec.inputs), mapsOf(builder, spec.captures),
      mapOf(spec.rows), dimOf(builder, spec.rows),
      kindsOf(builder, spec.reduces), numbersOf(spec.destinations),
      mapsOf(builder, spec.destinations.stores), spec.indexDims,
      spec.reduces.size());
  fill(builder, loc, op.getPre(), regions::preArguments(op), spec.pre);
  for (auto [i, reduce] : llvm::enumerate(spec.reduces))
    fill(builder, loc, op.getReduces()[i], regions::reduceArguments(op, i),
         reduce.second);
  fill(builder, loc, op.getPost(), regions::postArguments(op), spec.post);
  return op;
}

RecurrenceOp sinter::fused::buildRecurrence(OpBuilder &builder, Location loc,
                                            const RecurrenceSpec &spec) {
  SmallVector<Value> outs = valuesOf(spec.outs);
  auto op = RecurrenceOp::create(
      builder, loc, resultsOf(outs), valueOf(spec.input), spec.weights,
      valuesOf(spec.vectors), valuesOf(spec.states), valueOf(spec.lengths),
      outs, builder.getStrArrayAttr(spec.space.names), extentsOf(spec.space),
      mapOf(spec.input), mapsOf(builder, spec.vectors),
      mapsOf(builder, spec.states), mapOf(spec.lengths),
      mapsOf(builder, spec.outs), spec.reverse, DictionaryAttr());
  regions::Types types = regions::stepArguments(op);
  SmallVector<Location> locs(types.size(), loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&op.getBody(), {}, types, locs);
  StepValues values = spec.step(builder, loc, block->getArguments());
  StepOp::create(builder, loc, values.outputs, values.states);
  return op;
}

PhaseOp sinter::fused::addPhase(OpBuilder &builder, Location loc,
                                const PhaseSpec &spec) {
  SmallVector<Value> factors, matrices;
  for (const Product &product : spec.products) {
    factors.push_back(product.factor);
    matrices.push_back(product.matrix);
  }
  // How many results there are, and of which types, is what `map` yields: the
  // regions are made under a phase without results and then moved.
  auto draft = PhaseOp::create(
      builder, loc, TypeRange(), factors, matrices, spec.vectors,
      valuesOf(spec.captures), mapsOf(builder, spec.captures),
      kindsOf(builder, spec.reduces), spec.reduces.size());
  for (auto [i, reduce] : llvm::enumerate(spec.reduces))
    fill(builder, loc, draft.getReduces()[i], regions::phaseArguments(draft, i),
         reduce.second);
  fill(builder, loc, draft.getMap(),
       regions::phaseArguments(draft, spec.reduces.size()), spec.map);
  SmallVector<Type> results;
  for (Type type : regions::yieldedTypes(draft.getMap()))
    results.push_back(UnitsType::get(builder.getContext(), spec.units, type));
  auto op =
      PhaseOp::create(builder, loc, results, factors, matrices, spec.vectors,
                      valuesOf(spec.captures), draft.getCaptureMaps(),
                      draft.getReductions(), spec.reduces.size());
  for (auto [to, from] : llvm::zip(op->getRegions(), draft->getRegions()))
    to.takeBody(from);
  draft.erase();
  return op;
}
