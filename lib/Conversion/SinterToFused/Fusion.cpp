//===- Fusion.cpp - What fusion rules share -------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace sinter;

SmallVector<Value> sinter::inlineRegion(OpBuilder &builder, Region &region,
                                        ValueRange arguments) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &op : region.front().without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : region.front().getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

fused::Space sinter::spaceOf(fused::SkeletonInterface op) {
  fused::Space space;
  for (auto name : op.getDims().getAsRange<StringAttr>())
    space.names.push_back(name.getValue());
  space.extents.assign(op.getExtents().begin(), op.getExtents().end());
  return space;
}

static SmallVector<fused::Access> listAccesses(ValueRange values,
                                               ArrayAttr maps) {
  SmallVector<fused::Access> accesses;
  for (auto [value, map] : llvm::zip_equal(values, maps))
    accesses.push_back({value, fused::getOptionalMap(map)});
  return accesses;
}

template <typename OpTy> static std::optional<fused::RowLimit> rowsOf(OpTy op) {
  if (!op.getRows())
    return std::nullopt;
  return fused::RowLimit{op.getRows(), *op.getRowsMap(),
                         static_cast<unsigned>(*op.getRowsDim())};
}

template <typename OpTy> static fused::Destinations destinationsOf(OpTy op) {
  fused::Destinations destinations;
  llvm::append_range(destinations.outs, op.getOuts());
  for (auto [out, map] : llvm::zip_equal(op.getStoreOuts(), op.getStoreMaps()))
    destinations.stores.push_back(
        {static_cast<unsigned>(out), fused::getOptionalMap(map)});
  return destinations;
}

fused::MapSpec sinter::describe(fused::MapOp op) {
  fused::MapSpec spec;
  spec.space = spaceOf(op);
  spec.inputs = listAccesses(op.getInputs(), op.getInputMaps());
  spec.destinations = destinationsOf(op);
  for (auto [name, value, map] :
       llvm::zip_equal(op.getSymbolNames().getAsRange<StringAttr>(),
                       op.getSymbols(), op.getSymbolMaps()))
    spec.symbols.push_back(
        {name.getValue(), value, fused::getOptionalMap(map)});
  spec.rows = rowsOf(op);
  spec.indexDims.assign(op.getIndexDims().begin(), op.getIndexDims().end());
  return spec;
}

fused::NormalizeSpec sinter::describe(fused::NormalizeOp op) {
  fused::NormalizeSpec spec;
  spec.space = spaceOf(op);
  spec.inputs = listAccesses(op.getInputs(), op.getInputMaps());
  spec.destinations = destinationsOf(op);
  spec.captures = listAccesses(op.getCaptures(), op.getCaptureMaps());
  spec.rows = rowsOf(op);
  spec.indexDims.assign(op.getIndexDims().begin(), op.getIndexDims().end());
  return spec;
}

/// The extent of `dim` where an access has it plainly.
static std::optional<int64_t> plainExtent(ArrayRef<fused::Access> accesses,
                                          unsigned dim) {
  for (const fused::Access &access : accesses) {
    auto type = cast<RankedTensorType>(access.value.getType());
    if (access.map)
      for (auto [size, expr] :
           llvm::zip_equal(type.getShape(), access.map.getResults()))
        if (expr == getAffineDimExpr(dim, expr.getContext()))
          return size;
  }
  return std::nullopt;
}

SmallVector<fused::Access> sinter::accessesOf(const fused::MapSpec &spec) {
  SmallVector<fused::Access> accesses = spec.inputs;
  for (const fused::Store &store : spec.destinations.stores)
    accesses.push_back({spec.destinations.outs[store.out], store.map});
  return accesses;
}

LogicalResult sinter::keepExtents(fused::Space &space,
                                  ArrayRef<fused::Access> before,
                                  ArrayRef<fused::Access> after) {
  for (auto [dim, extent] : llvm::enumerate(space.extents)) {
    if (!ShapedType::isDynamic(extent))
      continue;
    std::optional<int64_t> told = plainExtent(before, dim);
    std::optional<int64_t> tells = plainExtent(after, dim);
    // A destination may be larger than what is stored there.
    bool isSame = !told || ShapedType::isDynamic(*told) || told == tells;
    if (tells && isSame)
      continue;
    extent = told.value_or(ShapedType::kDynamic);
    if (ShapedType::isDynamic(extent))
      return failure();
  }
  return success();
}

void sinter::fixExtents(fused::Space &space, const fused::Access &access,
                        const fused::Access &replacement) {
  if (space.extents.empty())
    space.extents.assign(space.names.size(), ShapedType::kDynamic);
  for (auto [i, extent] : llvm::enumerate(space.extents)) {
    std::optional<int64_t> before = plainExtent(access, i);
    std::optional<int64_t> after = plainExtent(replacement, i);
    if (ShapedType::isDynamic(extent) && before && after &&
        !ShapedType::isDynamic(*after) && *after != *before)
      extent = *before;
  }
}

