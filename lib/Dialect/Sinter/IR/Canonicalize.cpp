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

void AttentionOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *context) {
  patterns.add<DropFullLengths<AttentionOp>>(context);
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
