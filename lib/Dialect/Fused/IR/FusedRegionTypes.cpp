//===- FusedRegionTypes.cpp - Arguments of scalar regions -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedRegionTypes.h"

using namespace mlir;
using namespace sinter::fused;
using namespace sinter::fused::regions;

static Type scalarOf(Value operand) {
  return getScalarType(getElementTypeOrSelf(operand.getType()));
}

static void addCaptures(Types &types, ValueRange operands, ArrayAttr maps) {
  for (auto [operand, map] : llvm::zip(operands, maps))
    types.push_back(
        getRegionArgumentType(operand.getType(), getOptionalMap(map)));
}

static void addIndices(Types &types, MLIRContext *context, size_t count) {
  types.append(count, IndexType::get(context));
}

Types regions::yieldedTypes(Region &region) {
  if (region.empty() || region.front().empty())
    return {};
  auto yield = dyn_cast<YieldOp>(region.front().back());
  return yield ? Types(yield.getValues().getTypes()) : Types();
}

Types regions::bodyArguments(MapOp op) {
  Types types;
  addCaptures(types, op.getInputs(), op.getInputMaps());
  addIndices(types, op.getContext(), op.getIndexDims().size());
  return types;
}

Types regions::epilogueArguments(SegmentOp op) {
  Types types;
  auto contract = op->getParentOfType<ContractOp>();
  types.append(op.getWeights().size(), scalarOf(contract.getInput()));
  addCaptures(types, op.getCaptures(), op.getCaptureMaps());
  addIndices(types, op.getContext(), op.getIndexDims().size());
  return types;
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

Types regions::combineArguments(AttentionOp op) {
  Types types = {scalarOf(op.getQuery()), scalarOf(op.getKey())};
  addCaptures(types, op.getCombineCaptures(), op.getCombineMaps());
  return types;
}

Types regions::scoreArguments(AttentionOp op) {
  Types types = {scalarOf(op.getQuery())};
  addIndices(types, op.getContext(), 4);
  addCaptures(types, op.getScoreCaptures(), op.getScoreMaps());
  return types;
}

Types regions::maskArguments(AttentionOp op) {
  Types types;
  addIndices(types, op.getContext(), 4);
  addCaptures(types, op.getMaskCaptures(), op.getMaskMaps());
  return types;
}

Types regions::sinkArguments(AttentionOp op) {
  Types types;
  addIndices(types, op.getContext(), 3);
  addCaptures(types, op.getSinkCaptures(), op.getSinkMaps());
  return types;
}

//===----------------------------------------------------------------------===//
// Normalize
//===----------------------------------------------------------------------===//

Types regions::preArguments(NormalizeOp op) {
  Types types;
  addCaptures(types, op.getInputs(), op.getInputMaps());
  return types;
}

static Types normalizedValues(NormalizeOp op) {
  return op.getPre().empty() ? preArguments(op) : yieldedTypes(op.getPre());
}

Types regions::reduceArguments(NormalizeOp op, unsigned index) {
  Types types = normalizedValues(op);
  for (Region &earlier : op.getReduces().take_front(index))
    types.append(yieldedTypes(earlier));
  return types;
}

bool regions::isStatisticsOnly(NormalizeOp op) {
  unsigned reduced = op.getDims().size() - 1;
  return llvm::none_of(op.getStoreMaps(), [&](Attribute map) {
    return getOptionalMap(map).isFunctionOfDim(reduced);
  });
}

Types regions::postArguments(NormalizeOp op) {
  Types types;
  if (!isStatisticsOnly(op))
    types = normalizedValues(op);
  for (Region &reduce : op.getReduces())
    types.append(yieldedTypes(reduce));
  addCaptures(types, op.getCaptures(), op.getCaptureMaps());
  addIndices(types, op.getContext(), op.getIndexDims().size());
  return types;
}

//===----------------------------------------------------------------------===//
// Recurrence
//===----------------------------------------------------------------------===//

/// Matrices that a weight stands for.
static size_t countOf(Value matrix) {
  std::optional<MatrixStack> stack = getMatrixStack(matrix.getType());
  return stack ? stack->count : 1;
}

/// The units that `operand` gives: its last extent and scalar type.
static Type unitsOf(Value operand) {
  auto type = cast<ShapedType>(operand.getType());
  int64_t size = type.getRank() ? type.getShape().back() : 1;
  return UnitsType::get(operand.getContext(), size, scalarOf(operand));
}

Types regions::stepArguments(RecurrenceOp op) {
  Types types;
  for (Value weight : op.getWeights())
    types.append(countOf(weight), unitsOf(weight));
  for (Value vector : op.getVectors())
    types.push_back(unitsOf(vector));
  for (Value state : op.getStates())
    types.push_back(unitsOf(state));
  return types;
}

Types regions::phaseArguments(PhaseOp op, unsigned index) {
  Types types;
  for (auto [factor, matrix] : llvm::zip(op.getFactors(), op.getMatrices()))
    types.append(countOf(matrix),
                 cast<UnitsType>(factor.getType()).getElementType());
  for (Value vector : op.getVectors())
    types.push_back(cast<UnitsType>(vector.getType()).getElementType());
  for (Region &earlier : op.getReduces().take_front(index))
    types.append(yieldedTypes(earlier));
  addCaptures(types, op.getCaptures(), op.getCaptureMaps());
  return types;
}
