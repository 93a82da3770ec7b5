//===- Map.cpp - fused.map on a GPU ---------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecPrinter.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

static constexpr int64_t threads = 256;
/// Leaves 128 registers to a thread: the longest regions need no more.
static constexpr int64_t blocksPerSM = 2;

static PointFunction pointOf(fused::MapOp op, unsigned along) {
  PointFunction point{"point", &op.getBody().front(), {}, {}, along};
  for (auto [input, map] :
       llvm::zip_equal(op.getInputs(), op.getInputMaps().getValue()))
    point.bindings.push_back(
        RegionBinding::read(input, fused::getOptionalMap(map)));
  for (int64_t dim : op.getIndexDims())
    point.bindings.push_back(RegionBinding::index(dim));
  for (auto [out, map] : llvm::zip_equal(
           op.getStoreOuts(), op.getStoreMaps().getAsRange<AffineMapAttr>()))
    point.stores.push_back({op.getOuts()[out], map.getValue()});
  return point;
}

LogicalResult cuda::printSkeleton(SpecPrinter &spec, fused::MapOp op) {
  unsigned rank = spec.getRank(), inner = rank ? rank - 1 : 0;
  PointFunction point = pointOf(op, inner);
  int64_t lanes = rank ? spec.chooseLanes(point) : 1;
  spec.setTemplate("map");
  spec.setThreads(threads, blocksPerSM);
  bool isLimited = op.getRows() && op.getRowsDim() == inner;
  if (rank && !isLimited)
    point.loopLanes = spec.wholeLanes(point, lanes);
  spec.member("static constexpr int lanes = " + Twine(lanes) + ";");
  bool isWhole = !isLimited && point.loopLanes == lanes;
  spec.member("static constexpr bool has_whole_groups = " +
              Twine(isWhole ? "true" : "false") + ";");
  spec.symbols("symbols", op.getSymbols(), op.getSymbolMaps());
  spec.rowLimit(op.getRows(), op.getRowsMap(), op.getRowsDim());
  if (failed(spec.pointFunction(point)))
    return failure();
  spec.aligned();
  spec.host.tasks([&](host::HostBuilder &k, Value args, Value) {
    SmallVector<Value> extents = spec.host.extents(k, args);
    Value groups = rank ? k.ceilDiv(extents[inner], lanes) : k.i64(1);
    for (Value extent : ArrayRef(extents).take_front(inner))
      groups = k.mul(groups, extent);
    return k.ceilDiv(groups, threads);
  });
  return success();
}
