//===- ToGeneric.cpp - Upstream structured ops ----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured op without a reduction, a padding and a generated tensor are
// maps. One with a reduction that no skeleton has (a convolution, say) stays a
// loop nest of its own, and a remark says so.
//
//===----------------------------------------------------------------------===//

#include "ToGeneric.h"
#include "Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sinter;

/// One number everywhere is a splat. False where the number is converted, or
/// is no tensor's.
static bool splatFill(IRRewriter &rewriter, linalg::FillOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getOutputs()[0].getType());
  Value number = op.getInputs()[0];
  if (!type || type.getElementType() != number.getType())
    return false;
  SmallVector<Value> extents;
  for (int64_t dim : llvm::seq(type.getRank()))
    if (type.isDynamicDim(dim))
      extents.push_back(tensor::DimOp::create(rewriter, op.getLoc(),
                                              op.getOutputs()[0], dim));
  rewriter.replaceOpWithNewOp<tensor::SplatOp>(op, number, type, extents);
  return true;
}

void sinter::generalizeStructuredOps(func::FuncOp entry) {
  SmallVector<linalg::LinalgOp> named;
  entry.walk([&](linalg::LinalgOp op) {
    if (!isa<linalg::GenericOp>(op))
      named.push_back(op);
  });
  IRRewriter rewriter(entry.getContext());
  for (linalg::LinalgOp op : named) {
    rewriter.setInsertionPoint(op);
    if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation());
        fill && splatFill(rewriter, fill))
      continue;
    // What is left as it is gets its error where it is lowered.
    (void)linalg::generalizeNamedOp(rewriter, op);
  }
}

/// Moves constants that the body uses from outside into it.
static LogicalResult takeConstants(EntryLowering &lowering,
                                   linalg::GenericOp op) {
  Block &body = op.getRegion().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  for (Operation &inner : body)
    for (OpOperand &use : inner.getOpOperands()) {
      if (op.getRegion().isAncestor(use.get().getParentRegion()))
        continue;
      auto constant = use.get().getDefiningOp<arith::ConstantOp>();
      if (!constant)
        return lowering.notLowered(
            op, "its body uses a number from outside that is not constant",
            "make it an operand");
      use.set(builder.clone(*constant)->getResult(0));
    }
  return success();
}

/// Turns `linalg.index` into arguments of the body behind its own, one for each
/// dimension of the loop nest. False where the body has none.
static bool takeIndices(EntryLowering &lowering, linalg::GenericOp op,
                        SmallVectorImpl<RegionArgument> &arguments) {
  Block &body = op.getRegion().front();
  auto indices = llvm::to_vector(body.getOps<linalg::IndexOp>());
  if (indices.empty())
    return false;
  unsigned first = body.getNumArguments();
  // A destination has all dimensions, in some order.
  Value like = op.getDpsInits().front();
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned dim : llvm::seq(op.getNumLoops())) {
    body.addArgument(lowering.builder.getIndexType(), op.getLoc());
    unsigned place =
        *map.getResultPosition(getAffineDimExpr(dim, op.getContext()));
    arguments.push_back({dim, lowering.extent(like, place)});
  }
  for (linalg::IndexOp index : indices) {
    index.replaceAllUsesWith(body.getArgument(first + index.getDim()));
    index.erase();
  }
  return true;
}

/// The old content of a destination is read only where the body asks for it.
static SmallVector<unsigned> operandsRead(linalg::GenericOp op) {
  SmallVector<unsigned> read;
  Block &body = op.getRegion().front();
  for (unsigned i : llvm::seq<unsigned>(op->getNumOperands()))
    if (!body.getArgument(i).use_empty())
      read.push_back(i);
  return read;
}

