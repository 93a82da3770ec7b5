//===- FuseRecurrences.cpp - Copies into the stores of recurrences --------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A result that is only copied elsewhere is stored there at once: both halves
// of a bidirectional layer, or a sequence with time before batch.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sinter;

/// Whether `value` is there before `op`, an operation of the same block.
static bool isBefore(Value value, Operation *op) {
  Operation *source = value.getDefiningOp();
  return !source || source->isBeforeInBlock(op);
}

/// Makes `destination` available before `op`: an empty tensor may move.
static bool moveBefore(PatternRewriter &rewriter, Value destination,
                       Operation *op) {
  if (isBefore(destination, op))
    return true;
  auto empty = destination.getDefiningOp<tensor::EmptyOp>();
  if (!empty || !llvm::all_of(empty->getOperands(), [&](Value extent) {
        return isBefore(extent, op);
      }))
    return false;
  rewriter.moveOpBefore(empty, op);
  return true;
}

namespace {
struct StoreRecurrenceThroughCopy : OpRewritePattern<fused::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fused::MapOp copy,
                                PatternRewriter &rewriter) const override {
    if (!isCopy(copy) || copy.getRows() || copy.getStoreMaps().size() != 1)
      return failure();
    auto result = dyn_cast<OpResult>(copy.getInputs()[0]);
    auto recurrence = dyn_cast_if_present<fused::RecurrenceOp>(
        result ? result.getOwner() : nullptr);
    if (!recurrence || !result.hasOneUse() ||
        recurrence->getBlock() != copy->getBlock())
      return failure();
    unsigned number = result.getResultNumber();
    AffineMap read = fused::getOptionalMap(copy.getInputMaps()[0]);
    AffineMap store = fused::getOptionalMap(copy.getStoreMaps()[0]);
    fused::Space space = spaceOf(copy);
    if (!read.isPermutation() || store.getNumSymbols() != 0 ||
        !readsAll(space, {result, read}) ||
        !recurrence.getOuts()[number].getDefiningOp<tensor::EmptyOp>())
      return rewriter.notifyMatchFailure(copy, "it copies a part only");
    Value destination = copy.getOuts()[0];
    if (!moveBefore(rewriter, destination, recurrence))
      return rewriter.notifyMatchFailure(copy, "its destination is made later");
    redirect(rewriter, recurrence, number, destination,
             store.compose(inversePermutation(read)));
    remarkFused(recurrence, "store-through-copy",
                "a recurrence stores where its result is copied to");
    rewriter.replaceOp(copy, recurrence.getResult(number));
    return success();
  }

  /// Result `number` goes to `destination`, where `onward` takes its
  /// coordinates.
  static void redirect(PatternRewriter &rewriter,
                       fused::RecurrenceOp recurrence, unsigned number,
                       Value destination, AffineMap onward) {
    SmallVector<Attribute> maps(recurrence.getOutMaps().getValue());
    AffineMap before = cast<AffineMapAttr>(maps[number]).getValue();
    maps[number] = AffineMapAttr::get(onward.compose(before));
    rewriter.modifyOpInPlace(recurrence, [&] {
      recurrence.getOutsMutable()[number].set(destination);
      recurrence.setOutMapsAttr(rewriter.getArrayAttr(maps));
      recurrence.getResult(number).setType(
          cast<RankedTensorType>(destination.getType()));
    });
  }
};
} // namespace

void sinter::addRecurrencePatterns(RewritePatternSet &patterns) {
  patterns.add<StoreRecurrenceThroughCopy>(patterns.getContext());
}
