//===- ToMapShapes.cpp - Moves between shapes -----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sinter;

/// One copy of `source`, read through `map`, to all of `result`. Extents are
/// fixed where numbers, since the source may be larger.
static Value copy(EntryLowering &lowering, OpResult result, Value source,
                  AffineMap map) {
  auto type = cast<RankedTensorType>(result.getType());
  int64_t rank = type.getRank();
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(type.getShape().begin(), type.getShape().end());
  spec.inputs.push_back({source, map});
  spec.destinations.add(lowering.destination(result),
                        identityMap(result.getContext(), rank));
  spec.body = passThrough;
  return fused::buildMap(lowering.builder, result.getLoc(), spec).getResult(0);
}

/// The identity with `offset` added to dimension `dim`.
static AffineMap shiftedMap(MLIRContext *context, int64_t rank, int64_t dim,
                            int64_t offset) {
  SmallVector<AffineExpr> exprs(identityMap(context, rank).getResults());
  exprs[dim] = exprs[dim] + offset;
  return AffineMap::get(rank, 0, exprs, context);
}

Lowered sinter::lowerSplit(EntryLowering &lowering, SplitOp op) {
  SmallVector<Value> pieces;
  int64_t offset = 0;
  for (auto [result, size] : llvm::zip(op->getResults(), op.getSizes())) {
    int64_t rank = op.getInput().getType().getRank();
    pieces.push_back(copy(lowering, result, op.getInput(),
                          shiftedMap(op.getContext(), rank, rank - 1, offset)));
    offset += size;
  }
  return pieces;
}

/// One group is a view; several are copies of slices of the view, which their
/// readers usually absorb.
Lowered sinter::lowerSplitHeads(EntryLowering &lowering, SplitHeadsOp op) {
  RankedTensorType type = op.getInput().getType();
  int64_t rank = type.getRank(), heads = 0;
  for (int64_t count : op.getHeads())
    heads += count;
  Value view = lowering.expand(op.getLoc(), op.getInput(), rank - 1,
                               {heads, type.getShape().back() / heads});
  if (op.getHeads().size() == 1)
    return SmallVector<Value>{view};
  SmallVector<Value> pieces;
  int64_t first = 0;
  for (auto [result, count] : llvm::zip(op->getResults(), op.getHeads())) {
    pieces.push_back(
        copy(lowering, result, view,
             shiftedMap(op.getContext(), rank + 1, rank - 1, first)));
    first += count;
  }
  return pieces;
}

Lowered sinter::lowerMergeHeads(EntryLowering &lowering, MergeHeadsOp op) {
  int64_t rank = op.getInput().getType().getRank();
  return SmallVector<Value>{
      lowering.collapse(op.getLoc(), op.getInput(), rank - 2)};
}

/// (d0, d2, ...) -> (d0, time, d2, ...) over a space whose dimension 1 has
/// extent 1.
static AffineMap atTime(MLIRContext *context, int64_t rank, AffineExpr time,
                        unsigned symbols) {
  SmallVector<AffineExpr> exprs(identityMap(context, rank).getResults());
  exprs[1] = time;
  return AffineMap::get(rank, symbols, exprs, context);
}

/// x[b, at, ...] with an index that the read clamps.
static Value gather(EntryLowering &lowering, OpResult result, Value source,
                    Value at) {
  MLIRContext *context = result.getContext();
  auto type = cast<RankedTensorType>(result.getType());
  int64_t rank = type.getRank();
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.inputs.push_back({source, AffineMap()});
  if (at)
    spec.inputs.push_back({at, selectMap(context, rank, {0})});
  for (int64_t dim : llvm::seq(rank))
    spec.indexDims.push_back(dim);
  spec.destinations.add(lowering.destination(result),
                        identityMap(context, rank));
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    // Without an index, the last position: past any end, so clamped to it.
    Value time =
        at ? args[1] : arith::ConstantIndexOp::create(b, loc, INT64_MAX);
    SmallVector<Value> indices(args.take_back(rank));
    indices.insert(indices.begin() + 1, time);
    return SmallVector<Value>{
        fused::ReadOp::create(b, loc, type.getElementType(), args[0], indices,
                              /*reports=*/bool(at))};
  };
  return fused::buildMap(lowering.builder, result.getLoc(), spec).getResult(0);
}

