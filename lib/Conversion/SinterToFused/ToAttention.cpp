//===- ToAttention.cpp - Attention ----------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "Regions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;
using namespace sinter;

namespace {
// Dimensions of fused.attention.
enum : unsigned { B, H, Q, K, D, E, rank };

class AttentionLowering {
public:
  AttentionLowering(EntryLowering &lowering, AttentionOp op)
      : lowering(lowering), op(op), context(op.getContext()) {}
  Lowered run();

private:
  AffineMap map(ArrayRef<unsigned> dims) {
    return selectMap(context, rank, dims);
  }
  void setKeysAndValues();
  void setBounds();
  LogicalResult setRegions();
  bool usesQuery();
  void addDenseMask();
  void addScale();
  void addCausal();
  AffineMap groupedMap(ArrayRef<unsigned> dims, int64_t heads);
  AffineMap denseMap();

  EntryLowering &lowering;
  AttentionOp op;
  MLIRContext *context;
  fused::AttentionSpec spec;
};
} // namespace

/// Selects dimensions, query heads sharing key heads in groups.
AffineMap AttentionLowering::groupedMap(ArrayRef<unsigned> dims,
                                        int64_t heads) {
  int64_t group = op.getHeads() / heads;
  SmallVector<AffineExpr> exprs(map(dims).getResults());
  for (auto [expr, dim] : llvm::zip(exprs, dims))
    if (dim == H && group != 1)
      expr = expr.floorDiv(group);
  return AffineMap::get(rank, 0, exprs, context);
}

/// A copy of the keys [B, S, G, D] as [B, G, S, D] in blocks of 16.
static Value packKeys(EntryLowering &lowering, Location loc, Value key) {
  MLIRContext *context = key.getContext();
  SmallVector<Value> extents = lowering.extents(key);
  SmallVector<int64_t> shape(cast<RankedTensorType>(key.getType()).getShape());
  std::swap(extents[1], extents[2]);
  std::swap(shape[1], shape[2]);
  auto type = keysType(context, shape, getElementTypeOrSelf(key.getType()));
  fused::MapSpec spec;
  spec.space = {{"b", "t", "h", "i"}};
  spec.inputs.push_back({key, identityMap(context, 4)});
  spec.destinations.add(lowering.empty(type, extents),
                        selectMap(context, 4, {0, 2, 1, 3}));
  spec.body = [](OpBuilder &, Location, ValueRange args) {
    return SmallVector<Value>{args[0]};
  };
  return fused::buildMap(lowering.builder, loc, spec).getResult(0);
}

void AttentionLowering::setKeysAndValues() {
  spec.query = {op.getQuery(), map({B, Q, H, D})};
  if (!op.getCacheAttr()) {
    int64_t heads = op.getKey().getType().getDimSize(2);
    Value keys = packKeys(lowering, op.getLoc(), op.getKey());
    spec.key = {keys, groupedMap({B, H, K, D}, heads)};
    spec.value = {op.getValue(), groupedMap({B, K, H, E}, heads)};
    return;
  }
  CacheTensors cache = readCache(lowering, op, op.getCacheAttr());
  if (op.getAppend())
    cache = writeCache(lowering, op, cache, op.getKey(), op.getValue(),
                       op.getLengths(), /*append=*/true);
  int64_t heads = cast<RankedTensorType>(cache.keys.getType()).getDimSize(1);
  spec.key = {cache.keys, groupedMap({B, H, K, D}, heads)};
  spec.value = {cache.values, groupedMap({B, H, K, E}, heads)};
}

/// Whether a region distinguishes queries; otherwise their absolute index does
/// not matter.
bool AttentionLowering::usesQuery() {
  auto uses = [](Region &region, unsigned argument) {
    return !region.empty() && !region.getArgument(argument).use_empty();
  };
  return op.getCausal() || uses(op.getScoreRegion(), 3) ||
         uses(op.getMaskRegion(), 2);
}

