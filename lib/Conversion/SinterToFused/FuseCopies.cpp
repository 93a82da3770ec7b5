//===- FuseCopies.cpp - Copies into the accesses of other kernels ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, transposes and broadcasts are maps that only copy. A kernel that
// reads the copy can read the original through a composed map; a map whose
// result is only copied elsewhere can store there itself.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sinter;

/// The access to what a copy copies, in place of the access to the copy.
static std::optional<fused::Access> throughCopy(fused::Access access) {
  std::optional<ReadableMap> copy = readableMap(access.value);
  if (!copy || !isCopy(copy->op) || !access.map)
    return std::nullopt;
  AffineMap source = fused::getOptionalMap(copy->op.getInputMaps()[0]);
  return fused::Access{copy->op.getInputs()[0],
                       source.compose(copy->toSpace.compose(access.map))};
}

/// Whether the last index is `dim` plus a number, and no other index has it:
/// elements along `dim` are neighbours.
static bool isUnitStride(AffineMap map, unsigned dim) {
  for (AffineExpr expr : map.getResults().drop_back())
    if (expr.isFunctionOfDim(dim))
      return false;
  AffineExpr rest = simplifyAffineExpr(
      map.getResults().back() - getAffineDimExpr(dim, map.getContext()),
      map.getNumDims(), map.getNumSymbols());
  return !rest.isFunctionOfDim(dim);
}

/// Whether every result is linear in the dimensions: no division or remainder.
static bool isLinear(AffineMap map) {
  bool linear = true;
  map.walkExprs([&](AffineExpr expr) {
    linear &= expr.getKind() != AffineExprKind::FloorDiv &&
              expr.getKind() != AffineExprKind::Mod &&
              expr.getKind() != AffineExprKind::CeilDiv;
  });
  return linear;
}

namespace {
/// The rows that a contract or recurrence multiplies, and the queries and
/// values of an attention, are read in place where their last dimension stays
/// contiguous.
struct ReadThroughCopy : RewritePattern {
  ReadThroughCopy(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (auto contract = dyn_cast<fused::ContractOp>(op)) {
      unsigned k = contract.getDims().size() - 1;
      return redirect(rewriter, op, contract.getInputMutable(),
                      contract.getInputMapAttrName(), contract.getInputMap(),
                      k);
    }
    if (auto recurrence = dyn_cast<fused::RecurrenceOp>(op);
        recurrence && recurrence.getInput()) {
      unsigned k = recurrence.getDims().size() - 1;
      return redirect(rewriter, op, recurrence.getInputMutable()[0],
                      recurrence.getInputMapAttrName(),
                      *recurrence.getInputMap(), k, /*fromFirst=*/true);
    }
    if (auto attention = dyn_cast<fused::AttentionOp>(op)) {
      if (succeeded(redirect(rewriter, op, attention.getQueryMutable(),
                             attention.getQueryMapAttrName(),
                             attention.getQueryMap(), 4)))
        return success();
      return redirect(rewriter, op, attention.getValueMutable(),
                      attention.getValueMapAttrName(), attention.getValueMap(),
                      5);
    }
    return failure();
  }

