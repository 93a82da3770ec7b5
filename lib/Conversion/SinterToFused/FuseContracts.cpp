//===- FuseContracts.cpp - Maps into the epilogues of contracts -----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A map that reads the result of a contract, and is its only reader, becomes
// the epilogue. Where it reads the results of several contracts of the same
// rows, their weights become paired: their accumulators meet in one epilogue.
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"

using namespace mlir;
using namespace sinter;

using Values = SmallVector<Value>;

namespace {
/// Inputs of a map that are results of contracts which become one, with the map
/// from the contract's dimensions to the map's.
struct Group {
  SmallVector<unsigned> inputs;
  SmallVector<fused::ContractOp> contracts;
  AffineMap toMap;
};

struct MapIntoEpilogue : OpRewritePattern<fused::MapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(fused::MapOp map,
                                PatternRewriter &rewriter) const override;
};
} // namespace

static fused::SegmentOp onlySegment(fused::ContractOp contract) {
  auto segments = contract.getSegments();
  return llvm::hasSingleElement(segments) ? *segments.begin()
                                          : fused::SegmentOp();
}

/// The map from the contract's dimensions to those of `map`, which reads its
/// result by `read` over the same space; null if it does not.
static AffineMap spaceMap(fused::ContractOp contract, AffineMap read) {
  fused::SegmentOp segment = onlySegment(contract);
  if (!segment || segment.getStores().size() != 1 ||
      !segment.getSymbols().empty() || !segment.getPartials().empty() ||
      !segment.getIndexDims().empty() || contract.getRows())
    return AffineMap();
  AffineMap store = fused::getOptionalMap(segment.getStoreMaps()[0]);
  // All dimensions but k, each once.
  unsigned dims = contract.getDims().size();
  if (store.getNumResults() != dims - 1 || !store.isProjectedPermutation() ||
      store.isFunctionOfDim(dims - 1) || !read || !read.isPermutation())
    return AffineMap();
  return inversePermutation(read).compose(store);
}

/// Whether both multiply the same rows in the same way.
static bool isPair(fused::ContractOp a, fused::ContractOp b) {
  fused::SegmentOp x = onlySegment(a), y = onlySegment(b);
  return a.getInput() == b.getInput() && a.getInputMap() == b.getInputMap() &&
         a.getDims() == b.getDims() && a.getExtents() == b.getExtents() &&
         x.getN() == y.getN();
}

/// Starts with the contract that is computed last, so that everything it meets
/// exists; adds those that pair with it.
static std::optional<Group> findGroup(fused::MapOp map) {
  if (!map.getSymbols().empty() || map.getRows() || !map.getIndexDims().empty())
    return std::nullopt;
  std::optional<Group> group;
  SmallVector<std::pair<unsigned, AffineMap>> candidates;
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    auto contract = input.getDefiningOp<fused::ContractOp>();
    if (!contract || !input.hasOneUse())
      continue;
    AffineMap read = fused::getOptionalMap(map.getInputMaps()[i]);
    AffineMap toMap = read ? spaceMap(contract, read) : AffineMap();
    if (!toMap || !readsAll(spaceOf(map), {input, read}))
      continue;
    candidates.push_back({i, toMap});
    if (!group || group->contracts[0]->isBeforeInBlock(contract))
      group = Group{{static_cast<unsigned>(i)}, {contract}, toMap};
  }
  if (!group)
    return std::nullopt;
  fused::ContractOp last = group->contracts[0];
  Group inOrder{{}, {}, group->toMap};
  for (auto [i, toMap] : candidates) {
    auto contract = map.getInputs()[i].getDefiningOp<fused::ContractOp>();
    if (toMap != group->toMap || !isPair(last, contract))
      continue;
    inOrder.inputs.push_back(i);
    inOrder.contracts.push_back(contract);
  }
  return inOrder;
}

