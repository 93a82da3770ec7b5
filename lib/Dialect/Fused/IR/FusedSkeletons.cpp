//===- FusedSkeletons.cpp - Accesses, destinations, effects ---------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"

using namespace mlir;
using namespace sinter::fused;

using Accesses = SmallVector<std::pair<Value, AffineMap>>;
using Effects =
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static void append(Accesses &to, ValueRange values, ArrayAttr maps) {
  for (auto [value, map] : llvm::zip(values, maps))
    to.emplace_back(value, getOptionalMap(map));
}

static void append(Accesses &to, Value value, std::optional<AffineMap> map) {
  if (value)
    to.emplace_back(value, map.value_or(AffineMap()));
}

static void appendStores(Accesses &to, ValueRange outs,
                         ArrayRef<int64_t> numbers, ArrayAttr maps) {
  for (auto [number, map] : llvm::zip(numbers, maps))
    to.emplace_back(outs[number], getOptionalMap(map));
}

Accesses MapOp::getAccesses() {
  Accesses all;
  append(all, getInputs(), getInputMaps());
  append(all, getSymbols(), getSymbolMaps());
  append(all, getRows(), getRowsMap());
  appendStores(all, getOuts(), getStoreOuts(), getStoreMaps());
  return all;
}

Accesses ContractOp::getAccesses() {
  Accesses all;
  append(all, getInput(), getInputMap());
  append(all, getRows(), getRowsMap());
  for (SegmentOp segment : getSegments()) {
    append(all, segment.getWeights(), segment.getWeightMaps());
    append(all, segment.getCaptures(), segment.getCaptureMaps());
    append(all, segment.getSymbols(), segment.getSymbolMaps());
    append(all, segment.getStores(), segment.getStoreMaps());
    append(all, segment.getPartials(), segment.getPartialMaps());
  }
  return all;
}

Accesses AttentionOp::getAccesses() {
  Accesses all;
  append(all, getQuery(), getQueryMap());
  append(all, getKey(), getKeyMap());
  append(all, getValue(), getValueMap());
  append(all, getOffset(), getOffsetMap());
  append(all, getLength(), getLengthMap());
  append(all, getRows(), getRowsMap());
  append(all, getCombineCaptures(), getCombineMaps());
  append(all, getScoreCaptures(), getScoreMaps());
  append(all, getMaskCaptures(), getMaskMaps());
  append(all, getSinkCaptures(), getSinkMaps());
  append(all, getOuts(), getOutMaps());
  return all;
}

Accesses NormalizeOp::getAccesses() {
  Accesses all;
  append(all, getInputs(), getInputMaps());
  append(all, getCaptures(), getCaptureMaps());
  append(all, getRows(), getRowsMap());
  appendStores(all, getOuts(), getStoreOuts(), getStoreMaps());
  return all;
}

/// The map by which a weight [k, u] of a recurrence is read, or the first of a
/// stack.
static AffineMap matrixMap(RecurrenceOp op, Value weight) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> at = {getAffineDimExpr(3, context),
                                getAffineDimExpr(2, context)};
  if (cast<ShapedType>(weight.getType()).getRank() == 3)
    at.insert(at.begin(), getAffineConstantExpr(0, context));
  return AffineMap::get(4, 0, at, context);
}

Accesses RecurrenceOp::getAccesses() {
  Accesses all;
  append(all, getInput(), getInputMap());
  for (Value weight : getWeights())
    all.emplace_back(weight, matrixMap(*this, weight));
  append(all, getVectors(), getVectorMaps());
  append(all, getStates(), getStateMaps());
  append(all, getLengths(), getLengthsMap());
  for (PhaseOp phase : getBody().getOps<PhaseOp>()) {
    // Read as a whole: k of a phase runs over units, not over the op's own k.
    for (Value matrix : phase.getMatrices())
      all.emplace_back(matrix, AffineMap());
    append(all, phase.getCaptures(), phase.getCaptureMaps());
  }
  append(all, getOuts(), getOutMaps());
  return all;
}

std::pair<Value, unsigned>
sinter::fused::detail::getExtentSource(Operation *op, unsigned dim) {
  for (auto [value, map] : cast<SkeletonInterface>(op).getAccesses()) {
    if (!map)
      continue;
    for (auto [i, result] : llvm::enumerate(map.getResults()))
      if (auto expr = dyn_cast<AffineDimExpr>(result))
        if (expr.getPosition() == dim)
          return {value, i};
  }
  return {Value(), 0};
}

//===----------------------------------------------------------------------===//
// Destinations and effects
//===----------------------------------------------------------------------===//

MutableOperandRange MapOp::getDpsInitsMutable() { return getOutsMutable(); }
MutableOperandRange ContractOp::getDpsInitsMutable() {
  return getOutsMutable();
}
MutableOperandRange AttentionOp::getDpsInitsMutable() {
  return getOutsMutable();
}
MutableOperandRange NormalizeOp::getDpsInitsMutable() {
  return getOutsMutable();
}
MutableOperandRange RecurrenceOp::getDpsInitsMutable() {
  return getOutsMutable();
}

/// Buffers in `written` are written, all others of `op` are read; tensors have
/// no effects.
static void addEffects(Operation *op, OperandRange written, Effects &effects) {
  // An op without operands has no first one to ask for its number.
  unsigned begin = written.empty() ? 0 : written.getBeginOperandIndex();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<BaseMemRefType>(operand.get().getType()))
      continue;
    unsigned number = operand.getOperandNumber();
    bool writes = number >= begin && number < begin + written.size();
    MemoryEffects::Effect *effect = MemoryEffects::Read::get();
    if (writes)
      effect = MemoryEffects::Write::get();
    effects.emplace_back(effect, &operand);
  }
}

void MapOp::getEffects(Effects &effects) {
  addEffects(*this, getOuts(), effects);
}
void AttentionOp::getEffects(Effects &effects) {
  addEffects(*this, getOuts(), effects);
}
void NormalizeOp::getEffects(Effects &effects) {
  addEffects(*this, getOuts(), effects);
}

void ContractOp::getEffects(Effects &effects) {
  addEffects(*this, getOuts(), effects);
  // Every destination of a segment is an operand of the contract, and covered.
  for (SegmentOp segment : getSegments())
    for (OpOperand &operand : segment->getOpOperands())
      if (isa<BaseMemRefType>(operand.get().getType()) &&
          !llvm::is_contained(getOuts(), operand.get()))
        effects.emplace_back(MemoryEffects::Read::get(), &operand);
}

void RecurrenceOp::getEffects(Effects &effects) {
  addEffects(*this, getOuts(), effects);
  for (PhaseOp phase : getBody().getOps<PhaseOp>())
    addEffects(phase, phase->getOperands().take_front(0), effects);
}
