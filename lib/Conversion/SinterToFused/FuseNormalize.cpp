//===- FuseNormalize.cpp - Maps before and after a normalize --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "sinter/Analysis/NormalizeRows.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sinter;

using Values = SmallVector<Value>;

/// A body that repeats an existing region.
static fused::RegionBuilder repeat(Region &region) {
  if (region.empty())
    return {};
  return [&region](OpBuilder &builder, Location, ValueRange args) {
    return inlineRegion(builder, region, args);
  };
}

static fused::NormalizeSpec describeWithRegions(fused::NormalizeOp op) {
  fused::NormalizeSpec spec = describe(op);
  spec.pre = repeat(op.getPre());
  spec.post = repeat(op.getPost());
  for (auto [kind, region] :
       llvm::zip_equal(op.getReductions().getAsRange<fused::ReductionAttr>(),
                       op.getReduces()))
    spec.reduces.push_back({kind.getValue(), repeat(region)});
  return spec;
}

//===----------------------------------------------------------------------===//
// Before
//===----------------------------------------------------------------------===//

namespace {
/// The map that makes the input of a normalize becomes its `pre`. If others
/// read the map's result too, the normalize also stores it (a residual sum that
/// the next block needs).
struct MapIntoPre : OpRewritePattern<fused::NormalizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fused::NormalizeOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// Whether all other readers of `value` come after `op`.
static bool isReadAfter(Value value, Operation *op) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == op ||
           (user->getBlock() == op->getBlock() && op->isBeforeInBlock(user));
  });
}

/// The map that makes the only input, if it can stand in `pre`: no symbols, no
/// indices, no tables.
static std::optional<ReadableMap> producerOf(fused::NormalizeOp op) {
  if (op.getInputs().size() != 1 || !op.getPre().empty())
    return std::nullopt;
  AffineMap read = fused::getOptionalMap(op.getInputMaps()[0]);
  std::optional<ReadableMap> producer = readableMap(op.getInputs()[0]);
  if (!producer || !read || !read.isPermutation() ||
      !producer->op.getSymbols().empty() ||
      !producer->op.getIndexDims().empty() ||
      producer->op.getInputs().empty() ||
      llvm::any_of(producer->op.getInputMaps(),
                   [](Attribute map) { return !fused::getOptionalMap(map); }))
    return std::nullopt;
  return producer;
}

LogicalResult MapIntoPre::matchAndRewrite(fused::NormalizeOp op,
                                          PatternRewriter &rewriter) const {
  std::optional<ReadableMap> producer = producerOf(op);
  if (!producer)
    return rewriter.notifyMatchFailure(op, "its input is not a plain map's");
  Value value = op.getInputs()[0];
  AffineMap read = fused::getOptionalMap(op.getInputMaps()[0]);
  fused::MapSpec source = describe(producer->op);
  bool isShared = !value.hasOneUse();
  if (isShared &&
      (!isReadAfter(value, op) || isStatisticsOnly(op) || isCopy(producer->op)))
    return rewriter.notifyMatchFailure(op, "others read the map's result");

  fused::NormalizeSpec spec = describeWithRegions(op);
  AffineMap toSource = producer->toSpace.compose(read);
  spec.inputs.clear();
  for (const fused::Access &input : source.inputs) {
    spec.inputs.push_back({input.value, input.map.compose(toSource)});
    fixExtents(spec.space, {value, read}, spec.inputs.back());
  }
  spec.pre = repeat(producer->op.getBody());
  if (isShared) {
    spec.destinations.add(source.destinations.outs[0], read);
    spec.post = [&](OpBuilder &builder, Location, ValueRange args) {
      Values results = inlineRegion(builder, op.getPost(), args);
      results.push_back(args[0]);
      return results;
    };
  }
  rewriter.setInsertionPoint(op);
  auto fusedOp = fused::buildNormalize(rewriter, op.getLoc(), spec);
  remarkFused(op, "fuse-pre",
              isShared ? "a map runs in the normalize that reads its result, "
                         "which also stores it"
                       : "a map runs in the normalize that reads its result");
  if (isShared)
    rewriter.replaceAllUsesExcept(value, fusedOp.getResults().back(), fusedOp);
  rewriter.replaceOp(op, fusedOp.getResults().take_front(op->getNumResults()));
  eraseIfDead(rewriter, producer->op);
  return success();
}

