//===- ToState.cpp - Weights, state and cursors ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "sinter/Dialect/Sinter/IR/SessionRows.h"

using namespace mlir;
using namespace sinter;

Lowered sinter::lowerWeight(EntryLowering &lowering, WeightOp op) {
  StringAttr file = op.getFileAttr();
  if (!file)
    file = op->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
        archiveAttrName);
  if (!file) {
    InFlightDiagnostic diagnostic =
        op.emitError("no archive holds weight '")
        << cast<StringAttr>(op.getNames()[0]).getValue() << "'";
    diagnostic.attachNote() << "name the file by the module attribute '"
                            << archiveAttrName << "' or by 'from(...)'";
    return failure();
  }
  SmallVector<Value> weights;
  for (auto [name, result] : llvm::zip(op.getNames(), op.getResults()))
    weights.push_back(fused::WeightOp::create(lowering.builder, op.getLoc(),
                                              result.getType(),
                                              cast<StringAttr>(name), file));
  return weights;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

RankedTensorType sinter::keysType(MLIRContext *context, ArrayRef<int64_t> shape,
                                  Type elementType) {
  return RankedTensorType::get(
      shape, elementType,
      fused::LayoutAttr::getPanels(context, 4, /*blocked=*/2, /*inner=*/3));
}

static FlatSymbolRefAttr halfOf(StringAttr state, StringRef half) {
  return FlatSymbolRefAttr::get(state.getContext(),
                                (state.getValue() + "." + half).str());
}

/// What the entries ask of a session's rows stays known.
static void passRows(StateOp state, fused::StorageOp storage) {
  if (Attribute rows = state->getAttr(sessionRowsAttrName))
    storage->setAttr(sessionRowsAttrName, rows);
}

static void lowerCache(OpBuilder &builder, StateOp state) {
  CacheType cache = state.getCacheType();
  constexpr int64_t any = ShapedType::kDynamic;
  RankedTensorType keys =
      keysType(state.getContext(), {any, cache.getHeads(), any, cache.getKey()},
               cache.getElementType());
  auto values = RankedTensorType::get(
      {any, cache.getHeads(), any, cache.getValue()}, cache.getElementType());
  auto cursor = cast<StringAttr>(state.getDims()[1]);
  auto half = [&](StringRef name, StringAttr keysOf, StringAttr valuesOf,
                  Type type) {
    passRows(state, fused::StorageOp::create(
                        builder, state.getLoc(),
                        halfOf(state.getSymNameAttr(), name).getAttr(),
                        state.getDims(), cursor, keysOf, valuesOf,
                        state.getBoundsAttr(), TypeAttr::get(type)));
  };
  half("keys", state.getSymNameAttr(), {}, keys);
  half("values", {}, state.getSymNameAttr(), values);
}

void sinter::lowerStates(ModuleOp module) {
  for (auto state : llvm::make_early_inc_range(module.getOps<StateOp>())) {
    OpBuilder builder(state);
    if (state.getCacheType())
      lowerCache(builder, state);
    else
      passRows(state,
               fused::StorageOp::create(
                   builder, state.getLoc(), state.getSymNameAttr(),
                   state.getDims(), StringAttr(), StringAttr(), StringAttr(),
                   state.getBoundsAttr(), state.getTypeAttr()));
    state.erase();
  }
}

/// Notes that the entry's dimensions are the extents of this storage, too.
static void noteRead(func::FuncOp entry, FlatSymbolRefAttr symbol) {
  auto storage =
      SymbolTable::lookupNearestSymbolFrom<fused::StorageOp>(entry, symbol);
  if (!storage || !storage.hasCurrentExtents())
    return;
  SmallVector<Attribute> reads;
  if (auto known = entry->getAttrOfType<ArrayAttr>("fused.reads"))
    reads.assign(known.begin(), known.end());
  if (llvm::is_contained(reads, symbol))
    return;
  reads.push_back(symbol);
  entry->setAttr("fused.reads", ArrayAttr::get(entry.getContext(), reads));
}

