//===- ClampedRead.cpp - Reads at any index -------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/Memory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static Value clampIndex(KernelBuilder &k, Value index, Value extent) {
  return k.max(k.i64(0), k.min(index, k.sub(extent, k.i64(1))));
}

/// Whether the table has elements; null: it has.
static Value hasElements(KernelBuilder &k, const TensorView &table) {
  Value some;
  for (Value extent : table.extents)
    if (KernelBuilder::constantOf(extent).value_or(0) == 0)
      some = k.both(some, k.lt(k.i64(0), extent));
  return some;
}

static Value readLaneByLane(KernelBuilder &k, const TensorView &table,
                            ArrayRef<LaneIndex> indices, unsigned lanes) {
  SmallVector<LaneIndex> clamped;
  for (auto [index, extent] : llvm::zip_equal(indices, table.extents)) {
    LaneIndex safe;
    for (unsigned lane = 0; lane < lanes; ++lane)
      safe.perLane.push_back(clampIndex(k, index.at(k, lane), extent));
    clamped.push_back(index.isUniform() ? LaneIndex::uniform(safe.perLane[0])
                                        : safe);
  }
  return k.broadcast(loadLanes(k, locate(k, table, clamped)), lanes);
}

/// Any indices; an empty table, which may have no memory, gives 0.
static Value readAnywhere(KernelBuilder &k, const TensorView &table,
                          ArrayRef<LaneIndex> indices, unsigned lanes) {
  Value some = hasElements(k, table);
  if (!some)
    return readLaneByLane(k, table, indices, lanes);
  Type type = KernelBuilder::vec(table.element, lanes);
  return k
      .ifElse(
          some, type,
          [&] {
            return SmallVector<Value>{readLaneByLane(k, table, indices, lanes)};
          },
          [&] { return SmallVector<Value>{k.zero(type)}; })
      .front();
}

/// Neighbours that all lie inside; other indices are clamped.
static Value readNeighbours(KernelBuilder &k, const TensorView &table,
                            ArrayRef<LaneIndex> indices) {
  SmallVector<LaneIndex> clamped;
  for (auto [index, extent] : llvm::zip_equal(
           indices.drop_back(), ArrayRef(table.extents).drop_back()))
    clamped.push_back(LaneIndex::uniform(clampIndex(k, index.base, extent)));
  clamped.push_back(indices.back());
  return loadLanes(k, locate(k, table, clamped));
}

Value cpu::readClamped(KernelBuilder &k, const TensorView &table,
                       ArrayRef<LaneIndex> indices) {
  unsigned lanes = 1, varying = 0;
  for (const LaneIndex &index : indices) {
    lanes = std::max(lanes, index.lanes());
    varying += !index.isUniform();
  }
  if (varying != 1 || !indices.back().isConsecutive() || table.layout)
    return readAnywhere(k, table, indices, lanes);

  Value first = indices.back().base;
  Value inside = k.both(k.le(k.i64(0), first),
                        k.le(k.add(first, lanes), table.extents.back()));
  inside = k.both(hasElements(k, table), inside);
  return k
      .ifElse(
          inside, KernelBuilder::vec(table.element, lanes),
          [&] { return SmallVector<Value>{readNeighbours(k, table, indices)}; },
          [&] {
            return SmallVector<Value>{readAnywhere(k, table, indices, lanes)};
          })
      .front();
}

/// Whether one of `index`, base to base + count - 1, is not in [0, extent).
static Value isOutside(KernelBuilder &k, const LaneIndex &index, Value extent,
                       Value count) {
  Value zero = k.i64(0);
  auto outside = [&](Value first, Value end) {
    return k.createOrFold<arith::OrIOp>(k.lt(first, zero), k.lt(extent, end));
  };
  if (index.isUniform())
    return outside(index.base, k.add(index.base, 1));
  if (index.isConsecutive())
    return outside(index.base, k.add(index.base, count));
  Value any;
  for (unsigned lane = 0, lanes = index.lanes(); lane < lanes; ++lane) {
    Value at = index.at(k, lane);
    Value one = k.both(outside(at, k.add(at, 1)), k.lt(k.i64(lane), count));
    any = any ? k.createOrFold<arith::OrIOp>(any, one) : one;
  }
  return any;
}

Value cpu::isClamped(KernelBuilder &k, const TensorView &table,
                     ArrayRef<LaneIndex> indices, Value active) {
  Value any;
  for (auto [index, extent] : llvm::zip_equal(indices, table.extents)) {
    Value count = active ? active : k.i64(index.lanes());
    Value outside = isOutside(k, index, extent, count);
    any = any ? k.createOrFold<arith::OrIOp>(any, outside) : outside;
  }
  return any;
}
