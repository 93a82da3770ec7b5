//===- AttentionScores.cpp - Regions of attention -------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"
#include "ProductTile.h"

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

/// The sums over d of what the region makes of a query and `vectors` vectors of
/// keys in panels. A long chain of operations needs no more than one row at a
/// time: the processor works on several d at once.
SmallVector<Value> AttentionBlock::combinePanels(Value panels, Value query,
                                                 const Row &row, Value key,
                                                 unsigned vectors, bool edge) {
  unsigned lanes = k.target.lanes;
  Type f32 = k.getF32Type();
  SmallVector<KeyLanes> keys;
  for (unsigned j = 0; j < vectors; ++j)
    keys.push_back(keyLanes(k.add(key, j * lanes), edge));
  SmallVector<LaneIndex> dims = point(row);
  auto step = [&](Value d, ValueRange carried) {
    Value q = k.load(f32, k.gep(f32, query, d));
    dims[DimD] = LaneIndex::uniform(d);
    SmallVector<Value> sums;
    for (auto [j, at] : llvm::enumerate(keys)) {
      dims[DimK] = at.index;
      Value term = region(op.getCombine(), {q, tiles.keyVector(panels, j, d)},
                          op.getCombineMaps(), this->at.combineCaptures, dims,
                          lanes, at.active);
      sums.push_back(k.addF(carried[j], term));
    }
    return sums;
  };
  SmallVector<Value> none(vectors, k.zero(KernelBuilder::vec(f32, lanes)));
  return k.loop(k.i64(0), k.i64(shape.keySize), 1, none, step);
}

/// The same for the one key that `dims` is at, wherever it lies: vectors are
/// over d.
Value AttentionBlock::combineRow(Value query, SmallVector<LaneIndex> dims) {
  unsigned lanes = k.target.lanes;
  Type f32 = k.getF32Type();
  auto term = [&](Value d, unsigned width) {
    dims[DimD] = LaneIndex::consecutive(d, width, width);
    Value q = k.load(KernelBuilder::vec(f32, width), k.gep(f32, query, d));
    Value numbers = loadLanes(k, locate(k, at.key, op.getKeyMap(), dims));
    return region(op.getCombine(), {q, numbers}, op.getCombineMaps(),
                  at.combineCaptures, dims, width, /*active=*/nullptr);
  };
  Value sum = k.zero(f32);
  int64_t whole = shape.keySize / lanes * lanes;
  if (whole)
    sum = k.horizontalSum(
        k.loop(k.i64(0), k.i64(whole), lanes,
               {k.zero(KernelBuilder::vec(f32, lanes))},
               [&](Value d, ValueRange carried) -> SmallVector<Value> {
                 return {k.addF(carried[0], term(d, lanes))};
               })
            .front());
  for (const VectorPiece &piece : splitIntoVectors(shape.keySize, lanes))
    if (piece.first >= whole)
      sum = k.addF(sum, k.horizontalSum(term(k.i64(piece.first), piece.lanes)));
  return sum;
}

/// What the region gives for row `i` of a group, `number` in the block.
SmallVector<Value> AttentionBlock::combine(const AttentionHead &head, Value i,
                                           Value number, Value key,
                                           Value column, unsigned vectors,
                                           bool edge) {
  Row row = rowAt(number);
  Value query = tiles.query(number);
  if (hasKeyPanels(op))
    return combinePanels(tiles.keys(head, key), query, row, key, vectors, edge);
  Value some = k.min(k.i64(vectors * k.target.lanes), k.sub(limit, key));
  k.loop(k.i64(0), some, 1, [&](Value j) {
    SmallVector<LaneIndex> dims = point(row);
    dims[DimK] = LaneIndex::uniform(k.add(key, j));
    tiles.putProduct(i, k.add(column, j), combineRow(query, dims));
  });
  return tiles.productsAt(i, column, vectors);
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
      putScores(i, rowAt(number), key, column,
                combine(head, i, number, key, column, vectors, edge), edge);
    });
    return;
  }
  SmallVector<Value> products = tiles.products(head, row, key, vectors);
  for (unsigned i = 0; i < shape.rows; ++i)
    putScores(k.i64(i), rows[i], key, column,
              ArrayRef(products).slice(i * vectors, vectors), edge);
}