/// [n] with the numbers 0 to n - 1.
static Value numbered(EntryLowering &lowering, Location loc, Value extent) {
  MLIRContext *context = lowering.builder.getContext();
  Type i64 = lowering.builder.getI64Type();
  auto type = RankedTensorType::get({ShapedType::kDynamic}, i64);
  fused::MapSpec spec;
  spec.space = spaceOfRank(1);
  spec.indexDims = {0};
  spec.destinations.add(lowering.empty(type, {extent}),
                        identityMap(context, 1));
  spec.body = [&](OpBuilder &b, Location l, ValueRange args) {
    return SmallVector<Value>{arith::IndexCastOp::create(b, l, i64, args[0])};
  };
  return fused::buildMap(lowering.builder, loc, spec).getResult(0);
}

/// [B] with S - T in every row: reads are clamped, so a read far behind the end
/// gives the last number.
static Value bottomRight(EntryLowering &lowering, AttentionOp op, Value keys,
                         Value queries) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  Type i64 = lowering.builder.getI64Type();
  auto type = RankedTensorType::get({ShapedType::kDynamic}, i64);
  fused::MapSpec spec;
  spec.space = spaceOfRank(1);
  spec.inputs = {{numbered(lowering, loc, keys), AffineMap()},
                 {numbered(lowering, loc, queries), AffineMap()}};
  spec.destinations.add(
      lowering.empty(type, {lowering.extent(op.getQuery(), 0)}),
      identityMap(context, 1));
  spec.body = [&](OpBuilder &b, Location l, ValueRange args) {
    Value end = arith::ConstantIndexOp::create(
        b, l, std::numeric_limits<int64_t>::max());
    Value lastKey = fused::ReadOp::create(b, l, i64, args[0], end);
    Value lastQuery = fused::ReadOp::create(b, l, i64, args[1], end);
    return SmallVector<Value>{arith::SubIOp::create(b, l, lastKey, lastQuery)};
  };
  return fused::buildMap(lowering.builder, loc, spec).getResult(0);
}

