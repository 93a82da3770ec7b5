//===- Regions.cpp - Regions of model operations as scalar regions --------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sinter;

namespace {
/// Decides what is captured; then makes the body, as often as asked.
class Isolation {
public:
  Isolation(EntryLowering &lowering, Region &region, unsigned rank,
            ArrayRef<RegionArgument> arguments)
      : lowering(lowering), region(region), rank(rank), arguments(arguments) {}

  LogicalResult collect();
  SmallVector<Value> build(OpBuilder &builder, ValueRange args);

  SmallVector<fused::Access> captures;

private:
  LogicalResult collectOp(Operation &op);
  LogicalResult collectOutside(Operation *user, Value value);
  AffineMap mapOf(tensor::ExtractOp op);
  std::optional<AffineExpr> exprOf(Value index, Value tensor, int64_t dim);
  unsigned captureOf(Value tensor, AffineMap map);
  void collectArgument(Value value);
  void cloneOp(OpBuilder &builder, Operation *op, IRMapping &mapping,
               ValueRange captured);

  EntryLowering &lowering;
  Region &region;
  unsigned rank;
  SmallVector<RegionArgument> arguments;
  /// Outside scalar operations to be copied, in order.
  SetVector<Operation *> outside;
  DenseMap<Operation *, unsigned> reads;
  /// Captures that stand for arguments which are not passed.
  SmallVector<std::pair<BlockArgument, unsigned>> numbers;
};
} // namespace

unsigned Isolation::captureOf(Value tensor, AffineMap map) {
  for (auto [i, capture] : llvm::enumerate(captures))
    if (capture.value == tensor && capture.map == map)
      return i;
  captures.push_back({tensor, map});
  return captures.size() - 1;
}

/// A dimension, or a constant, that is always within dimension `dim` of the
/// tensor.
std::optional<AffineExpr> Isolation::exprOf(Value index, Value tensor,
                                            int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = tensor.getContext();
  APInt number;
  if (matchPattern(index, m_ConstantInt(&number))) {
    int64_t n = number.getSExtValue();
    if (type.isDynamicDim(dim) || n < 0 || n >= type.getDimSize(dim))
      return std::nullopt;
    return getAffineConstantExpr(n, context);
  }
  auto argument = dyn_cast<BlockArgument>(index);
  if (!argument || argument.getOwner() != &region.front())
    return std::nullopt;
  const RegionArgument &known = arguments[argument.getArgNumber()];
  if (!known.dim ||
      !EntryLowering::isSameExtent(lowering.extent(tensor, dim), known.extent))
    return std::nullopt;
  return getAffineDimExpr(*known.dim, context);
}

AffineMap Isolation::mapOf(tensor::ExtractOp op) {
  SmallVector<AffineExpr> exprs;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    std::optional<AffineExpr> expr = exprOf(index, op.getTensor(), dim);
    if (!expr)
      return AffineMap();
    exprs.push_back(*expr);
  }
  return AffineMap::get(rank, 0, exprs, op.getContext());
}

/// An index that the isolated region is not told is read from a table of
/// numbers.
void Isolation::collectArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &region.front())
    return;
  const RegionArgument &known = arguments[argument.getArgNumber()];
  if (known.isPassed ||
      llvm::is_contained(llvm::make_first_range(numbers), argument))
    return;
  Value table = lowering.numbered(region.getLoc(), known.extent);
  numbers.emplace_back(
      argument,
      captureOf(table, selectMap(table.getContext(), rank, {*known.dim})));
}

/// A scalar from outside is copied in with all it is computed from.
LogicalResult Isolation::collectOutside(Operation *user, Value value) {
  if (region.isAncestor(value.getParentRegion()))
    return success();
  Operation *op = value.getDefiningOp();
  if (op && outside.contains(op))
    return success();
  if (!op || isa<tensor::DimOp>(op) ||
      !isa<arith::ArithDialect, math::MathDialect, tensor::TensorDialect>(
          op->getDialect()))
    return lowering.notLowered(
        user, "it uses a number from outside its region that is not constant",
        "read the number from a tensor inside the region, with "
        "'tensor.extract'");
  if (failed(collectOp(*op)))
    return failure();
  outside.insert(op);
  return success();
}

LogicalResult Isolation::collectOp(Operation &op) {
  if (op.getNumRegions() != 0)
    return lowering.notLowered(&op, "a scalar region has no control flow",
                               "use 'arith.select'");
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    AffineMap map = mapOf(extract);
    for (Value index : extract.getIndices()) {
      if (failed(collectOutside(&op, index)))
        return failure();
      if (!map)
        collectArgument(index);
    }
    reads[&op] = captureOf(extract.getTensor(), map);
    return success();
  }
  for (Value operand : op.getOperands()) {
    if (failed(collectOutside(&op, operand)))
      return failure();
    collectArgument(operand);
  }
  return success();
}

LogicalResult Isolation::collect() {
  for (Operation &op : region.front())
    if (failed(collectOp(op)))
      return failure();
  return success();
}

void Isolation::cloneOp(OpBuilder &builder, Operation *op, IRMapping &mapping,
                        ValueRange captured) {
  auto read = reads.find(op);
  if (read == reads.end()) {
    builder.clone(*op, mapping);
    return;
  }
  auto extract = cast<tensor::ExtractOp>(op);
  Value value = captured[read->second];
  if (!captures[read->second].map) {
    SmallVector<Value> indices;
    for (Value index : extract.getIndices())
      indices.push_back(mapping.lookup(index));
    value = fused::ReadOp::create(builder, op->getLoc(), extract.getType(),
                                  value, indices);
  }
  mapping.map(extract.getResult(), value);
}

SmallVector<Value> Isolation::build(OpBuilder &builder, ValueRange args) {
  Block &block = region.front();
  IRMapping mapping;
  unsigned own = 0;
  for (BlockArgument argument : block.getArguments())
    if (arguments[argument.getArgNumber()].isPassed)
      mapping.map(argument, args[own++]);
  ValueRange captured = args.drop_front(own);
  for (auto [argument, capture] : numbers)
    mapping.map(argument, arith::IndexCastOp::create(builder, region.getLoc(),
                                                     builder.getIndexType(),
                                                     captured[capture]));
  for (Operation *op : outside)
    cloneOp(builder, op, mapping, captured);
  for (Operation &op : block.without_terminator())
    cloneOp(builder, &op, mapping, captured);
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(mapping.lookup(value));
  return results;
}

FailureOr<fused::AttentionRegion>
sinter::isolateRegion(EntryLowering &lowering, Region &region, unsigned rank,
                      ArrayRef<RegionArgument> arguments) {
  fused::AttentionRegion result;
  if (region.empty())
    return result;
  auto isolation =
      std::make_shared<Isolation>(lowering, region, rank, arguments);
  if (failed(isolation->collect()))
    return failure();
  result.captures = isolation->captures;
  result.body = [isolation](OpBuilder &builder, Location, ValueRange args) {
    return isolation->build(builder, args);
  };
  return result;
}
