//===- AttentionBlock.cpp - A block of query rows -------------------------===//
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

AttentionOperands AttentionOperands::get(KernelBuilder &k,
                                         KernelLowering &lowering,
                                         fused::AttentionOp op, Value args) {
  auto view = [&](Value operand) { return lowering.view(k, args, operand); };
  AttentionOperands at;
  at.query = view(op.getQuery());
  at.key = view(op.getKey());
  at.value = view(op.getValue());
  at.out = view(op.getOuts()[0]);
  if (op.getOffset())
    at.offset = view(op.getOffset());
  if (op.getLength())
    at.length = view(op.getLength());
  if (op.getRows())
    at.rows = view(op.getRows());
  at.combineCaptures = llvm::map_to_vector(op.getCombineCaptures(), view);
  at.scoreCaptures = llvm::map_to_vector(op.getScoreCaptures(), view);
  at.maskCaptures = llvm::map_to_vector(op.getMaskCaptures(), view);
  at.sinkCaptures = llvm::map_to_vector(op.getSinkCaptures(), view);
  for (auto [i, name] :
       llvm::enumerate(op.getExtras().getAsValueRange<StringAttr>())) {
    auto &extra = name == "lse"      ? at.logSumExp
                  : name == "scores" ? at.scores
                                     : at.weights;
    extra = {view(op.getOuts()[i + 1]),
             cast<AffineMapAttr>(op.getOutMaps()[i + 1]).getValue()};
  }
  at.extents = lowering.extents(k, args);
  return at;
}