Lowered sinter::lowerLast(EntryLowering &lowering, LastOp op) {
  MLIRContext *context = op.getContext();
  RankedTensorType type = op.getInput().getType();
  int64_t rank = type.getRank();
  if (type.getDimSize(1) == 1)
    return SmallVector<Value>{lowering.collapse(op.getLoc(), op.getInput(), 0)};
  if (!op.getLengths())
    return SmallVector<Value>{
        gather(lowering, op->getResult(0), op.getInput(), Value())};
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.space.extents.assign(rank, ShapedType::kDynamic);
  spec.space.extents[1] = 1;
  spec.symbols.push_back({"n", op.getLengths(), selectMap(context, rank, {0})});
  spec.inputs.push_back(
      {op.getInput(),
       atTime(context, rank, getAffineSymbolExpr(0, context) - 1, 1)});
  // A row of length 0 has no last position: it is left alone.
  spec.rows =
      fused::RowLimit{op.getLengths(), selectMap(context, rank, {0}), 1};
  spec.destinations.add(lowering.destination(op->getResult(0)),
                        identityMap(context, rank).dropResult(1));
  spec.body = passThrough;
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

Lowered sinter::lowerTake(EntryLowering &lowering, TakeOp op) {
  return SmallVector<Value>{
      gather(lowering, op->getResult(0), op.getInput(), op.getAt())};
}

/// A tensor full of one number, which must be constant.
static Lowered fill(EntryLowering &lowering, Operation *op, Value number,
                    ArrayRef<Value> extents) {
  TypedAttr value;
  if (!matchPattern(number, m_Constant(&value)))
    return lowering.notLowered(op, "the number is computed at run time",
                               "make it a constant, or a tensor");
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  return SmallVector<Value>{
      lowering.filled(type, extents, value, op->getLoc())};
}

Lowered sinter::lowerSplat(EntryLowering &lowering, tensor::SplatOp op) {
  return fill(lowering, op, op.getInput(),
              lowering.extents(op.getType(), op.getDynamicSizes()));
}

Lowered sinter::lowerBroadcast(EntryLowering &lowering, BroadcastOp op) {
  MLIRContext *context = op.getContext();
  auto type = cast<RankedTensorType>(op.getResult().getType());
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!input)
    return fill(lowering, op, op.getInput(),
                lowering.resultExtents(op->getResult(0)));
  int64_t rank = type.getRank(), missing = rank - input.getRank();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim : llvm::seq(input.getRank()))
    exprs.push_back(input.getDimSize(dim) == 1
                        ? getAffineConstantExpr(0, context)
                        : getAffineDimExpr(missing + dim, context));
  return SmallVector<Value>{copy(lowering, op->getResult(0), op.getInput(),
                                 AffineMap::get(rank, 0, exprs, context))};
}

Lowered sinter::lowerTranspose(EntryLowering &lowering, TransposeOp op) {
  SmallVector<unsigned> permutation(op.getPermutation());
  auto map = AffineMap::getPermutationMap(permutation, op.getContext());
  return SmallVector<Value>{
      copy(lowering, op->getResult(0), op.getInput(), inversePermutation(map))};
}

static SmallVector<Value> concatExtents(EntryLowering &lowering,
                                        tensor::ConcatOp op) {
  int64_t dim = op.getDim();
  SmallVector<Value> extents = lowering.extents(op.getInputs().front());
  Value total = extents[dim];
  for (Value input : op.getInputs().drop_front())
    total = lowering.builder.createOrFold<arith::AddIOp>(
        op.getLoc(), total, lowering.extent(input, dim));
  RankedTensorType type = op.getResultType();
  extents[dim] = type.isDynamicDim(dim)
                     ? total
                     : lowering.constantIndex(type.getDimSize(dim));
  return extents;
}

/// One map after the other stores its operand into its part of the result. What
/// stands before a part is a number and symbols, one for each dynamic operand.
Lowered sinter::lowerConcat(EntryLowering &lowering, tensor::ConcatOp op) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  int64_t rank = type.getRank(), dim = op.getDim();
  Value destination = lowering.empty(type, concatExtents(lowering, op));
  SmallVector<fused::Symbol> before;
  AffineExpr offset = getAffineConstantExpr(0, context);
  AffineMap first = AffineMap::get(rank, 0, getAffineConstantExpr(0, context));
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    fused::MapSpec spec;
    spec.space = spaceOfRank(rank);
    spec.symbols = before;
    AffineMap all = identityMap(context, rank);
    spec.inputs.push_back({input, AffineMap::get(rank, before.size(),
                                                 all.getResults(), context)});
    SmallVector<AffineExpr> places(all.getResults());
    places[dim] = places[dim] + offset;
    spec.destinations.add(destination,
                          AffineMap::get(rank, before.size(), places, context));
    spec.body = passThrough;
    destination = fused::buildMap(lowering.builder, loc, spec).getResult(0);
    int64_t size = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (!ShapedType::isDynamic(size)) {
      offset = offset + size;
    } else if (number + 1 < op.getInputs().size()) {
      offset = offset + getAffineSymbolExpr(before.size(), context);
      before.push_back(
          {lowering.builder.getStringAttr("n" + Twine(before.size()))
               .getValue(),
           lowering.inMemory(loc, lowering.extent(input, dim)), first});
    }
  }
  return SmallVector<Value>{destination};
}

Lowered sinter::lowerSlice(EntryLowering &lowering, tensor::ExtractSliceOp op) {
  auto isUnit = [](OpFoldResult s) { return isConstantIntValue(s, 1); };
  // A dynamic size must be all that there is: nothing else tells where to stop.
  for (auto [dim, size] : llvm::enumerate(op.getMixedSizes()))
    if (auto value = dyn_cast<Value>(size))
      if (!EntryLowering::isSameExtent(lowering.resolve(value),
                                       lowering.extent(op.getSource(), dim)))
        return lowering.notLowered(
            op, "the size of dimension '" + Twine(dim) + "' is dynamic",
            "use a constant size, or the whole dimension");
  RankedTensorType type = op.getType();
  if (type.getRank() != op.getSourceType().getRank() ||
      !llvm::all_of(op.getMixedStrides(), isUnit) ||
      llvm::any_of(op.getStaticOffsets(), ShapedType::isDynamic))
    return lowering.notLowered(
        op,
        "its offsets are dynamic, its strides not 1, or it drops dimensions",
        "use constant offsets and strides of 1");
  SmallVector<AffineExpr> exprs;
  for (auto [dim, offset] : llvm::enumerate(op.getStaticOffsets()))
    exprs.push_back(getAffineDimExpr(dim, op.getContext()) + offset);
  return SmallVector<Value>{
      copy(lowering, op->getResult(0), op.getSource(),
           AffineMap::get(type.getRank(), 0, exprs, op.getContext()))};
}
