//===- UnrollLayers.cpp - layers to straight-line code --------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandEntries.h"

#include "llvm/Support/MathExtras.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace sinter;

/// "prefix.name", or the name alone.
static std::string joinPath(StringRef prefix, StringRef name) {
  return prefix.empty() ? name.str() : (prefix + "." + name).str();
}

/// `text` with each `{}` replaced by `number`.
static std::string fillNumber(StringRef text, int64_t number) {
  std::string result;
  while (true) {
    auto [head, tail] = text.split("{}");
    result += head;
    if (head.size() == text.size())
      return result;
    result += std::to_string(number);
    text = tail;
  }
}

std::string sinter::layerPath(StringRef parent, StringRef scope,
                              int64_t number) {
  if (scope.contains("{}"))
    return joinPath(parent, fillNumber(scope, number));
  return joinPath(parent, joinPath(scope, std::to_string(number)));
}

std::string sinter::weightPath(StringRef parent, StringRef path, int64_t number,
                               StringRef name) {
  if (name.contains("{}"))
    return joinPath(parent, fillNumber(name, number));
  return joinPath(path, name);
}

/// Operations that layers may become in one entry.
static constexpr uint64_t largestSize = 1000000;

/// How many operations the block becomes.
static uint64_t sizeOf(Block &block) {
  uint64_t size = 0;
  for (Operation &op : block) {
    uint64_t inner = 1;
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        inner = llvm::SaturatingAdd(inner, sizeOf(nested));
    if (auto layers = dyn_cast<LayersOp>(op))
      inner = llvm::SaturatingMultiply(inner, layers.getCount());
    size = llvm::SaturatingAdd(size, inner);
  }
  return size;
}

namespace {
/// One layer that the code being expanded stands in.
struct Layer {
  /// The scope of all its layers, and the path around them.
  std::string scope, parent;
  /// The path of this layer.
  std::string path;
  int64_t number;
};

class LayerUnroller {
public:
  explicit LayerUnroller(ScopedStates &states) : states(states) {}

  /// Expands the ops of `block`, in place.
  LogicalResult expandBlock(Block &block);

private:
  LogicalResult expandOp(Operation *op);
  LogicalResult unroll(LayersOp op);
  LogicalResult expandLayer(LayersOp op, int64_t number,
                            SmallVectorImpl<Value> &values);
  void renameWeights(WeightOp op);
  LogicalResult renameState(Operation *op, StringRef attrName);

  ScopedStates &states;
  SmallVector<Layer> layers;
  SymbolTableCollection symbols;
};
} // namespace

LogicalResult LayerUnroller::expandBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(expandOp(&op)))
      return failure();
  return success();
}

LogicalResult LayerUnroller::expandOp(Operation *op) {
  if (auto nested = dyn_cast<LayersOp>(op))
    return unroll(nested);
  if (auto weight = dyn_cast<WeightOp>(op))
    renameWeights(weight);
  for (StringRef name : {"state", "append", "from"})
    if (isa<ReadOp, WriteOp, FillOp, AttentionOp>(op) &&
        failed(renameState(op, name)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(expandBlock(block)))
        return failure();
  return success();
}

LogicalResult LayerUnroller::unroll(LayersOp op) {
  uint64_t size =
      llvm::SaturatingMultiply(sizeOf(op.getBody().front()), op.getCount());
  if (size > largestSize)
    return op.emitOpError("expects layers of at most '")
           << largestSize << "' operations together, got '" << op.getCount()
           << "' layers of '" << sizeOf(op.getBody().front()) << "'";
  SmallVector<Value> values(op.getInits());
  int64_t first = op.getFirst();
  for (int64_t number = first; number != first + int64_t(op.getCount());
       ++number)
    if (failed(expandLayer(op, number, values)))
      return failure();
  op.replaceAllUsesWith(values);
  op.erase();
  return success();
}

/// Writes layer `number` before `op`; `values` are what it carries, before and
/// after.
LogicalResult LayerUnroller::expandLayer(LayersOp op, int64_t number,
                                         SmallVectorImpl<Value> &values) {
  OpBuilder builder(op);
  IRMapping mapping;
  if (BlockArgument index = op.getIndexArgument())
    mapping.map(index,
                arith::ConstantIndexOp::create(builder, op.getLoc(), number));
  for (auto [argument, value] : llvm::zip_equal(op.getCarried(), values))
    mapping.map(argument, value);

  std::string parent = layers.empty() ? "" : layers.back().path;
  layers.push_back({op.getScope().str(), parent,
                    layerPath(parent, op.getScope(), number), number});
  Block &body = op.getBody().front();
  SmallVector<Operation *> copies;
  for (Operation &inner : body.without_terminator())
    copies.push_back(builder.clone(inner, mapping));
  values.clear();
  // An op that goes away (nested layers) takes its results with it: read them
  // through a placeholder op that follows replacements.
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  auto yielded = YieldOp::create(builder, op.getLoc(), results);
  LogicalResult result = success();
  for (Operation *copy : copies)
    if (succeeded(result))
      result = expandOp(copy);
  llvm::append_range(values, yielded.getValues());
  yielded.erase();
  layers.pop_back();
  return result;
}

void LayerUnroller::renameWeights(WeightOp op) {
  if (layers.empty())
    return;
  const Layer &layer = layers.back();
  SmallVector<Attribute> names;
  for (auto name : op.getNames().getAsValueRange<StringAttr>())
    names.push_back(
        StringAttr::get(op.getContext(), weightPath(layer.parent, layer.path,
                                                    layer.number, name)));
  op.setNamesAttr(ArrayAttr::get(op.getContext(), names));
}

/// Makes the use by attribute `attrName` of a scoped state one of its copy.
LogicalResult LayerUnroller::renameState(Operation *op, StringRef attrName) {
  auto name = dyn_cast_if_present<FlatSymbolRefAttr>(
      op->getInherentAttr(attrName).value_or(Attribute()));
  if (!name)
    return success();
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, name);
  if (!state || !state.getScope())
    return success();
  auto *layer =
      llvm::find_if(llvm::reverse(layers), [&](const Layer &layer) {
        return joinPath(layer.parent, layer.scope) == *state.getScope();
      }).base();
  if (layer == layers.begin())
    return op->emitOpError("uses ")
           << name << ", which is a state of each layer of '"
           << *state.getScope() << "', outside of these layers";
  --layer;
  std::string copy = joinPath(layer->path, state.getSymName());
  states[state][layer->number] = copy;
  op->setInherentAttr(StringAttr::get(op->getContext(), attrName),
                      FlatSymbolRefAttr::get(op->getContext(), copy));
  return success();
}

LogicalResult sinter::unrollLayers(func::FuncOp function,
                                   ScopedStates &states) {
  return LayerUnroller(states).expandBlock(function.getBody().front());
}
