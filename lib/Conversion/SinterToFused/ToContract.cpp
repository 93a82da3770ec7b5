//===- ToContract.cpp - Matrix products -----------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace sinter;

/// Names of `rows` row dimensions, then n and k.
static fused::Space contractSpace(int64_t rows) {
  fused::Space space = spaceOfRank(std::max<int64_t>(rows + 1, 3));
  space.names.resize(rows);
  space.names.append({"n", "k"});
  return space;
}

/// The row dimensions, then `last`.
static AffineMap rowsThen(MLIRContext *context, int64_t rows, unsigned last) {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, rows));
  dims.push_back(last);
  return selectMap(context, rows + 2, dims);
}

/// Sums of no terms, plus the bias if there is one.
static Lowered lowerSumsOfNothing(EntryLowering &lowering, OpResult result,
                                  Value bias) {
  auto type = cast<RankedTensorType>(result.getType());
  Location loc = result.getLoc();
  if (!bias)
    return SmallVector<Value>{lowering.filled(
        type, lowering.resultExtents(result),
        lowering.builder.getZeroAttr(type.getElementType()), loc)};
  fused::MapSpec spec;
  unsigned rank = type.getRank();
  spec.space = spaceOfRank(rank);
  spec.inputs.push_back({bias, selectMap(type.getContext(), rank, {rank - 1})});
  spec.destinations.add(lowering.destination(result),
                        identityMap(type.getContext(), rank));
  spec.body = passThrough;
  auto map = fused::buildMap(lowering.builder, loc, spec);
  return SmallVector<Value>(map.getResults());
}

/// x W^T + b: the weight in panels, the bias a capture of the epilogue.
Lowered sinter::lowerLinear(EntryLowering &lowering, LinearOp op) {
  MLIRContext *context = op.getContext();
  if (op.getInput().getType().getShape().back() == 0)
    return lowerSumsOfNothing(lowering, op->getResult(0), op.getBias());
  int64_t rows = op.getInput().getType().getRank() - 1;
  unsigned n = rows, k = rows + 1;
  Value weight = lowering.panels(op.getWeight(), op.getInOut());
  Value destination = lowering.destination(op->getResult(0));
  fused::ContractSpec spec;
  spec.space = contractSpace(rows);
  spec.input = {op.getInput(), rowsThen(context, rows, k)};
  spec.outs = {destination};
  auto contract = fused::buildContract(lowering.builder, op.getLoc(), spec);
  fused::SegmentSpec segment;
  segment.n = cast<RankedTensorType>(weight.getType()).getDimSize(1);
  segment.weights = {{weight, AffineMap()}};
  segment.stores = {{destination, rowsThen(context, rows, n)}};
  if (op.getBias())
    segment.captures = {{op.getBias(), selectMap(context, rows + 2, {n})}};
  segment.epilogue = [&](OpBuilder &b, Location loc, ValueRange args) {
    Value sum = args[0];
    if (op.getBias())
      sum = arith::AddFOp::create(b, loc, sum, args[1]);
    return SmallVector<Value>{sum};
  };
  fused::addSegment(contract, op.getLoc(), segment);
  return SmallVector<Value>(contract.getResults());
}

/// The dimensions of a batch operand, aligned at the end of the result's: size
/// 1 is read at 0.
static AffineMap operandMap(MLIRContext *context, RankedTensorType type,
                            int64_t batch, unsigned dims, unsigned row,
                            unsigned column) {
  SmallVector<AffineExpr> exprs;
  int64_t own = type.getRank() - 2;
  for (int64_t dim : llvm::seq(own))
    exprs.push_back(type.getDimSize(dim) == 1
                        ? getAffineConstantExpr(0, context)
                        : getAffineDimExpr(batch - own + dim, context));
  exprs.push_back(getAffineDimExpr(row, context));
  exprs.push_back(getAffineDimExpr(column, context));
  return AffineMap::get(dims, 0, exprs, context);
}

/// A weight on the right comes in panels; anything else is read in place: its
/// map says which dimension runs fastest.
Lowered sinter::lowerMatmul(EntryLowering &lowering, MatmulOp op) {
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getResult().getType();
  RankedTensorType lhs = op.getLhs().getType(), rhs = op.getRhs().getType();
  int64_t batch = type.getRank() - 2, rows = batch + 1;
  unsigned dims = rows + 2, m = batch, n = rows, k = rows + 1;
  if (lhs.getDimSize(op.getTransposeLhs() ? batch : rows) == 0)
    return lowerSumsOfNothing(lowering, op->getResult(0), /*bias=*/nullptr);
  Value destination = lowering.destination(op->getResult(0));
  fused::ContractSpec spec;
  spec.space = contractSpace(rows);
  spec.input = {op.getLhs(), op.getTransposeLhs()
                                 ? operandMap(context, lhs, batch, dims, k, m)
                                 : operandMap(context, lhs, batch, dims, m, k)};
  spec.outs = {destination};
  auto contract = fused::buildContract(lowering.builder, op.getLoc(), spec);
  fused::SegmentSpec segment;
  segment.n = type.getShape().back();
  if (op.getRhs().getDefiningOp<fused::WeightOp>() && rhs.getRank() == 2)
    segment.weights = {
        {lowering.panels(op.getRhs(), !op.getTransposeRhs()), AffineMap()}};
  else
    segment.weights = {
        {op.getRhs(), op.getTransposeRhs()
                          ? operandMap(context, rhs, batch, dims, n, k)
                          : operandMap(context, rhs, batch, dims, k, n)}};
  segment.stores = {{destination, rowsThen(context, rows, n)}};
  segment.epilogue = passThrough;
  fused::addSegment(contract, op.getLoc(), segment);
  return SmallVector<Value>(contract.getResults());
}
