//===- AttentionExtras.cpp - Results beside the mixture -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"

#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static Value minusInfinity(KernelBuilder &k, unsigned lanes) {
  return k.constant(KernelBuilder::vec(k.getF32Type(), lanes),
                    -std::numeric_limits<double>::infinity());
}

/// All keys there are, those at or past the length among them, a vector at a
/// time; `active` is null but for the last one.
void AttentionBlock::forKeys(
    function_ref<void(const LaneIndex &keys, Value active)> body) {
  unsigned lanes = k.target.lanes;
  Value keys = at.extents[DimK], whole = k.roundDown(keys, lanes);
  k.loop(k.i64(0), whole, lanes, [&](Value key) {
    body(LaneIndex::consecutive(key, lanes, lanes), nullptr);
  });
  k.ifThen(k.lt(whole, keys), [&] {
    body(LaneIndex::consecutive(whole, lanes, lanes), k.sub(keys, whole));
  });
}

/// Tiles that no key of a row is seen in are never visited.
void AttentionBlock::startScores(const Row &row) {
  const auto &kept = at.keptScores();
  if (!kept)
    return;
  SmallVector<LaneIndex> dims = point(row);
  forKeys([&](const LaneIndex &keys, Value active) {
    dims[DimK] = keys;
    storeLanes(k, minusInfinity(k, keys.lanes()),
               locate(k, kept->view, kept->map, dims), active);
  });
}

void AttentionBlock::keepScores(const Row &row, Value key,
                                const AttentionTiles::Score &made, bool edge) {
  const auto &kept = at.keptScores();
  if (!kept)
    return;
  unsigned lanes = k.target.lanes;
  Value scores = made.score;
  if (made.visible)
    scores = k.select(made.visible, scores, minusInfinity(k, lanes));
  SmallVector<LaneIndex> dims = point(row);
  dims[DimK] = LaneIndex::consecutive(key, lanes, lanes);
  storeLanes(k, scores, locate(k, kept->view, kept->map, dims),
             edge ? k.sub(limit, key) : Value(),
             edge ? k.lt(key, limit) : Value());
}

/// `number` is the row's within the block.
void AttentionBlock::finishExtras(Value number, const Row &row) {
  SmallVector<LaneIndex> dims = point(row);
  if (at.logSumExp)
    storeLanes(k, tiles.logSumExp(number),
               locate(k, at.logSumExp->view, at.logSumExp->map, dims));
  if (!at.weights)
    return;
  const auto &kept = at.keptScores();
  forKeys([&](const LaneIndex &keys, Value active) {
    dims[DimK] = keys;
    Value scores = loadLanes(k, locate(k, kept->view, kept->map, dims), active);
    storeLanes(k, tiles.weights(number, scores),
               locate(k, at.weights->view, at.weights->map, dims), active);
  });
}
