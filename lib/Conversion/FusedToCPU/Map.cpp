//===- Map.cpp - fused.map on a CPU ---------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last dimension runs over lanes, the others make up rows. A task is a
// number of rows, so that it has enough to do.
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Points of a task, if they are cheap: some 2 us.
static constexpr int64_t pointsPerTask = 8192;
/// Vectors in one turn of the loop where the region has few operations.
static constexpr int64_t unroll = 4;
static constexpr size_t smallRegion = 6;

namespace {
class MapLowering {
public:
  MapLowering(KernelLowering &lowering, fused::MapOp op)
      : lowering(lowering), op(op), last(op.getDims().size()) {
    // A rank-0 map has one point and no dimension.
    hasInner = last > 0;
    last = hasInner ? last - 1 : 0;
  }

  LogicalResult lower();

private:
  struct Operands {
    SmallVector<TensorView> inputs, symbols, outs;
    std::optional<TensorView> rows;
    Value notice;
    SmallVector<Value> extents;
  };

  Operands operands(KernelBuilder &k, Value args);
  unsigned lanes();
  bool unrolls(unsigned width);
  int64_t rowsPerTask();
  int64_t innerExtent() { return hasInner ? lowering.staticExtent(last) : 1; }
  bool usesInner(AffineMap map) const {
    return map && hasInner && map.isFunctionOfDim(last);
  }
  void row(KernelBuilder &k, const Operands &at, ArrayRef<Value> outer);
  void points(KernelBuilder &k, const Operands &at, ArrayRef<Value> outer);
  void point(KernelBuilder &k, const Operands &at, ArrayRef<LaneIndex> dims,
             ArrayRef<LaneIndex> symbols,
             ArrayRef<std::optional<RegionArgument>> known, Value active,
             unsigned lanes);
  Value rowLimit(KernelBuilder &k, const Operands &at,
                 ArrayRef<LaneIndex> dims);

  KernelLowering &lowering;
  fused::MapOp op;
  unsigned last;
  bool hasInner;
  LogicalResult status = success();
};
} // namespace

MapLowering::Operands MapLowering::operands(KernelBuilder &k, Value args) {
  Operands at;
  for (Value input : op.getInputs())
    at.inputs.push_back(lowering.view(k, args, input));
  for (Value symbol : op.getSymbols())
    at.symbols.push_back(lowering.view(k, args, symbol));
  for (Value out : op.getOuts())
    at.outs.push_back(lowering.view(k, args, out));
  if (op.getRows())
    at.rows = lowering.view(k, args, op.getRows());
  at.notice = lowering.notice(k, args);
  at.extents = lowering.extents(k, args);
  return at;
}

/// Whether the loop itself would cost as much as what it does.
bool MapLowering::unrolls(unsigned width) {
  int64_t extent = innerExtent();
  return op.getBody().front().getOperations().size() <= smallRegion &&
         (ShapedType::isDynamic(extent) || extent >= 2 * unroll * width);
}

unsigned MapLowering::lanes() {
  int64_t extent = innerExtent();
  if (ShapedType::isDynamic(extent))
    return lowering.target.lanes;
  // A short dimension takes a short vector rather than a masked one.
  return std::min<int64_t>(
      lowering.target.lanes,
      llvm::bit_floor<uint64_t>(std::max<int64_t>(1, extent)));
}

int64_t MapLowering::rowsPerTask() {
  int64_t extent = innerExtent();
  return ShapedType::isDynamic(extent)
             ? 16
             : std::max<int64_t>(1,
                                 pointsPerTask / std::max<int64_t>(1, extent));
}

/// Points with an index at or past the limit are left out.
Value MapLowering::rowLimit(KernelBuilder &k, const Operands &at,
                            ArrayRef<LaneIndex> dims) {
  LaneAddress address = locate(k, *at.rows, *op.getRowsMap(), dims);
  return loadLanes(k, address);
}