/// Runs the old epilogues, then the map's body. Arguments: all accumulators,
/// the captures of each contract, those of the map.
static Values epilogue(OpBuilder &builder, fused::MapOp map, const Group &group,
                       ValueRange args) {
  unsigned accumulator = 0, capture = 0;
  for (fused::ContractOp contract : group.contracts)
    capture += onlySegment(contract).getWeights().size();
  Values inputs(map.getInputs().size());
  for (auto [i, contract] : llvm::zip_equal(group.inputs, group.contracts)) {
    fused::SegmentOp segment = onlySegment(contract);
    unsigned weights = segment.getWeights().size();
    unsigned captures = segment.getCaptures().size();
    Values own(args.slice(accumulator, weights));
    llvm::append_range(own, args.slice(capture, captures));
    inputs[i] = inlineRegion(builder, segment.getEpilogue(), own)[0];
    accumulator += weights;
    capture += captures;
  }
  for (Value &input : inputs)
    if (!input)
      input = args[capture++];
  return inlineRegion(builder, map.getBody(), inputs);
}

/// Weights and captures of all contracts, then the other inputs of the map as
/// captures.
static fused::SegmentSpec segmentOf(fused::MapOp map, const Group &group) {
  fused::SegmentSpec spec;
  spec.n = onlySegment(group.contracts[0]).getN();
  for (fused::ContractOp contract : group.contracts) {
    fused::SegmentOp segment = onlySegment(contract);
    for (auto [weight, at] :
         llvm::zip_equal(segment.getWeights(), segment.getWeightMaps()))
      spec.weights.push_back({weight, fused::getOptionalMap(at)});
    for (auto [capture, at] :
         llvm::zip_equal(segment.getCaptures(), segment.getCaptureMaps()))
      spec.captures.push_back({capture, fused::getOptionalMap(at)});
  }
  for (auto [i, input] : llvm::enumerate(map.getInputs())) {
    AffineMap at = fused::getOptionalMap(map.getInputMaps()[i]);
    if (!llvm::is_contained(group.inputs, i))
      spec.captures.push_back({input, at ? at.compose(group.toMap) : at});
  }
  return spec;
}

LogicalResult
MapIntoEpilogue::matchAndRewrite(fused::MapOp map,
                                 PatternRewriter &rewriter) const {
  std::optional<Group> group = findGroup(map);
  if (!group)
    return rewriter.notifyMatchFailure(map, "reads no contract of its own");
  fused::ContractOp first = group->contracts[0];
  fused::MapSpec consumer = describe(map);
  fused::ContractSpec spec;
  spec.space = spaceOf(first);
  carryExtents(spec.space, group->toMap, consumer.space.extents);
  spec.input = {first.getInput(), first.getInputMap()};
  spec.outs = consumer.destinations.outs;
  fused::SegmentSpec segment = segmentOf(map, *group);
  for (const fused::Store &store : consumer.destinations.stores)
    segment.stores.push_back({consumer.destinations.outs[store.out],
                              store.map.compose(group->toMap)});
  segment.epilogue = [&](OpBuilder &builder, Location, ValueRange args) {
    return epilogue(builder, map, *group, args);
  };
  rewriter.setInsertionPoint(map);
  auto contract = fused::buildContract(rewriter, first.getLoc(), spec);
  fused::addSegment(contract, first.getLoc(), segment);
  remarkFused(map, "fuse-epilogue",
              group->contracts.size() > 1
                  ? "a map runs in the epilogue of " +
                        Twine(group->contracts.size()) +
                        " contracts of the same rows, now one with paired "
                        "weights"
                  : Twine("a map runs in the epilogue of the contract that "
                          "makes its input"));
  rewriter.replaceOp(map, contract.getResults());
  for (fused::ContractOp old : group->contracts)
    eraseIfDead(rewriter, old);
  return success();
}

void sinter::addContractPatterns(RewritePatternSet &patterns) {
  // Before maps swallow the map that would be an epilogue.
  patterns.add<MapIntoEpilogue>(patterns.getContext(), PatternBenefit(2));
}