Lowered sinter::lowerRead(EntryLowering &lowering, ReadOp op) {
  noteRead(lowering.entry, op.getStateAttr());
  return SmallVector<Value>{fused::StateOp::create(
      lowering.builder, op.getLoc(), op.getType(), op.getStateAttr())};
}

Lowered sinter::lowerWrite(EntryLowering &lowering, WriteOp op) {
  fused::CommitOp::create(lowering.builder, op.getLoc(), op.getStateAttr(),
                          op.getValue());
  return SmallVector<Value>{};
}

CacheTensors sinter::readCache(EntryLowering &lowering, Operation *op,
                               FlatSymbolRefAttr state) {
  CacheTensors cache;
  cache.keysSymbol = halfOf(state.getAttr(), "keys");
  cache.valuesSymbol = halfOf(state.getAttr(), "values");
  auto read = [&](FlatSymbolRefAttr symbol) -> Value {
    auto storage =
        SymbolTable::lookupNearestSymbolFrom<fused::StorageOp>(op, symbol);
    cache.cursor = *storage.getCursor();
    return fused::StateOp::create(lowering.builder, op->getLoc(),
                                  storage.getType(), symbol);
  };
  cache.keys = read(cache.keysSymbol);
  cache.values = read(cache.valuesSymbol);
  return cache;
}

/// Copies `source` [B, S, H, ...] to `target` [B, H, first + S, ...].
static Value store(EntryLowering &lowering, Location loc, Value target,
                   Value source, Value first, Value lengths) {
  MLIRContext *context = source.getContext();
  AffineMap byRow = selectMap(context, 4, {0});
  AffineExpr b, t, h, i;
  bindDims(context, b, t, h, i);
  fused::MapSpec spec;
  spec.space = {{"b", "t", "h", "i"}};
  spec.inputs.push_back({source, identityMap(context, 4)});
  AffineExpr slot = t;
  if (first) {
    spec.symbols.push_back({"p", first, byRow});
    slot = getAffineSymbolExpr(0, context) + t;
  }
  if (lengths)
    spec.rows = fused::RowLimit{lengths, byRow, 1};
  spec.destinations.add(
      target, AffineMap::get(4, spec.symbols.size(), {b, h, slot, i}, context));
  spec.body = passThrough;
  return fused::buildMap(lowering.builder, loc, spec).getResult(0);
}

CacheTensors sinter::writeCache(EntryLowering &lowering, Operation *op,
                                CacheTensors cache, Value key, Value value,
                                Value lengths, bool append) {
  Location loc = op->getLoc();
  Value first =
      append ? lowering.cursor(cache.cursor, /*after=*/false) : Value();
  cache.keys = store(lowering, loc, cache.keys, key, first, lengths);
  cache.values = store(lowering, loc, cache.values, value, first, lengths);
  fused::CommitOp::create(lowering.builder, loc, cache.keysSymbol, cache.keys);
  fused::CommitOp::create(lowering.builder, loc, cache.valuesSymbol,
                          cache.values);
  lowering.advance(cache.cursor, lengths, lowering.extent(key, 1),
                   /*restart=*/!append);
  return cache;
}

Lowered sinter::lowerFill(EntryLowering &lowering, FillOp op) {
  writeCache(lowering, op, readCache(lowering, op, op.getStateAttr()),
             op.getKey(), op.getValue(), op.getLengths(), /*append=*/false);
  return SmallVector<Value>{};
}

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

void EntryLowering::advance(StringRef name, Value lengths, Value extent,
                            bool restart) {
  // That all layers move a cursor alike is checked when entries are expanded.
  Movement &movement = movements[builder.getStringAttr(name)];
  movement.restart |= restart;
  if (lengths)
    movement.lengths = lengths;
  if (extent)
    movement.extent = extent;
}

Lowered sinter::lowerRestart(EntryLowering &lowering, RestartOp op) {
  lowering.advance(op.getCursor(), Value(), Value(), /*restart=*/true);
  return SmallVector<Value>{};
}

void EntryLowering::emitMovements() {
  for (auto &[name, movement] : movements) {
    Value extent = movement.lengths ? Value() : movement.extent;
    fused::AdvanceOp::create(builder, entry.getLoc(), name, movement.lengths,
                             extent, movement.restart);
  }
}