/// Without a reduction: a map. `results` of the body's block may be arguments
/// for the old content of the destinations.
static Lowered lowerPointwise(EntryLowering &lowering, linalg::GenericOp op) {
  unsigned rank = op.getNumLoops();
  SmallVector<RegionArgument> arguments(op->getNumOperands());
  bool hasIndices = takeIndices(lowering, op, arguments);
  FailureOr<fused::AttentionRegion> region =
      isolateRegion(lowering, op.getRegion(), rank, arguments);
  if (failed(region))
    return failure();
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> read = operandsRead(op);
  for (unsigned i : read)
    spec.inputs.push_back({op->getOperand(i), maps[i]});
  llvm::append_range(spec.inputs, region->captures);
  if (hasIndices)
    llvm::append_range(spec.indexDims, llvm::seq<int64_t>(rank));
  for (auto [number, result] : llvm::enumerate(op->getResults()))
    spec.destinations.add(
        lowering.destination(result),
        maps[op.getNumDpsInputs() + static_cast<unsigned>(number)]);
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> own(op->getNumOperands(),
                           args.empty() ? Value() : args.front());
    for (auto [place, i] : llvm::enumerate(read))
      own[i] = args[place];
    args = args.drop_front(read.size());
    if (hasIndices) {
      // Behind the captures in a map, before them in an isolated region.
      llvm::append_range(own, args.take_back(rank));
      args = args.drop_back(rank);
    }
    llvm::append_range(own, args);
    return region->body(b, loc, own);
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

/// The constant in memory, where a loop nest can read and change it.
static Value storeConstant(EntryLowering &lowering, arith::ConstantOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<Value> extents = lowering.extents(op);
  if (auto splat = dyn_cast<SplatElementsAttr>(op.getValue()))
    return lowering.filled(type, extents, splat.getSplatValue<TypedAttr>(),
                           op.getLoc());
  AffineMap all = identityMap(op.getContext(), type.getRank());
  fused::MapSpec spec;
  spec.space = spaceOfRank(type.getRank());
  spec.inputs.push_back({op, all});
  spec.destinations.add(lowering.empty(type, extents), all);
  spec.body = passThrough;
  return fused::buildMap(lowering.builder, op.getLoc(), spec).getResult(0);
}

/// A reduction starts from what its destination holds, so that must be known.
static LogicalResult checkStarts(linalg::GenericOp op) {
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init) &&
        init.get().getDefiningOp<tensor::EmptyOp>())
      return op.emitError("starts from the content of 'tensor.empty', which is "
                          "unspecified; fill it first");
  return success();
}

/// The extent of a loop, which some operand has.
static Value loopExtent(EntryLowering &lowering, linalg::GenericOp op,
                        unsigned dim) {
  AffineExpr loop = getAffineDimExpr(dim, op.getContext());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (std::optional<unsigned> place = map.getResultPosition(loop))
      return lowering.extent(operand.get(), *place);
  }
  return nullptr;
}

/// A loop nest has no numbers of its own: `linalg.index` becomes an input that
/// holds 0, 1, ... `made` is the nest for `op`.
static LogicalResult tabulateIndices(EntryLowering &lowering,
                                     linalg::GenericOp op,
                                     linalg::GenericOp made) {
  Block &body = made.getRegion().front();
  for (auto index :
       llvm::make_early_inc_range(body.getOps<linalg::IndexOp>())) {
    Value extent = loopExtent(lowering, op, index.getDim());
    if (!extent)
      return lowering.notLowered(
          op, "no operand has the extent of a loop whose number it uses",
          "add one");
    OpBuilder::InsertionGuard guard(lowering.builder);
    lowering.builder.setInsertionPoint(made);
    Value table = lowering.numbered(op.getLoc(), extent);
    SmallVector<AffineMap> maps = made.getIndexingMapsArray();
    unsigned number = made.getNumDpsInputs();
    maps.insert(maps.begin() + number,
                selectMap(op.getContext(), op.getNumLoops(),
                          {unsigned(index.getDim())}));
    made.getInputsMutable().append(table);
    made.setIndexingMapsAttr(lowering.builder.getAffineMapArrayAttr(maps));
    Value read = body.insertArgument(number, lowering.builder.getI64Type(),
                                     index.getLoc());
    lowering.builder.setInsertionPoint(index);
    index.replaceAllUsesWith(Value(arith::IndexCastOp::create(
        lowering.builder, index.getLoc(), index.getType(), read)));
    index.erase();
  }
  return success();
}

Lowered sinter::lowerStructured(EntryLowering &lowering, linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  auto isTensor = [](Value v) { return isa<RankedTensorType>(v.getType()); };
  if (!generic || !llvm::all_of(op->getOperands(), isTensor))
    return lowering.notLowered(op, "it has operands that are no tensors",
                               "use 'tensor.splat' for a number");
  if (failed(checkStarts(generic)))
    return failure();
  auto writesAll = [&](AffineMap map) {
    return map.isPermutation() && op.getNumReductionLoops() == 0;
  };
  if (llvm::all_of(llvm::map_range(op.getDpsInitsMutable(),
                                   [&](OpOperand &init) {
                                     return op.getMatchingIndexingMap(&init);
                                   }),
                   writesAll))
    return lowerPointwise(lowering, generic);
  if (failed(takeConstants(lowering, generic)))
    return failure();
  IRMapping stored;
  for (Value operand : op->getOperands())
    if (auto constant = operand.getDefiningOp<arith::ConstantOp>())
      stored.map(operand, storeConstant(lowering, constant));
  auto kept = cast<linalg::GenericOp>(lowering.builder.clone(*op, stored));
  if (failed(tabulateIndices(lowering, generic, kept)))
    return failure();
  return SmallVector<Value>(kept->getResults());
}