  /// With `fromFirst` the last index must be that dimension itself.
  static LogicalResult redirect(PatternRewriter &rewriter, Operation *op,
                                OpOperand &operand, StringAttr mapName,
                                AffineMap map, unsigned dim,
                                bool fromFirst = false) {
    std::optional<fused::Access> access = throughCopy({operand.get(), map});
    if (!access || !isUnitStride(access->map, dim) ||
        (fromFirst && access->map.getResults().back() !=
                          getAffineDimExpr(dim, op->getContext())) ||
        (isLinear(map) && !isLinear(access->map)))
      return failure();
    fused::Space space = spaceOf(cast<fused::SkeletonInterface>(op));
    fixExtents(space, {operand.get(), map}, *access);
    Operation *copy = operand.get().getDefiningOp();
    rewriter.modifyOpInPlace(op, [&] {
      operand.set(access->value);
      op->setAttr(mapName, AffineMapAttr::get(access->map));
      op->setAttr("extents", rewriter.getDenseI64ArrayAttr(space.extents));
    });
    eraseIfDead(rewriter, copy);
    return success();
  }
};

/// A map whose only reader copies its result stores to the copy's destination:
/// rotated keys go straight into their cache slots.
struct StoreThroughCopy : OpRewritePattern<fused::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fused::MapOp copy,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// A copy may have symbols and row limits, unlike those that readers see
/// through.
static bool onlyCopies(fused::MapOp op) {
  Block &body = op.getBody().front();
  return op.getInputs().size() == 1 && op.getStoreMaps().size() == 1 &&
         body.getOperations().size() == 1 &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

/// The dimension that all stores have plainly as their result `at`.
static std::optional<unsigned> commonDim(ArrayRef<fused::Store> stores,
                                         unsigned at) {
  std::optional<unsigned> common;
  for (const fused::Store &store : stores) {
    auto dim = dyn_cast<AffineDimExpr>(store.map.getResult(at));
    if (!dim || (common && *common != dim.getPosition()))
      return std::nullopt;
    common = dim.getPosition();
  }
  return common;
}

/// A map over the copy's dimensions, as one over the producer's, or null if the
/// stores disagree.
static AffineMap overProducer(AffineMap map, AffineMap toResult,
                              ArrayRef<fused::Store> stores) {
  AffineMap common;
  for (const fused::Store &store : stores) {
    AffineMap composed = map.compose(toResult.compose(store.map));
    if (common && common != composed)
      return AffineMap();
    common = composed;
  }
  return common;
}

/// Stores what `spec` makes where `copy` would copy it to, with the copy's
/// symbols and row limits. `toCopy` takes coordinates of the result to the
/// copy's dimensions.
static LogicalResult moveStores(fused::MapSpec &spec,
                                const fused::MapSpec &copy, AffineMap toCopy) {
  MutableArrayRef<fused::Store> stores = spec.destinations.stores;
  for (fused::Symbol symbol : copy.symbols) {
    symbol.map = overProducer(symbol.map, toCopy, stores);
    if (!symbol.map)
      return failure();
    spec.symbols.push_back(symbol);
  }
  if (copy.rows) {
    std::optional<unsigned> dim =
        commonDim(stores, toCopy.getDimPosition(copy.rows->dim));
    AffineMap map = overProducer(copy.rows->map, toCopy, stores);
    if (!dim || !map)
      return failure();
    spec.rows = fused::RowLimit{copy.rows->value, map, *dim};
  }
  SmallVector<fused::Access> before = accessesOf(spec);
  AffineMap onward = copy.destinations.stores[0].map;
  SmallVector<AffineExpr> symbols;
  for (unsigned i : llvm::seq(onward.getNumSymbols()))
    symbols.push_back(getAffineSymbolExpr(i, onward.getContext()));
  for (fused::Store &store : stores) {
    AffineMap dims = toCopy.compose(store.map);
    store.map = onward.replaceDimsAndSymbols(dims.getResults(), symbols,
                                             dims.getNumDims(), symbols.size());
  }
  spec.destinations.outs = copy.destinations.outs;
  return keepExtents(spec.space, before, accessesOf(spec));
}

LogicalResult
StoreThroughCopy::matchAndRewrite(fused::MapOp copy,
                                  PatternRewriter &rewriter) const {
  if (!onlyCopies(copy))
    return failure();
  AffineMap read = fused::getOptionalMap(copy.getInputMaps()[0]);
  auto producer = copy.getInputs()[0].getDefiningOp<fused::MapOp>();
  if (!producer || !read || !copy.getInputs()[0].hasOneUse() ||
      producer.getOuts().size() != 1 || producer.getRows() ||
      !producer.getOuts()[0].getDefiningOp<tensor::EmptyOp>() ||
      !producer.getSymbols().empty())
    return rewriter.notifyMatchFailure(copy, "its input is not a lone map's");
  read = AffineMap::get(read.getNumDims(), 0, read.getResults(),
                        read.getContext());
  if (!read.isPermutation() ||
      !readsAll(spaceOf(copy), {copy.getInputs()[0], read}))
    return rewriter.notifyMatchFailure(copy, "it reads a part only");
  fused::MapSpec spec = describe(producer), target = describe(copy);
  if (failed(moveStores(spec, target, inversePermutation(read))))
    return rewriter.notifyMatchFailure(copy, "rows differ by store");
  spec.body = [&](OpBuilder &builder, Location, ValueRange args) {
    return inlineRegion(builder, producer.getBody(), args);
  };
  rewriter.setInsertionPoint(copy);
  auto map = fused::buildMap(rewriter, producer.getLoc(), spec);
  remarkFused(producer, "store-through-copy",
              "a map stores where its result is copied to");
  rewriter.replaceOp(copy, map);
  eraseIfDead(rewriter, producer);
  return success();
}

void sinter::addCopyPatterns(RewritePatternSet &patterns) {
  patterns.add<ReadThroughCopy, StoreThroughCopy>(patterns.getContext());
}
