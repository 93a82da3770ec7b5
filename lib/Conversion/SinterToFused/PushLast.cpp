//===- PushLast.cpp - Compute only the last position ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// last(f(x)) becomes f(last(x)) where f treats each position alone and nothing
// else reads f(x). Of a prompt, the layers' last projections are then computed
// for one position.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Fusion.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace sinter;

/// Operands of `op` that have a time dimension like its result, if it treats
/// each position alone.
static SmallVector<OpOperand *> positionwiseOperands(Operation *op) {
  SmallVector<OpOperand *> operands;
  if (isElementwise(op)) {
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(&operand);
  } else if (isa<LinearOp, RmsNormOp, LayerNormOp, MergeHeadsOp, FfnOp,
                 GatedFfnOp>(op)) {
    operands.push_back(&op->getOpOperand(0));
  }
  return operands;
}

/// Whether `value` is read by nothing but `sinter.last` with the same lengths.
static bool isReadByLastOnly(Value value, Value lengths) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    auto last = dyn_cast<LastOp>(user);
    return last && last.getLengths() == lengths;
  });
}

namespace {
struct PushLast : OpRewritePattern<LastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LastOp last,
                                PatternRewriter &rewriter) const override {
    Operation *op = last.getInput().getDefiningOp();
    if (last.getInput().getType().getDimSize(1) == 1)
      return rewriter.notifyMatchFailure(last, "there is one position");
    if (!op || !isReadByLastOnly(last.getInput(), last.getLengths()))
      return rewriter.notifyMatchFailure(last, "input has other readers");
    SmallVector<OpOperand *> operands = positionwiseOperands(op);
    auto hasTime = [](OpOperand *operand) {
      auto type = dyn_cast<RankedTensorType>(operand->get().getType());
      return type && type.getRank() >= 3;
    };
    if (operands.empty() || !llvm::all_of(operands, hasTime))
      return rewriter.notifyMatchFailure(last, "input mixes positions");
    rewriter.setInsertionPoint(op);
    SmallVector<Value> values(op->getOperands());
    for (OpOperand *operand : operands)
      values[operand->getOperandNumber()] = LastOp::create(
          rewriter, last.getLoc(), operand->get(), last.getLengths());
    OperationState state(op->getLoc(), op->getName());
    state.addOperands(values);
    state.addTypes(last.getType());
    state.propertiesAttr = op->getPropertiesAsAttribute();
    state.addAttributes(op->getDiscardableAttrDictionary().getValue());
    Operation *moved = rewriter.create(state);
    for (Operation *user : llvm::to_vector(op->getUsers()))
      rewriter.replaceOp(user, moved->getResults());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

LogicalResult sinter::pushLast(func::FuncOp entry) {
  RewritePatternSet patterns(entry.getContext());
  patterns.add<PushLast>(entry.getContext());
  if (entry.getOps<LastOp>().empty())
    return success();
  if (failed(applyPatternsGreedily(entry, std::move(patterns))))
    return failure();
  // Branches that meet above ask for the last position of the same value.
  DominanceInfo dominance(entry);
  IRRewriter rewriter(entry.getContext());
  eliminateCommonSubExpressions(rewriter, dominance, entry);
  return success();
}