void MapLowering::point(KernelBuilder &k, const Operands &at,
                        ArrayRef<LaneIndex> dims, ArrayRef<LaneIndex> symbols,
                        ArrayRef<std::optional<RegionArgument>> known,
                        Value active, unsigned lanes) {
  SmallVector<RegionArgument> arguments;
  for (auto [i, map] : llvm::enumerate(op.getInputMaps()))
    arguments.push_back(known[i] ? *known[i]
                                 : readArgument(k, at.inputs[i],
                                                fused::getOptionalMap(map),
                                                dims, symbols, active));
  for (int64_t dim : op.getIndexDims())
    arguments.push_back(dims[dim]);
  FailureOr<SmallVector<Value>> values =
      emitRegion(k, op.getBody().front(), arguments, lanes,
                 ClampReport{at.notice, active});
  if (failed(values)) {
    status = failure();
    return;
  }
  for (auto [value, out, map] : llvm::zip_equal(*values, op.getStoreOuts(),
                                                op.getStoreMaps().getValue())) {
    LaneAddress address = locate(
        k, at.outs[out], cast<AffineMapAttr>(map).getValue(), dims, symbols);
    storeLanes(k, value, address, active);
  }
}

/// All points of a row, in vectors and a rest.
void MapLowering::points(KernelBuilder &k, const Operands &at,
                         ArrayRef<Value> outer) {
  SmallVector<LaneIndex> dims;
  for (Value index : outer)
    dims.push_back(LaneIndex::uniform(index));
  if (hasInner)
    dims.push_back(LaneIndex::uniform(k.i64(0)));

  SmallVector<LaneIndex> symbols;
  for (auto [view, map] :
       llvm::zip_equal(at.symbols, op.getSymbolMaps().getValue())) {
    Value value = loadLanes(
        k, locate(k, view, cast<AffineMapAttr>(map).getValue(), dims));
    symbols.push_back(LaneIndex::uniform(value));
  }
  // What all points of a row share is read once.
  SmallVector<std::optional<RegionArgument>> known(at.inputs.size());
  for (auto [i, attr] : llvm::enumerate(op.getInputMaps())) {
    AffineMap map = fused::getOptionalMap(attr);
    if (map && !usesInner(map))
      known[i] = readArgument(k, at.inputs[i], map, dims, symbols);
  }
  if (!hasInner)
    return point(k, at, dims, symbols, known, nullptr, 1);

  Value extent = at.extents[last];
  if (at.rows && *op.getRowsDim() == last)
    extent = k.min(extent, rowLimit(k, at, dims));
  unsigned width = lanes();
  auto emit = [&](Value from, Value active) {
    dims[last] = LaneIndex::consecutive(from, width, width);
    point(k, at, dims, symbols, known, active, width);
  };
  k.forVectors(extent, width, emit, unrolls(width) ? unroll : 1);
}

void MapLowering::row(KernelBuilder &k, const Operands &at,
                      ArrayRef<Value> outer) {
  bool limited = at.rows && *op.getRowsDim() < last;
  if (!limited)
    return points(k, at, outer);
  SmallVector<LaneIndex> dims;
  for (Value index : outer)
    dims.push_back(LaneIndex::uniform(index));
  dims.push_back(LaneIndex::uniform(k.i64(0)));
  Value limit = rowLimit(k, at, dims);
  k.ifThen(k.lt(outer[*op.getRowsDim()], limit), [&] { points(k, at, outer); });
}

LogicalResult MapLowering::lower() {
  auto rowCount = [&](KernelBuilder &k, ArrayRef<Value> extents) {
    Value count = k.i64(1);
    for (Value extent : extents.take_front(last))
      count = k.mul(count, extent);
    return count;
  };
  int64_t perTask = rowsPerTask();
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    return k.ceilDiv(rowCount(k, lowering.extents(k, args)), perTask);
  });
  lowering.body([&](KernelBuilder &k, Value args, Value, Value task, Value) {
    Operands at = operands(k, args);
    Value from = k.mul(task, perTask);
    Value to = k.min(k.add(from, perTask), rowCount(k, at.extents));
    ArrayRef<Value> outer = ArrayRef(at.extents).take_front(last);
    SmallVector<Value> first = delinearize(k, from, outer);
    k.loop(from, to, 1, first,
           [&](Value, ValueRange indices) -> SmallVector<Value> {
             row(k, at, llvm::to_vector_of<Value>(indices));
             return nextIndices(k, indices, outer);
           });
  });
  return status;
}

LogicalResult cpu::lowerSkeleton(KernelLowering &lowering, fused::MapOp op) {
  return MapLowering(lowering, op).lower();
}
