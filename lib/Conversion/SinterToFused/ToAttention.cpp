//===- ToAttention.cpp - Attention ----------------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
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
  LogicalResult check();
  void setKeysAndValues();
  void setBounds();
  std::optional<fused::Access> bottomRight();
  LogicalResult setRegions();
  bool usesQuery();
  SmallVector<Value> setOuts();
  AffineMap groupedMap(ArrayRef<unsigned> dims, int64_t heads);

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
  spec.body = passThrough;
  return fused::buildMap(lowering.builder, loc, spec).getResult(0);
}

void AttentionLowering::setKeysAndValues() {
  spec.query = {op.getQuery(), map({B, Q, H, D})};
  if (!op.getCacheAttr()) {
    int64_t heads = op.getKey().getType().getDimSize(2);
    spec.value = {op.getValue(), groupedMap({B, K, H, E}, heads)};
    // What is not a product is as good along d, in long rows.
    constexpr int64_t longRow = 16;
    if (!op.getCombineRegion().empty() &&
        op.getKey().getType().getDimSize(3) >= longRow) {
      spec.key = {op.getKey(), groupedMap({B, K, H, D}, heads)};
      return;
    }
    Value keys = packKeys(lowering, op.getLoc(), op.getKey());
    spec.key = {keys, groupedMap({B, H, K, D}, heads)};
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
  return uses(op.getScoreRegion(), 3) || uses(op.getMaskRegion(), 2) ||
         uses(op.getSinkRegion(), 2);
}

/// [B] with S - T in every row: reads are clamped, so a read far behind the end
/// gives the last number. `keys` is S - 1 in a tensor, or the table 0 to S - 1.
static Value lastMinusLast(EntryLowering &lowering, AttentionOp op,
                           fused::Access keys) {
  MLIRContext *context = op.getContext();
  Location loc = op.getLoc();
  Type i64 = lowering.builder.getI64Type();
  Value queries = lowering.extent(op.getQuery(), 1);
  Value batch = lowering.extent(op.getQuery(), 0);
  fused::MapSpec spec;
  spec.space = spaceOfRank(1);
  spec.inputs = {keys, {lowering.numbered(loc, queries), AffineMap()}};
  spec.destinations.add(lowering.empty(lowering.vectorType(batch), {batch}),
                        identityMap(context, 1));
  spec.body = [&](OpBuilder &b, Location l, ValueRange args) {
    Value end = arith::ConstantIndexOp::create(
        b, l, std::numeric_limits<int64_t>::max());
    Value lastQuery = fused::ReadOp::create(b, l, i64, args[1], end);
    Value lastKey = args[0];
    if (keys.map) {
      Value one = arith::ConstantIntOp::create(b, l, i64, 1);
      lastKey = arith::SubIOp::create(b, l, lastKey, one);
    } else {
      lastKey = fused::ReadOp::create(b, l, i64, args[0], end);
    }
    return SmallVector<Value>{arith::SubIOp::create(b, l, lastKey, lastQuery)};
  };
  return fused::buildMap(lowering.builder, loc, spec).getResult(0);
}

/// The offset S - T, none where it is known to be 0; S is the cursor for
/// `from`.
std::optional<fused::Access> AttentionLowering::bottomRight() {
  AffineMap byRow = map({B});
  if (op.getFrom())
    return fused::Access{
        lastMinusLast(lowering, op,
                      {spec.length->value, identityMap(context, 1)}),
        byRow};
  Value keys = lowering.extent(op.getKey(), 1);
  if (EntryLowering::isSameExtent(keys, lowering.extent(op.getQuery(), 1)))
    return std::nullopt;
  Value table = lowering.numbered(op.getLoc(), keys);
  return fused::Access{lastMinusLast(lowering, op, {table, AffineMap()}),
                       byRow};
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
  if (op.getOffset())
    spec.offset = {op.getOffset(), byRow};
  else if (usesQuery())
    spec.offset = bottomRight();
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

LogicalResult AttentionLowering::setRegions() {
  auto isolate = [&](Region &region, ArrayRef<RegionArgument> arguments,
                     fused::AttentionRegion &into) {
    auto isolated = isolateRegion(lowering, region, rank, arguments);
    if (succeeded(isolated))
      into = *isolated;
    return isolated;
  };
  SmallVector<RegionArgument> arguments = regionArguments(lowering, op);
  SmallVector<RegionArgument> score = {RegionArgument()};
  llvm::append_range(score, arguments);
  // A combine region is told no indices, only captures at them.
  RegionArgument head = {H, lowering.extent(op.getQuery(), 2), false};
  RegionArgument size = {D, lowering.extent(op.getQuery(), 3), false};
  if (failed(isolate(op.getMaskRegion(), arguments, spec.mask)) ||
      failed(isolate(op.getScoreRegion(), score, spec.score)) ||
      failed(isolate(op.getSinkRegion(), ArrayRef(arguments).take_front(3),
                     spec.sink)) ||
      failed(
          isolate(op.getCombineRegion(), {{}, {}, head, size}, spec.combine)))
    return failure();
  addDenseMask(spec, op);
  return success();
}

/// Adds the destinations; gives a value for each result of the op, where it is
/// used a number of `spec.outs` stands for it.
SmallVector<Value> AttentionLowering::setOuts() {
  SmallVector<Value> results;
  auto add = [&](Value result, StringRef name, AffineMap map) {
    if (!result)
      return;
    results.push_back(lowering.destination(cast<OpResult>(result)));
    if (!name.empty() && result.use_empty())
      return;
    spec.outs.push_back({results.back(), map});
    if (!name.empty())
      spec.extras.push_back(name);
  };
  add(op.getResult(), "", map({B, Q, H, E}));
  add(op.getLse(), "lse", map({B, Q, H}));
  add(op.getScores(), "scores", map({B, H, Q, K}));
  add(op.getWeights(), "weights", map({B, H, Q, K}));
  return results;
}

LogicalResult AttentionLowering::check() {
  if (op.getCausal() || op.getWindowLeft() || op.getWindowRight() ||
      op.getSoftcap() || op.getSlopes() || op.getScaleValue() != 1.0)
    return lowering.notLowered(op, "its clauses are not written as regions",
                               "run '--sinter-expand-library' first");
  return success();
}

Lowered AttentionLowering::run() {
  if (failed(check()))
    return failure();
  spec.space = {{"b", "h", "q", "k", "d", "e"}};
  setKeysAndValues();
  setBounds();
  if (failed(setRegions()))
    return failure();
  SmallVector<Value> results = setOuts();
  auto attention = fused::buildAttention(lowering.builder, op.getLoc(), spec);
  for (auto [out, made] : llvm::zip_equal(spec.outs, attention.getResults()))
    llvm::replace(results, out.value, Value(made));
  return results;
}

Lowered sinter::lowerAttention(EntryLowering &lowering, AttentionOp op) {
  return AttentionLowering(lowering, op).run();
}
