//===- AttentionMask.cpp - What a mask skips ------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static Value toIndex(KernelBuilder &k, Value value) {
  return k.createOrFold<arith::IndexCastOp>(k.getIndexType(), value);
}

static Value fromIndex(KernelBuilder &k, Value value) {
  return k.createOrFold<arith::IndexCastOp>(k.getI64Type(), value);
}

MaskBox AttentionBlock::maskBox(Value firstRow, Value endRow, Value firstKey,
                                Value endKey) {
  Row first = rowAt(firstRow), last = rowAt(k.sub(endRow, k.i64(1)));
  MaskBox box;
  box.batch = toIndex(k, batch);
  if (schedule.heads == 1)
    box.head = toIndex(k, firstHead);
  box.queryBegin = toIndex(k, k.add(first.query, shift));
  box.queryEnd = toIndex(k, k.add(k.add(last.query, shift), 1));
  box.keyBegin = toIndex(k, firstKey);
  box.keyEnd = toIndex(k, endKey);
  return box;
}

/// Captures that are one number all over a tile; tables are none.
SmallVector<Value> AttentionBlock::maskCaptures() {
  SmallVector<Value> captures;
  SmallVector<LaneIndex> dims = point({firstHead, firstQuery});
  for (auto [view, attr] : llvm::zip_equal(at.maskCaptures, op.getMaskMaps())) {
    AffineMap map = fused::getOptionalMap(attr);
    bool varies = !map || map.isFunctionOfDim(DimQ) ||
                  map.isFunctionOfDim(DimK) ||
                  (schedule.heads > 1 && map.isFunctionOfDim(DimH));
    captures.push_back(varies ? Value()
                              : loadLanes(k, locate(k, view, map, dims)));
  }
  return captures;
}

/// What a table that the mask captures holds.
Value AttentionBlock::readMaskTable(fused::ReadOp read, ValueRange indices) {
  constexpr unsigned ownArguments = 4;
  unsigned number = cast<BlockArgument>(read.getTable()).getArgNumber();
  SmallVector<LaneIndex> at;
  for (Value index : indices)
    at.push_back(LaneIndex::uniform(index.getType().isIndex()
                                        ? fromIndex(k, index)
                                        : k.intCast(index, k.getI64Type())));
  return readClamped(k, this->at.maskCaptures[number - ownArguments], at);
}

KeyRange AttentionBlock::keyRange(Value firstRow, Value endRow) {
  if (op.getMask().empty())
    return {k.i64(0), limit, k.i64(0), limit};
  MaskBox box = maskBox(firstRow, endRow, k.i64(0), limit);
  KeyRange range =
      emitKeyRange(k, k.getLoc(), op.getMask(), box, maskCaptures(),
                   [&](fused::ReadOp read, ValueRange indices) {
                     return readMaskTable(read, indices);
                   });
  return {fromIndex(k, range.begin), fromIndex(k, range.end),
          fromIndex(k, range.fullBegin), fromIndex(k, range.fullEnd)};
}

TileState AttentionBlock::tileState(Value firstRow, Value endRow,
                                    Value firstKey, Value endKey) {
  return emitTileState(
      k, k.getLoc(), op.getMask(), maskBox(firstRow, endRow, firstKey, endKey),
      maskCaptures(), [&](fused::ReadOp read, ValueRange indices) {
        return readMaskTable(read, indices);
      });
}
