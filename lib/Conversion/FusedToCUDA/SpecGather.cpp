//===- SpecGather.cpp - Neighbours in a table -----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecGather.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

namespace {
/// Which values of a region are the same in all lanes.
class Uniformity {
public:
  Uniformity(const PointFunction &function,
             llvm::function_ref<bool(const RegionBinding &)> isUniform) {
    for (auto [argument, binding] :
         llvm::zip_equal(function.block->getArguments(), function.bindings)) {
      bool isIndex = binding.kind == RegionBinding::Index;
      bool isSame =
          binding.kind == RegionBinding::Uniform ||
          (isIndex && binding.dim != *function.along) ||
          (binding.kind == RegionBinding::Access && isUniform(binding));
      if (isSame)
        uniform.insert(argument);
      if (isIndex && binding.dim == *function.along)
        lane.insert(argument);
    }
    for (Operation &op : function.block->without_terminator())
      if (!isa<fused::ReadOp>(op) && op.getNumResults() == 1 &&
          llvm::all_of(op.getOperands(),
                       [&](Value value) { return uniform.contains(value); }))
        uniform.insert(op.getResult(0));
  }

  bool isGather(fused::ReadOp read) const {
    auto indices = read.getIndices();
    return indices.size() > 1 && lane.contains(indices.back()) &&
           !fused::getLayout(read.getTable().getType()) &&
           llvm::all_of(indices.drop_back(),
                        [&](Value value) { return uniform.contains(value); });
  }

private:
  DenseSet<Value> uniform, lane;
};
} // namespace

/// A region that computes the read's indices but the last.
static void makePlace(fused::ReadOp read, Gather &gather) {
  Block &from = *read->getBlock();
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  auto indices = read.getIndices().drop_back();
  for (Value index : indices)
    if (index.getDefiningOp())
      (void)getBackwardSlice(index, &slice, options);
  gather.place = std::make_unique<Region>();
  Block &block = gather.place->emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : from.getArguments()) {
    bool isUsed = llvm::is_contained(indices, Value(argument)) ||
                  llvm::any_of(argument.getUsers(), [&](Operation *user) {
                    return slice.contains(user);
                  });
    if (!isUsed)
      continue;
    mapping.map(argument,
                block.addArgument(argument.getType(), argument.getLoc()));
    gather.arguments.push_back(argument.getArgNumber());
  }
  OpBuilder builder(read.getContext());
  builder.setInsertionPointToEnd(&block);
  for (Operation &op : from)
    if (slice.contains(&op))
      builder.clone(op, mapping);
  SmallVector<Value> yields;
  for (Value index : indices)
    yields.push_back(mapping.lookup(index));
  fused::YieldOp::create(builder, read.getLoc(), yields);
}

/// Arguments stay, so that their numbers do.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
}

GatherPlan::GatherPlan(
    PointFunction given,
    llvm::function_ref<bool(const RegionBinding &)> isUniform)
    : function(std::move(given)) {
  Uniformity uniformity(function, isUniform);
  SmallVector<fused::ReadOp> reads;
  for (auto read : function.block->getOps<fused::ReadOp>())
    if (uniformity.isGather(read))
      reads.push_back(read);
  if (reads.empty())
    return;
  region = std::make_unique<Region>();
  IRMapping mapping;
  Region *parent = function.block->getParent();
  parent->cloneInto(region.get(), mapping);
  for (fused::ReadOp read : reads) {
    unsigned table = cast<BlockArgument>(read.getTable()).getArgNumber();
    Gather gather{function.bindings[table].operand, read.getReports(), {}, {}};
    makePlace(read, gather);
    gathers.push_back(std::move(gather));
    Value value = mapping.lookup(read.getResult());
    value.replaceAllUsesWith(
        region->front().addArgument(value.getType(), value.getLoc()));
    function.bindings.push_back(RegionBinding::gathered());
  }
  function.block = &region->front();
  eraseUnused(region->front());
}