void AttentionLowering::setBounds() {
  AffineMap byRow = map({B});
  if (op.getAppend()) {
    StringRef cursor = readCache(lowering, op, op.getAppendAttr()).cursor;
    spec.offset = {lowering.cursor(cursor, /*after=*/false), byRow};
    spec.length = {lowering.cursor(cursor, /*after=*/true), byRow};
    if (op.getLengths())
      spec.rows = {op.getLengths(), byRow};
    return;
  }
  if (op.getFrom())
    spec.length = {
        lowering.cursor(readCache(lowering, op, op.getFromAttr()).cursor,
                        /*after=*/false),
        byRow};
  else if (op.getLengths())
    spec.length = {op.getLengths(), byRow};
  if (op.getOffset()) {
    spec.offset = {op.getOffset(), byRow};
    return;
  }
  if (op.getFrom() || !usesQuery())
    return;
  Value keys = lowering.extent(op.getKey(), 1);
  Value queries = lowering.extent(op.getQuery(), 1);
  if (!EntryLowering::isSameExtent(keys, queries))
    spec.offset = {bottomRight(lowering, op, keys, queries), byRow};
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The own arguments of a region, `own` many, then captures `first` and on.
static SmallVector<Value> argumentsFor(ValueRange args, unsigned own,
                                       unsigned first, unsigned count) {
  SmallVector<Value> result(args.take_front(own));
  llvm::append_range(result, args.slice(own + first, count));
  return result;
}

/// Adds the conjunct `body`, which gets the own arguments and `captures`.
static void conjoin(fused::AttentionRegion &mask,
                    ArrayRef<fused::Access> captures,
                    fused::RegionBuilder body) {
  unsigned before = mask.captures.size(), added = captures.size();
  llvm::append_range(mask.captures, captures);
  if (!mask.body) {
    mask.body = std::move(body);
    return;
  }
  mask.body = [first = std::move(mask.body), second = std::move(body), before,
               added](OpBuilder &b, Location loc, ValueRange args) {
    unsigned own = args.size() - before - added;
    Value x = first(b, loc, argumentsFor(args, own, 0, before))[0];
    Value y = second(b, loc, argumentsFor(args, own, before, added))[0];
    return SmallVector<Value>{arith::AndIOp::create(b, loc, x, y)};
  };
}

/// b, h, q, k of a mask; after s in a score. Absolute queries are no dimension;
/// keys are where they start at 0 and end with the tensor.
static SmallVector<RegionArgument> regionArguments(EntryLowering &lowering,
                                                   AttentionOp op) {
  RegionArgument keys;
  if (!op.getCacheAttr())
    keys = {K, lowering.extent(op.getKey(), 1)};
  return {{B, lowering.extent(op.getQuery(), 0)},
          {H, lowering.extent(op.getQuery(), 2)},
          {},
          keys};
}

AffineMap AttentionLowering::denseMap() {
  RankedTensorType type = op.getDenseMask().getType();
  SmallVector<AffineExpr> exprs;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    exprs.push_back(size == 1 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  return AffineMap::get(rank, 0, exprs, context);
}

/// A boolean mask is a conjunct; an additive one also is, where it is -inf, so
/// that no row is made of -inf alone.
void AttentionLowering::addDenseMask() {
  fused::Access mask = {op.getDenseMask(), denseMap()};
  if (getElementTypeOrSelf(op.getDenseMask().getType()).isInteger(1)) {
    conjoin(spec.mask, {mask}, [](OpBuilder &, Location, ValueRange args) {
      return SmallVector<Value>{args.back()};
    });
    return;
  }
  conjoin(spec.mask, {mask}, [](OpBuilder &b, Location loc, ValueRange args) {
    Value nothing = arith::ConstantOp::create(
        b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
    return SmallVector<Value>{arith::CmpFOp::create(
        b, loc, arith::CmpFPredicate::UNE, args.back(), nothing)};
  });
  unsigned before = spec.score.captures.size();
  spec.score.captures.push_back(mask);
  spec.score.body = [first = std::move(spec.score.body),
                     before](OpBuilder &b, Location loc, ValueRange args) {
    Value score = args[0];
    if (first)
      score = first(b, loc, argumentsFor(args, 5, 0, before))[0];
    return SmallVector<Value>{
        arith::AddFOp::create(b, loc, score, args.back())};
  };
}

/// The region sees the scaled product.
void AttentionLowering::addScale() {
  double scale = op.getScaleValue();
  if (scale == 1.0)
    return;
  spec.score.body = [first = std::move(spec.score.body),
                     scale](OpBuilder &b, Location loc, ValueRange args) {
    Value factor = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(scale));
    SmallVector<Value> values(args);
    values[0] = arith::MulFOp::create(b, loc, args[0], factor);
    return first ? first(b, loc, values) : SmallVector<Value>{values[0]};
  };
}

void AttentionLowering::addCausal() {
  conjoin(spec.mask, {}, [](OpBuilder &b, Location loc, ValueRange args) {
    return SmallVector<Value>{arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::sle, args[3], args[2])};
  });
}

LogicalResult AttentionLowering::setRegions() {
  SmallVector<RegionArgument> arguments = regionArguments(lowering, op);
  auto mask = isolateRegion(lowering, op.getMaskRegion(), rank, arguments);
  arguments.insert(arguments.begin(), RegionArgument());
  auto score = isolateRegion(lowering, op.getScoreRegion(), rank, arguments);
  if (failed(mask) || failed(score))
    return failure();
  spec.mask = *mask;
  spec.score = *score;
  addScale();
  if (op.getCausal())
    addCausal();
  if (op.getDenseMask())
    addDenseMask();
  return success();
}

Lowered AttentionLowering::run() {
  if (!op.getSinkRegion().empty() || !op.getCombineRegion().empty())
    return lowering.notLowered(op, "it has a 'sink' or 'combine' region",
                               "use 'score' and 'mask'");
  if (op.getDenseMask() && op.getCacheAttr())
    return lowering.notLowered(op, "a mask operand together with a cache",
                               "write the rule as a 'mask' region");
  if (op.getFrom() && usesQuery() && !op.getOffset())
    return lowering.notLowered(
        op, "its regions use the query's position, but 'from' has no offset",
        "give 'offset(...)'");
  spec.space = {{"b", "h", "q", "k", "d", "e"}};
  setKeysAndValues();
  setBounds();
  if (failed(setRegions()))
    return failure();
  spec.outs = {{lowering.destination(op->getResult(0)), map({B, Q, H, E})}};
  auto attention = fused::buildAttention(lowering.builder, op.getLoc(), spec);
  return SmallVector<Value>(attention.getResults());
}

Lowered sinter::lowerAttention(EntryLowering &lowering, AttentionOp op) {
  return AttentionLowering(lowering, op).run();
}