Value AttentionSchedule::tasks(KernelBuilder &k, ValueRange extents) const {
  Value blocks = k.ceilDiv(extents[DimQ], queriesPerBlock());
  return k.mul(k.mul(extents[DimB], k.div(extents[DimH], heads)), blocks);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

AttentionBlock::Row AttentionBlock::rowAt(Value row) {
  if (schedule.heads == 1)
    return {firstHead, k.add(firstQuery, row)};
  return {k.add(firstHead, k.rem(row, schedule.heads)),
          k.add(firstQuery, k.div(row, schedule.heads))};
}

/// The op's dimensions at a row, key, d and e being 0.
SmallVector<LaneIndex> AttentionBlock::point(const Row &row) {
  SmallVector<LaneIndex> dims(6, LaneIndex::uniform(k.i64(0)));
  dims[DimB] = LaneIndex::uniform(batch);
  dims[DimH] = LaneIndex::uniform(row.head);
  dims[DimQ] = LaneIndex::uniform(row.query);
  return dims;
}

/// What a task works on.
void AttentionBlock::load(Value task) {
  int64_t perBlock = schedule.queriesPerBlock();
  SmallVector<Value> index =
      delinearize(k, task,
                  {at.extents[DimB], k.div(at.extents[DimH], schedule.heads),
                   k.ceilDiv(at.extents[DimQ], perBlock)});
  batch = index[0];
  firstHead = k.mul(index[1], schedule.heads);
  firstQuery = k.mul(index[2], perBlock);
  SmallVector<LaneIndex> dims = point({firstHead, firstQuery});
  auto perRow = [&](const std::optional<TensorView> &view,
                    std::optional<AffineMap> map) {
    return loadLanes(k, locate(k, *view, *map, dims));
  };
  shift = at.offset ? perRow(at.offset, op.getOffsetMap()) : k.i64(0);
  limit = at.extents[DimK];
  if (at.length)
    limit = k.min(limit, perRow(at.length, op.getLengthMap()));
  Value queries = at.extents[DimQ];
  if (at.rows)
    queries = k.min(queries, perRow(at.rows, op.getRowsMap()));
  count =
      k.mul(k.min(k.i64(perBlock), k.sub(queries, firstQuery)), schedule.heads);
}

AttentionHead AttentionBlock::headOperands() {
  SmallVector<LaneIndex> dims = point({firstHead, k.i64(0)});
  auto base = [&](const TensorView &view, AffineMap map) {
    return k.gep(view.element, view.pointer,
                 locate(k, view, map, dims).offset.base);
  };
  Value stride = k.i64(1);
  ArrayRef<AffineExpr> results = op.getValueMap().getResults();
  for (unsigned i = results.size(); results[--i] != k.getAffineDimExpr(DimK);)
    stride = k.mul(stride, at.value.extents[i]);
  return {base(at.key, op.getKeyMap()), base(at.value, op.getValueMap()),
          stride};
}

/// Rows that fill the last group repeat the last one; they are not stored.
void AttentionBlock::startRows() {
  Type f32 = k.getF32Type();
  Value last = k.sub(count, k.i64(1));
  k.loop(k.i64(0), k.roundUp(count, shape.rows), 1, [&](Value i) {
    Row row = rowAt(k.min(i, last));
    SmallVector<LaneIndex> dims = point(row);
    Value to = tiles.query(i);
    for (const VectorPiece &piece :
         splitIntoVectors(shape.keySize, k.target.lanes)) {
      dims[DimD] = LaneIndex::consecutive(k.i64(piece.first), piece.lanes);
      Value values = loadLanes(k, locate(k, at.query, op.getQueryMap(), dims));
      k.store(values, k.gep(f32, to, k.i64(piece.first)));
    }
    tiles.startRow(i, sink(row));
    startScores(row);
  });
}

void AttentionBlock::finishRows() {
  AffineMap map = cast<AffineMapAttr>(op.getOutMaps()[0]).getValue();
  k.loop(k.i64(0), count, 1, [&](Value i) {
    Row row = rowAt(i);
    SmallVector<LaneIndex> dims = point(row);
    tiles.finishRow(i, [&](Value column, Value values) {
      unsigned lanes = KernelBuilder::lanesOf(values);
      dims[DimE] = LaneIndex::consecutive(column, lanes, lanes);
      storeLanes(k, values, locate(k, at.out, map, dims));
    });
    finishExtras(i, row);
  });
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

void AttentionBlock::keyBlocks(const AttentionHead &head) {
  KeyRange range = keyRange(k.i64(0), count);
  int64_t unit = isKeyRangeExact() ? 16 : shape.keyBlock;
  k.loop(k.roundDown(range.begin, unit), range.end, shape.keyBlock,
         [&](Value firstKey) {
           k.loop(k.i64(0), count, shape.rows,
                  [&](Value row) { group(head, row, firstKey); });
         });
}

/// Rows [row, row + shape.rows) and keys [firstKey, firstKey + keyBlock).
void AttentionBlock::group(const AttentionHead &head, Value row,
                           Value firstKey) {
  Value endRow = k.min(k.add(row, shape.rows), count);
  KeyRange range = keyRange(row, endRow);
  auto column = [&](Value key) { return k.sub(key, firstKey); };
  // A range known to start with the first key starts with every block.
  Value first = KernelBuilder::constantOf(range.begin) == 0
                    ? k.i64(0)
                    : k.roundDown(k.max(column(range.begin), k.i64(0)), 16);
  Value last = k.min(column(range.end), k.i64(shape.keyBlock));
  k.ifThen(k.lt(first, last), [&] {
    if (isKeyRangeExact())
      return visibleColumns(head, row, firstKey, range, first, last);
    TileState state =
        tileState(row, endRow, k.add(firstKey, first), k.add(firstKey, last));
    k.ifThen(state.may, [&] {
      KeyRange seen = range;
      seen.fullBegin =
          k.select(state.must, k.add(firstKey, first), range.fullBegin);
      seen.fullEnd = k.select(state.must, k.add(firstKey, last), range.fullEnd);
      visibleColumns(head, row, firstKey, seen, first, last);
    });
  });
}

/// Scores, softmax and mixture of columns [first, last): tiles that a mask cuts
/// or that reach past the keys, then whole ones, then cut ones again.
void AttentionBlock::visibleColumns(const AttentionHead &head, Value row,
                                    Value firstKey, const KeyRange &range,
                                    Value first, Value last) {
  Value padded = k.roundUp(last, 16);
  int64_t width = shape.keyVectors * k.target.lanes;
  auto clamp = [&](Value key) {
    return k.min(k.max(k.sub(key, firstKey), first), padded);
  };
  Value fullFirst = KernelBuilder::constantOf(range.fullBegin) == 0
                        ? first
                        : k.min(k.roundUp(clamp(range.fullBegin), 16), padded);
  Value fullCount = k.max(k.sub(clamp(range.fullEnd), fullFirst), k.i64(0));
  Value fullLast = k.add(fullFirst, k.roundDown(fullCount, width));

  SmallVector<Row> rows;
  Value lastRow = k.sub(count, k.i64(1));
  for (unsigned i = 0; i < shape.rows; ++i)
    rows.push_back(rowAt(k.min(k.add(row, i), lastRow)));
  auto tile = [&](Value column, unsigned vectors, bool edge) {
    scoreTile(head, row, rows, firstKey, column, vectors, edge);
  };
  tiles.startGroup();
  edgeTiles(first, fullFirst, tile);
  k.loop(fullFirst, fullLast, width,
         [&](Value column) { tile(column, shape.keyVectors, /*edge=*/false); });
  edgeTiles(fullLast, padded, tile);
  tiles.softmax(row, first, padded);
  tiles.mix(head, row, firstKey, first, last);
}

/// Wide tiles as far as they fit, then single panels.
void AttentionBlock::edgeTiles(Value first, Value last, TileFn tile) {
  if (first == last)
    return;
  unsigned perPanel = 16 / k.target.lanes;
  auto run = [&](Value from, Value to, unsigned vectors) {
    k.loop(from, to, vectors * k.target.lanes,
           [&](Value column) { tile(column, vectors, /*edge=*/true); });
  };
  if (shape.keyVectors >= 2 * perPanel) {
    Value wide = k.add(first, k.roundDown(k.sub(last, first), 32));
    run(first, wide, 2 * perPanel);
    first = wide;
  }
  run(first, last, std::min(perPanel, shape.keyVectors));
}

//===----------------------------------------------------------------------===//
// The task
//===----------------------------------------------------------------------===//

LogicalResult AttentionBlock::emit(Value task) {
  load(task);
  k.ifThen(k.lt(k.i64(0), count), [&] {
    startRows();
    k.ifThen(k.lt(k.i64(0), limit), [&] { keyBlocks(headOperands()); });
    finishRows();
  });
  return status;
}