bool sinter::readsAll(const fused::Space &space, const fused::Access &access) {
  auto type = cast<RankedTensorType>(access.value.getType());
  for (auto [size, expr] :
       llvm::zip_equal(type.getShape(), access.map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      return false;
    int64_t extent = space.extents.empty() ? ShapedType::kDynamic
                                           : space.extents[dim.getPosition()];
    if (!ShapedType::isDynamic(extent) && extent != size)
      return false;
  }
  return true;
}

void sinter::carryExtents(fused::Space &space, AffineMap toOther,
                          ArrayRef<int64_t> other) {
  if (space.extents.empty())
    space.extents.assign(space.names.size(), ShapedType::kDynamic);
  for (auto [size, expr] : llvm::zip_equal(other, toOther.getResults()))
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      int64_t &extent = space.extents[dim.getPosition()];
      if (ShapedType::isDynamic(extent))
        extent = size;
    }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

Value sinter::stripViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool sinter::isOfWeights(Operation *op) {
  auto map = dyn_cast<fused::MapOp>(op);
  return map && !map.getInputs().empty() && map.getSymbols().empty() &&
         llvm::all_of(map.getInputs(), [](Value input) {
           Operation *source = stripViews(input).getDefiningOp();
           return source && (isa<fused::WeightOp, arith::ConstantOp>(source) ||
                             isOfWeights(source));
         });
}

bool sinter::isConstantFill(fused::MapOp op) {
  Block &body = op.getBody().front();
  return op.getInputs().empty() && op.getIndexDims().empty() &&
         llvm::all_of(body.without_terminator(), [](Operation &inner) {
           return isa<arith::ConstantOp>(inner);
         });
}

bool sinter::isCopy(fused::MapOp op) {
  Block &body = op.getBody().front();
  return op.getInputs().size() == 1 && op.getSymbols().empty() &&
         fused::getOptionalMap(op.getInputMaps()[0]) &&
         body.getOperations().size() == 1 &&
         body.getTerminator()->getNumOperands() == 1 &&
         body.getTerminator()->getOperand(0) == body.getArgument(0);
}

std::optional<ReadableMap> sinter::readableMap(Value value) {
  auto op = value.getDefiningOp<fused::MapOp>();
  if (!op || op.getOuts().size() != 1 || op.getStoreMaps().size() != 1 ||
      op.getRows() || fused::getLayout(value.getType()) || isOfWeights(op) ||
      !op.getOuts()[0].getDefiningOp<tensor::EmptyOp>())
    return std::nullopt;
  AffineMap store = fused::getOptionalMap(op.getStoreMaps()[0]);
  // Symbols don't matter while the store has none in its results.
  for (unsigned i = 0; i < store.getNumSymbols(); ++i)
    if (store.isFunctionOfSymbol(i))
      return std::nullopt;
  AffineMap plain = AffineMap::get(store.getNumDims(), 0, store.getResults(),
                                   store.getContext());
  if (!plain.isPermutation())
    return std::nullopt;
  return ReadableMap{op, inversePermutation(plain)};
}

void sinter::eraseIfDead(PatternRewriter &rewriter, Operation *op) {
  if (op->use_empty())
    rewriter.eraseOp(op);
}

Value sinter::emitIndex(OpBuilder &builder, Location loc, AffineExpr expr,
                        ValueRange dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value a = emitIndex(builder, loc, binary.getLHS(), dims);
  Value b = emitIndex(builder, loc, binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, a, b);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, a, b);
  // Indices are not negative.
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(builder, loc, a, b);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(builder, loc, a, b);
  default:
    return arith::CeilDivUIOp::create(builder, loc, a, b);
  }
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static remark::RemarkOpts remarkOptions(Operation *op, StringRef rule) {
  auto entry = op->getParentOfType<func::FuncOp>();
  return remark::RemarkOpts::name(rule).category("fusion").function(
      entry ? entry.getSymName() : StringRef());
}

void sinter::remarkFused(Operation *op, StringRef rule, const Twine &what) {
  remark::passed(op->getLoc(), remarkOptions(op, rule)) << what.str();
}

void sinter::remarkNotFused(Operation *op, StringRef rule, const Twine &why) {
  remark::missed(op->getLoc(), remarkOptions(op, rule)) << why.str();
}

/// Why an element-wise map stands alone.
static std::string reasonApart(fused::MapOp op) {
  for (Value input : op.getInputs()) {
    Value source = stripViews(input);
    if (!source.getDefiningOp<fused::SkeletonInterface>())
      continue;
    if (source != input)
      return "an input is reshaped on the way";
    if (!source.hasOneUse())
      return "an input has several readers";
    if (source.getDefiningOp<fused::AttentionOp>() ||
        source.getDefiningOp<fused::RecurrenceOp>())
      return "the kernel that makes its input stores its result as it is";
    return "its loops differ from those of the kernel that makes its input";
  }
  return "its inputs are not made by kernels of this entry";
}

static void remarkApart(func::FuncOp entry) {
  entry.walk([](fused::MapOp op) {
    if (!isOfWeights(op))
      remarkNotFused(op, "own-kernel",
                     "a map is a kernel of its own: " + reasonApart(op));
  });
  entry.walk([](linalg::GenericOp op) {
    remark::missed(op.getLoc(), remarkOptions(op, "generic"))
        << "no skeleton has this reduction: a plain loop nest of its own";
  });
}

LogicalResult sinter::fuseKernels(func::FuncOp entry) {
  RewritePatternSet patterns(entry.getContext());
  addContractPatterns(patterns);
  addNormalizePatterns(patterns);
  addMapPatterns(patterns);
  addCopyPatterns(patterns);
  addRecurrencePatterns(patterns);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  if (failed(applyPatternsGreedily(entry, std::move(patterns), config)))
    return entry.emitError("fusion does not come to an end");
  remarkApart(entry);
  return success();
}
