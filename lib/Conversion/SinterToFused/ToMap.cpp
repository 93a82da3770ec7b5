//===- ToMap.cpp - Element-wise operations and lookups --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sinter;

/// The number of which all elements of `value` are, if it is such a constant.
static TypedAttr splatOf(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return {};
  return cast<TypedAttr>(elements.getSplatValue<Attribute>());
}

Lowered sinter::lowerElementwise(EntryLowering &lowering, Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  AffineMap identity = identityMap(op->getContext(), type.getRank());
  fused::MapSpec spec;
  spec.space = spaceOfRank(type.getRank());
  // Where each operand comes from in the body: an input, or a constant.
  SmallVector<std::pair<int64_t, TypedAttr>> sources;
  for (Value operand : op->getOperands()) {
    if (TypedAttr splat = splatOf(operand)) {
      sources.push_back({-1, splat});
      continue;
    }
    auto *found = llvm::find_if(spec.inputs, [&](const fused::Access &input) {
      return input.value == operand;
    });
    sources.push_back({found - spec.inputs.begin(), TypedAttr()});
    if (found == spec.inputs.end()) {
      bool isScalar = !isa<RankedTensorType>(operand.getType());
      if (isScalar)
        return lowering.notLowered(op, "it mixes tensors and scalars",
                                   "use 'sinter.broadcast' on the scalar");
      spec.inputs.push_back({operand, identity});
    }
  }
  spec.destinations.add(lowering.destination(op->getResult(0)), identity);
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> operands;
    for (auto [input, constant] : sources)
      operands.push_back(constant ? arith::ConstantOp::create(b, loc, constant)
                                  : args[input]);
    return SmallVector<Value>{emitScalar(b, op, operands)};
  };
  auto map = fused::buildMap(lowering.builder, op->getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

/// Whether a projection multiplies by the table too, so that it is packed
/// anyway.
static bool isTied(Value table) {
  return table.getDefiningOp<fused::WeightOp>() &&
         llvm::any_of(table.getUsers(), [&](Operation *user) {
           auto linear = dyn_cast<LinearOp>(user);
           return linear && linear.getWeight() == table && !linear.getInOut();
         });
}

/// Rows of the table at the indices, read with clamped indices. A tied table is
/// read from its panels: one copy for all users.
Lowered sinter::lowerEmbedding(EntryLowering &lowering, EmbeddingOp op) {
  MLIRContext *context = op.getContext();
  int64_t rank = op.getResult().getType().getRank();
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  AffineMap rows = identityMap(context, rank);
  bool tied = isTied(op.getTable());
  Value table =
      tied ? lowering.panels(op.getTable(), /*isInOut=*/false) : op.getTable();
  spec.inputs = {{op.getIndices(), rows.dropResult(rank - 1)},
                 {table, AffineMap()}};
  spec.destinations.add(lowering.destination(op->getResult(0)), rows);
  spec.indexDims = {rank - 1};
  Type element = op.getResult().getType().getElementType();
  // Arguments and positions are checked before the call; past a row's length an
  // argument is not, and may be anything.
  Value ids = op.getIndices();
  bool reports = !isa<BlockArgument>(ids) && !ids.getDefiningOp<PositionsOp>();
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> at = {args[0], args[2]};
    if (tied)
      std::swap(at[0], at[1]);
    return SmallVector<Value>{
        fused::ReadOp::create(b, loc, element, args[1], at, reports)};
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}
