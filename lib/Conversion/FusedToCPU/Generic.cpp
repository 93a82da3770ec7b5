//===- Generic.cpp - linalg.generic on a CPU ------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A plain loop nest for what no skeleton takes: parallel dimensions outside,
// the innermost of them in vectors, reductions inside in their written order.
// Right and deterministic; not tiled.
//
//===----------------------------------------------------------------------===//

#include "Generic.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Points that a task takes.
static constexpr int64_t pointsPerTask = 256;

namespace {
class GenericLowering {
public:
  GenericLowering(KernelLowering &lowering, linalg::GenericOp op)
      : lowering(lowering), op(op), maps(op.getIndexingMapsArray()) {
    op.getParallelDims(parallel);
    op.getReductionDims(reduction);
  }

  LogicalResult lower();

private:
  struct Operands {
    SmallVector<TensorView> views;
    SmallVector<Value> extents;
  };

  Operands operands(KernelBuilder &k, Value args);
  /// Rows: points of all parallel dimensions but the innermost.
  Value rows(KernelBuilder &k, ArrayRef<Value> extents);
  SmallVector<Value> outer(ArrayRef<Value> extents) {
    SmallVector<Value> chosen;
    for (unsigned dim : ArrayRef(parallel).drop_back(hasInner()))
      chosen.push_back(extents[dim]);
    return chosen;
  }
  bool hasInner() const { return !parallel.empty(); }
  void row(KernelBuilder &k, const Operands &at, ValueRange indices);
  void points(KernelBuilder &k, const Operands &at, SmallVector<LaneIndex> dims,
              Value active, unsigned lanes);
  SmallVector<Value> reduce(KernelBuilder &k, const Operands &at,
                            SmallVectorImpl<LaneIndex> &dims,
                            ArrayRef<unsigned> loops, ValueRange results,
                            Value active, unsigned lanes);

  KernelLowering &lowering;
  linalg::GenericOp op;
  SmallVector<AffineMap> maps;
  SmallVector<unsigned> parallel, reduction;
  LogicalResult status = success();
};
} // namespace

GenericLowering::Operands GenericLowering::operands(KernelBuilder &k,
                                                    Value args) {
  Operands at;
  for (Value operand : op->getOperands())
    at.views.push_back(lowering.view(k, args, operand));
  at.extents = lowering.extents(k, args);
  return at;
}

Value GenericLowering::rows(KernelBuilder &k, ArrayRef<Value> extents) {
  Value count = k.i64(1);
  for (Value extent : outer(extents))
    count = k.mul(count, extent);
  return count;
}

/// The loops over `loops` around the body, which turns `results` into the next
/// ones.
SmallVector<Value> GenericLowering::reduce(KernelBuilder &k, const Operands &at,
                                           SmallVectorImpl<LaneIndex> &dims,
                                           ArrayRef<unsigned> loops,
                                           ValueRange results, Value active,
                                           unsigned lanes) {
  if (!loops.empty())
    return k.loop(k.i64(0), at.extents[loops.front()], 1, results,
                  [&](Value index, ValueRange carried) {
                    dims[loops.front()] = LaneIndex::uniform(index);
                    return reduce(k, at, dims, loops.drop_front(), carried,
                                  active, lanes);
                  });
  SmallVector<RegionArgument> arguments;
  for (unsigned i : llvm::seq<unsigned>(op.getNumDpsInputs()))
    arguments.push_back(
        readArgument(k, at.views[i], maps[i], dims, {}, active));
  for (Value result : results)
    arguments.push_back(result);
  FailureOr<SmallVector<Value>> values =
      emitRegion(k, op.getRegion().front(), arguments, lanes);
  if (succeeded(values)) {
    for (Value &value : *values)
      value = k.broadcast(value, lanes);
    return *values;
  }
  status = failure();
  return SmallVector<Value>(results);
}

/// `lanes` points side by side, of which `active` (null: all) exist.
void GenericLowering::points(KernelBuilder &k, const Operands &at,
                             SmallVector<LaneIndex> dims, Value active,
                             unsigned lanes) {
  ArrayRef<TensorView> views =
      ArrayRef(at.views).drop_front(op.getNumDpsInputs());
  ArrayRef<AffineMap> outMaps = ArrayRef(maps).drop_front(op.getNumDpsInputs());
  SmallVector<Value> results;
  for (auto [view, map] : llvm::zip_equal(views, outMaps))
    results.push_back(
        k.broadcast(loadLanes(k, locate(k, view, map, dims), active), lanes));
  results = reduce(k, at, dims, reduction, results, active, lanes);
  for (auto [value, view, map] : llvm::zip_equal(results, views, outMaps))
    storeLanes(k, value, locate(k, view, map, dims), active);
}

void GenericLowering::row(KernelBuilder &k, const Operands &at,
                          ValueRange indices) {
  SmallVector<LaneIndex> dims(at.extents.size(), LaneIndex::uniform(k.i64(0)));
  for (auto [dim, index] :
       llvm::zip_equal(ArrayRef(parallel).drop_back(hasInner()), indices))
    dims[dim] = LaneIndex::uniform(index);
  if (!hasInner())
    return points(k, at, dims, nullptr, 1);
  unsigned inner = parallel.back(), lanes = lowering.target.lanes;
  k.forVectors(at.extents[inner], lanes, [&](Value first, Value active) {
    dims[inner] = LaneIndex::consecutive(first, lanes, lanes);
    points(k, at, dims, active, lanes);
  });
}

LogicalResult GenericLowering::lower() {
  int64_t inner =
      hasInner() ? lowering.staticExtent(parallel.back()) : int64_t(1);
  int64_t perTask =
      ShapedType::isDynamic(inner)
          ? 1
          : std::max<int64_t>(1, pointsPerTask / std::max<int64_t>(1, inner));
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    return k.ceilDiv(rows(k, lowering.extents(k, args)), perTask);
  });
  lowering.body([&](KernelBuilder &k, Value args, Value, Value task, Value) {
    Operands at = operands(k, args);
    Value from = k.mul(task, perTask);
    Value to = k.min(k.add(from, perTask), rows(k, at.extents));
    SmallVector<Value> outerExtents = outer(at.extents);
    SmallVector<Value> first = delinearize(k, from, outerExtents);
    k.loop(from, to, 1, first,
           [&](Value, ValueRange indices) -> SmallVector<Value> {
             row(k, at, indices);
             return nextIndices(k, indices, outerExtents);
           });
  });
  return status;
}

LogicalResult cpu::lowerSkeleton(KernelLowering &lowering,
                                 linalg::GenericOp op) {
  return GenericLowering(lowering, op).lower();
}
