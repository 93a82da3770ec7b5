//===- Canonicalize.cpp - simplifications of single ops -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace sinter;

/// The number that all elements of `lengths` have, if it is known.
static std::optional<int64_t> getUniformLength(Value lengths) {
  APInt number;
  if (auto splat = lengths.getDefiningOp<tensor::SplatOp>()) {
    if (matchPattern(splat.getInput(), m_ConstantInt(&number)))
      return number.getSExtValue();
    return std::nullopt;
  }
  if (matchPattern(lengths, m_ConstantInt(&number)))
    return number.getSExtValue();
  return std::nullopt;
}

namespace {
/// Drops `lengths` that are the whole extent of each row, as in a decoding
/// entry that binds a sequence of 1 and lengths of 1.
template <typename OpT> struct DropFullLengths : OpRewritePattern<OpT> {
  using OpRewritePattern<OpT>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    if (!op.getLengths())
      return rewriter.notifyMatchFailure(op, "has no lengths");
    LengthsClause clause = *getLengthsClause(op);
    auto input = cast<RankedTensorType>(clause.sequence.getType());
    std::optional<int64_t> length = getUniformLength(op.getLengths());
    if (!length || *length != input.getDimSize(clause.isTimeMajor ? 0 : 1))
      return rewriter.notifyMatchFailure(op, "lengths may be shorter");
    rewriter.modifyOpInPlace(op, [&] { op.getLengthsMutable().clear(); });
    return success();
  }
};
/// Drops outputs of a scan that nobody reads: each is as long as the sequence.
struct DropUnusedOutputs : OpRewritePattern<ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ScanOp scan,
                                PatternRewriter &rewriter) const override {
    llvm::BitVector unused(scan.getNumResults());
    for (unsigned i = 0; i < scan.getNumOutputs(); ++i)
      unused[i] = scan->getResult(i).use_empty();
    if (unused.none())
      return rewriter.notifyMatchFailure(scan, "all outputs are read");
    SmallVector<Value> used;
    SmallVector<Type> types;
    for (OpResult result : scan->getResults())
      if (!unused[result.getResultNumber()]) {
        used.push_back(result);
        types.push_back(result.getType());
      }
    auto made = ScanOp::create(
        rewriter, scan.getLoc(), types, scan.getSequences(), scan.getInitials(),
        scan.getLengths(), scan.getZeros(), scan.getReverse());
    made->setDiscardableAttrs(scan->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(scan.getBody(), made.getBody(),
                                made.getBody().end());
    Operation *yield = made.getBody().front().getTerminator();
    rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(unused); });
    for (auto [value, result] : llvm::zip_equal(used, made.getResults()))
      rewriter.replaceAllUsesWith(value, result);
    rewriter.eraseOp(scan);
    return success();
  }
};
} // namespace

namespace {
/// Further results that nobody uses are not asked for.
struct DropUnusedResults : OpRewritePattern<AttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (llvm::none_of(llvm::drop_begin(op->getResults()),
                      [](Value result) { return result.use_empty(); }))
      return rewriter.notifyMatchFailure(op, "all results are used");
    OperationState state(op.getLoc(), AttentionOp::getOperationName());
    state.addOperands(op->getOperands());
    state.getOrAddProperties<AttentionOp::Properties>() = op.getProperties();
    state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
    for (Region &region : op->getRegions())
      state.addRegion()->takeBody(region);
    SmallVector<Value> kept = {op.getResult()};
    auto &segments =
        state.getOrAddProperties<AttentionOp::Properties>().resultSegmentSizes;
    Value further[] = {op.getLse(), op.getScores(), op.getWeights()};
    for (auto [i, result] : llvm::enumerate(further)) {
      segments[i + 1] = result && !result.use_empty();
      if (segments[i + 1])
        kept.push_back(result);
    }
    state.addTypes(TypeRange(ValueRange(kept)));
    Operation *smaller = rewriter.create(state);
    for (auto [old, result] : llvm::zip_equal(kept, smaller->getResults()))
      rewriter.replaceAllUsesWith(old, result);
    rewriter.eraseOp(op);
    return success();
  }
};

/// Weights that nobody uses are not asked for.
struct DropUnusedWeights : OpRewritePattern<AdditiveAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AdditiveAttentionOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.getWeights() || !op.getWeights().use_empty())
      return rewriter.notifyMatchFailure(op, "has no unused weights");
    auto smaller = AdditiveAttentionOp::create(
        rewriter, op.getLoc(), op.getQuery(), op.getKey(), op.getValue(),
        op.getVector(), op.getLengths(), op.getDenseMask(),
        /*with_weights=*/false);
    rewriter.replaceAllUsesWith(op.getResult(), smaller.getResult());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropFullLengths<AttentionOp>, DropUnusedResults>(context);
}

void AdditiveAttentionOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropFullLengths<AdditiveAttentionOp>, DropUnusedWeights>(
      context);
}

void FillOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFullLengths<FillOp>>(context);
}

void LastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFullLengths<LastOp>>(context);
}

void LstmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFullLengths<LstmOp>>(context);
}

void ScanOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFullLengths<ScanOp>, DropUnusedOutputs>(context);
}

void RnnOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropFullLengths<RnnOp>>(context);
}

void GruOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                        MLIRContext *context) {
  patterns.add<DropFullLengths<GruOp>>(context);
}

void RopeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<DropFullLengths<RopeOp>>(context);
}
