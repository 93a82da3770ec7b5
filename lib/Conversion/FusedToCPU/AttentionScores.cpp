//===- AttentionScores.cpp - Regions of attention -------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Arguments b, h, q of a region.
SmallVector<RegionArgument> AttentionBlock::queryArguments(const Row &row) {
  return {LaneIndex::uniform(batch), LaneIndex::uniform(row.head),
          LaneIndex::uniform(k.add(row.query, shift))};
}

/// What the region yields, in all lanes.
Value AttentionBlock::region(Region &region,
                             SmallVector<RegionArgument> arguments,
                             ArrayAttr maps, ArrayRef<TensorView> captures,
                             ArrayRef<LaneIndex> dims, unsigned lanes,
                             Value active) {
  for (auto [view, attr] : llvm::zip_equal(captures, maps))
    arguments.push_back(
        readArgument(k, view, fused::getOptionalMap(attr), dims, {}, active));
  FailureOr<SmallVector<Value>> made =
      emitRegion(k, region.front(), arguments, lanes);
  if (succeeded(made))
    return k.broadcast(made->front(), lanes);
  status = failure();
  Type type = region.front().getTerminator()->getOperand(0).getType();
  return k.zero(KernelBuilder::vec(type, lanes));
}

/// Null where there is none.
Value AttentionBlock::sink(const Row &row) {
  if (op.getSink().empty())
    return nullptr;
  return region(op.getSink(), queryArguments(row), op.getSinkMaps(),
                at.sinkCaptures, point(row), /*lanes=*/1, /*active=*/nullptr);
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

AttentionBlock::KeyLanes AttentionBlock::keyLanes(Value key, bool edge) {
  unsigned lanes = k.target.lanes;
  Value active;
  if (edge) {
    Value inside = k.lt(key, limit);
    active = k.select(inside, k.sub(limit, key), k.i64(1));
    key = k.select(inside, key, k.i64(0));
  }
  return {LaneIndex::consecutive(key, lanes, lanes), active};
}

/// The sums over d of what the region makes of query `number` of the block and
/// `vectors` vectors of keys. A long chain of operations needs no more than one
/// row at a time: the processor works on several d at once.
SmallVector<Value> AttentionBlock::combine(const AttentionHead &head,
                                           Value number, const Row &row,
                                           Value key, unsigned vectors,
                                           bool edge) {
  unsigned lanes = k.target.lanes;
  Type f32 = k.getF32Type();
  Value query = tiles.query(number);
  Value panels = hasKeyPanels(op) ? tiles.keys(head, key) : Value();
  SmallVector<SmallVector<LaneIndex>> points;
  SmallVector<Value> active;
  for (unsigned j = 0; j < vectors; ++j) {
    KeyLanes keys = keyLanes(k.add(key, j * lanes), edge);
    points.push_back(point(row));
    points[j][DimK] = keys.index;
    active.push_back(keys.active);
  }
  SmallVector<Value> sums(vectors, k.zero(KernelBuilder::vec(f32, lanes)));
  auto step = [&](Value d, ValueRange carried) {
    Value q = k.load(f32, k.gep(f32, query, d));
    SmallVector<Value> next;
    for (unsigned j = 0; j < vectors; ++j) {
      points[j][DimD] = LaneIndex::uniform(d);
      Value numbers =
          panels ? tiles.keyVector(panels, j, d)
                 : loadLanes(k, locate(k, at.key, op.getKeyMap(), points[j]),
                             active[j]);
      Value term = region(op.getCombine(), {q, numbers}, op.getCombineMaps(),
                          at.combineCaptures, points[j], lanes, active[j]);
      next.push_back(k.addF(carried[j], term));
    }
    return next;
  };
  return k.loop(k.i64(0), k.i64(shape.keySize), 1, sums, step);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

AttentionTiles::Score AttentionBlock::score(const Row &row, Value key,
                                            Value products, bool edge) {
  unsigned lanes = k.target.lanes;
  SmallVector<LaneIndex> dims = point(row);
  KeyLanes keys = keyLanes(key, edge);
  dims[DimK] = keys.index;
  SmallVector<RegionArgument> arguments = queryArguments(row);
  arguments.push_back(LaneIndex::consecutive(key, lanes, lanes));

  AttentionTiles::Score made{products, {}};
  if (!op.getScore().empty()) {
    SmallVector<RegionArgument> all = {products};
    llvm::append_range(all, arguments);
    made.score = region(op.getScore(), all, op.getScoreMaps(), at.scoreCaptures,
                        dims, lanes, keys.active);
  }
  if (!edge)
    return made;
  made.visible = k.laneMask(lanes, k.sub(limit, key));
  if (!op.getMask().empty())
    made.visible =
        k.both(made.visible, region(op.getMask(), arguments, op.getMaskMaps(),
                                    at.maskCaptures, dims, lanes, keys.active));
  return made;
}

/// Scores of row `i` of a group at the keys from `key` on.
void AttentionBlock::putScores(Value i, const Row &row, Value key, Value column,
                               ArrayRef<Value> products, bool edge) {
  SmallVector<AttentionTiles::Score> scores;
  for (auto [j, product] : llvm::enumerate(products)) {
    Value first = k.add(key, j * k.target.lanes);
    scores.push_back(score(row, first, product, edge));
    keepScores(row, first, scores.back(), edge);
  }
  tiles.putScores(i, column, scores);
}

/// `rows` are those of the group that starts with `row`.
void AttentionBlock::scoreTile(const AttentionHead &head, Value row,
                               ArrayRef<Row> rows, Value firstKey, Value column,
                               unsigned vectors, bool edge) {
  Value key = k.add(firstKey, column);
  if (!op.getCombine().empty()) {
    Value some = k.min(k.i64(shape.rows), k.sub(count, row));
    k.loop(k.i64(0), some, 1, [&](Value i) {
      Value number = k.add(row, i);
      Row each = rowAt(number);
      putScores(i, each, key, column,
                combine(head, number, each, key, vectors, edge), edge);
    });
    return;
  }
  SmallVector<Value> products = tiles.products(head, row, key, vectors);
  for (unsigned i = 0; i < shape.rows; ++i)
    putScores(k.i64(i), rows[i], key, column,
              ArrayRef(products).slice(i * vectors, vectors), edge);
}