/// Whether a number is known from the entry's dimensions and never negative.
static bool isExtent(Value number) {
  if (std::optional<int64_t> constant = getConstantIntValue(number))
    return *constant >= 0;
  Operation *op = number.getDefiningOp();
  if (isa_and_nonnull<fused::DimOp, fused::CapacityOp>(op))
    return true;
  return isa_and_nonnull<arith::AddIOp, arith::MulIOp>(op) &&
         llvm::all_of(op->getOperands(), isExtent);
}

/// Where an element of the source stands in dimension `dim`: behind a number of
/// others, or a symbol of `spec` where only a call tells. Adds the extent.
static FailureOr<AffineExpr> padDim(EntryLowering &lowering, tensor::PadOp op,
                                    int64_t dim, fused::MapSpec &spec,
                                    SmallVectorImpl<Value> &extents) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  Value before = lowering.resolve(op.getMixedLowPad()[dim]);
  Value after = lowering.resolve(op.getMixedHighPad()[dim]);
  if (!isExtent(before) || !isExtent(after))
    return lowering.notLowered(
        op,
        "it takes elements away, or how many it adds is no sum or product of "
        "dimensions",
        "use 'tensor.extract_slice' to take elements away");
  Value extent = lowering.extent(op.getSource(), dim);
  // Not folded, since the type stays dynamic.
  for (Value added : {before, after})
    if (getConstantIntValue(added) != 0)
      extent = arith::AddIOp::create(lowering.builder, loc, extent, added);
  extents.push_back(type.isDynamicDim(dim)
                        ? extent
                        : lowering.constantIndex(type.getDimSize(dim)));
  AffineExpr place = getAffineDimExpr(dim, context);
  if (std::optional<int64_t> number = getConstantIntValue(before))
    return place + *number;
  unsigned symbol = spec.symbols.size();
  spec.symbols.push_back(
      {lowering.builder.getStringAttr("n" + Twine(symbol)).getValue(),
       lowering.inMemory(loc, before),
       AffineMap::get(type.getRank(), 0, getAffineConstantExpr(0, context))});
  return place + getAffineSymbolExpr(symbol, context);
}

/// First the border everywhere, then the source in its place.
Lowered sinter::lowerPad(EntryLowering &lowering, tensor::PadOp op) {
  MLIRContext *context = op.getContext();
  TypedAttr border;
  Value value = op.getConstantPaddingValue();
  if (!value || !matchPattern(value, m_Constant(&border)))
    return lowering.notLowered(op, "its border is not one constant",
                               "yield a constant");
  RankedTensorType type = op.getResultType();
  SmallVector<Value> extents;
  SmallVector<AffineExpr> places;
  fused::MapSpec spec;
  for (int64_t dim : llvm::seq(type.getRank())) {
    auto place = padDim(lowering, op, dim, spec, extents);
    if (failed(place))
      return failure();
    places.push_back(*place);
  }
  unsigned rank = type.getRank(), symbols = spec.symbols.size();
  spec.space = spaceOfRank(rank);
  AffineMap all = identityMap(context, rank);
  spec.inputs.push_back(
      {op.getSource(),
       AffineMap::get(rank, symbols, all.getResults(), context)});
  spec.destinations.add(lowering.filled(type, extents, border, op.getLoc()),
                        AffineMap::get(rank, symbols, places, context));
  spec.body = passThrough;
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}

Lowered sinter::lowerGenerate(EntryLowering &lowering, tensor::GenerateOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  unsigned rank = type.getRank();
  SmallVector<Value> extents = lowering.extents(type, op.getDynamicExtents());
  SmallVector<RegionArgument> arguments;
  for (unsigned dim : llvm::seq(rank))
    arguments.push_back({dim, extents[dim]});
  FailureOr<fused::AttentionRegion> region =
      isolateRegion(lowering, op.getBody(), rank, arguments);
  if (failed(region))
    return failure();
  fused::MapSpec spec;
  spec.space = spaceOfRank(rank);
  spec.inputs = region->captures;
  llvm::append_range(spec.indexDims, llvm::seq<int64_t>(rank));
  spec.destinations.add(lowering.empty(type, extents),
                        identityMap(op.getContext(), rank));
  // Captures stand before indices in a map, behind them in an isolated region.
  spec.body = [&](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> own(args.take_back(rank));
    llvm::append_range(own, args.drop_back(rank));
    return region->body(b, loc, own);
  };
  auto map = fused::buildMap(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(map.getResults());
}
