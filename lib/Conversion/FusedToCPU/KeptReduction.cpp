//===- KeptReduction.cpp - Reduced values that post needs -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KeptReduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Whether `a` computes what `b` does if `same` takes its operands to those of
/// `b`.
static bool isSame(Operation &a, Operation &b, const IRMapping &same) {
  return a.getName() == b.getName() && a.getNumRegions() == 0 &&
         a.getNumResults() == 1 && b.getNumResults() == 1 &&
         a.getResult(0).getType() == b.getResult(0).getType() &&
         a.getAttrDictionary() == b.getAttrDictionary() &&
         llvm::equal(a.getOperands(), b.getOperands(), [&](Value x, Value y) {
           return same.lookupOrNull(x) == y;
         });
}

/// Whether computing a value again costs more than a store and a load.
static bool isCostly(Operation &op) {
  return isa<math::MathDialect>(op.getDialect()) ||
         isa<arith::DivFOp, arith::RemFOp, fused::SigmoidOp>(op);
}

/// The op of `post` that computes what the last reduction sums; null if there
/// is none, or it is cheap.
static Operation *findInPost(fused::NormalizeOp op) {
  Block &reduce = op.getReduces().back().front(), &post = op.getPost().front();
  IRMapping same;
  for (auto [x, y] : llvm::zip(reduce.getArguments(), post.getArguments()))
    same.map(x, y);
  bool costs = false;
  for (Operation &x : reduce.without_terminator()) {
    for (Operation &y : post.without_terminator())
      if (isSame(x, y, same)) {
        same.map(x.getResult(0), y.getResult(0));
        break;
      }
    costs |= isCostly(x);
  }
  Value summed = reduce.getTerminator()->getOperand(0);
  Value found = summed.getDefiningOp() ? same.lookupOrNull(summed) : Value();
  return found && costs ? found.getDefiningOp() : nullptr;
}

/// The store of results whose place can hold a value of `type` per column.
static std::optional<unsigned> findPlace(fused::NormalizeOp op, Type type) {
  unsigned inner = op.getDims().size() - 1;
  Operation *end = op.getPost().front().getTerminator();
  for (auto [i, attr] : llvm::enumerate(op.getStoreMaps())) {
    Value out = op.getOuts()[op.getStoreOuts()[i]];
    if (cast<AffineMapAttr>(attr).getValue().isFunctionOfDim(inner) &&
        end->getOperand(i).getType() == type &&
        cast<ShapedType>(out.getType()).getElementType() == type)
      return i;
  }
  return std::nullopt;
}

/// `post` with `value` as its last argument, and without what made it.
static std::unique_ptr<Region> withArgument(Block &post, Operation *value) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : post.getArguments())
    mapping.map(argument,
                block.addArgument(argument.getType(), argument.getLoc()));
  Value given =
      block.addArgument(value->getResult(0).getType(), value->getLoc());
  OpBuilder builder(value->getContext());
  builder.setInsertionPointToEnd(&block);
  for (Operation &op : post) {
    if (&op == value)
      mapping.map(value->getResult(0), given);
    else
      builder.clone(op, mapping);
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  return region;
}

std::optional<KeptReduction> cpu::findKeptReduction(fused::NormalizeOp op) {
  if (op.getReductions().empty())
    return std::nullopt;
  Operation *value = findInPost(op);
  if (!value)
    return std::nullopt;
  std::optional<unsigned> place = findPlace(op, value->getResult(0).getType());
  if (!place)
    return std::nullopt;
  KeptReduction kept{*place, withArgument(op.getPost().front(), value)};
  // Arguments of a reduction are the row's values, then reductions before it.
  size_t values = op.getReduces().back().getNumArguments() -
                  (op.getReductions().size() - 1);
  auto arguments = kept.post->getArguments().take_front(values);
  if (!llvm::all_of(arguments, [](Value value) { return value.use_empty(); }))
    return std::nullopt;
  return kept;
}