//===----------------------------------------------------------------------===//
// After
//===----------------------------------------------------------------------===//

namespace {
/// The only reader of a normalize's result, if it is an element-wise map,
/// becomes part of `post`.
struct MapIntoPost : OpRewritePattern<fused::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fused::MapOp map,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// The input of `map` made by a normalize that nothing else reads, if the map
/// runs over the same space.
static std::optional<unsigned> normalizedInput(fused::MapOp map) {
  if (!map.getSymbols().empty() || map.getRows() || !map.getIndexDims().empty())
    return std::nullopt;
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    auto normalize = input.getDefiningOp<fused::NormalizeOp>();
    AffineMap read = fused::getOptionalMap(map.getInputMaps()[i]);
    if (!normalize || !input.hasOneUse() || !read || !read.isPermutation() ||
        !readsAll(spaceOf(map), {input, read}) ||
        normalize->getNumResults() != 1 || isStatisticsOnly(normalize) ||
        normalize.getStoreMaps().size() != 1 ||
        !fused::getOptionalMap(normalize.getStoreMaps()[0]).isPermutation())
      continue;
    return i;
  }
  return std::nullopt;
}

LogicalResult MapIntoPost::matchAndRewrite(fused::MapOp map,
                                           PatternRewriter &rewriter) const {
  std::optional<unsigned> at = normalizedInput(map);
  if (!at)
    return rewriter.notifyMatchFailure(map, "reads no normalize of its own");
  auto op = map.getInputs()[*at].getDefiningOp<fused::NormalizeOp>();
  fused::MapSpec consumer = describe(map);
  fused::NormalizeSpec spec = describeWithRegions(op);
  // Dimensions of the normalize to those of the map.
  AffineMap toMap = inversePermutation(consumer.inputs[*at].map)
                        .compose(spec.destinations.stores[0].map);
  unsigned before = spec.captures.size();
  for (auto [i, input] : llvm::enumerate(consumer.inputs))
    if (i != *at)
      spec.captures.push_back(
          {input.value, input.map ? input.map.compose(toMap) : input.map});
  for (fused::Store &store : consumer.destinations.stores)
    store.map = store.map.compose(toMap);
  carryExtents(spec.space, toMap, consumer.space.extents);
  spec.destinations = consumer.destinations;
  unsigned added = consumer.inputs.size() - 1;
  spec.post = [&](OpBuilder &builder, Location, ValueRange args) {
    // Values and reductions, old captures, new captures, indices.
    unsigned indices = spec.indexDims.size();
    unsigned own = args.size() - indices - before - added;
    Values old(args.take_front(own + before));
    llvm::append_range(old, args.take_back(indices));
    Values values = inlineRegion(builder, op.getPost(), old);
    Values inner(args.slice(own + before, added));
    inner.insert(inner.begin() + *at, values[0]);
    return inlineRegion(builder, map.getBody(), inner);
  };
  rewriter.setInsertionPoint(map);
  auto fusedOp = fused::buildNormalize(rewriter, op.getLoc(), spec);
  remarkFused(map, "fuse-post",
              "a map runs in the normalize that makes its input");
  rewriter.replaceOp(map, fusedOp);
  eraseIfDead(rewriter, op);
  return success();
}

void sinter::addNormalizePatterns(RewritePatternSet &patterns) {
  patterns.add<MapIntoPre, MapIntoPost>(patterns.getContext());
}
