//===- Contract.cpp - fused.contract on a GPU -----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the tiles of device/contract.cuh and prints what it asks of a Spec.
//
//===----------------------------------------------------------------------===//

#include "SpecPrinter.h"
#include "sinter/Analysis/ContractAccess.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;
using llvm::formatv;

/// Threads of a block: 16 along rows by 16 along columns of a tile.
static constexpr int64_t threads = 256, side = 16;
/// Positions of k in a tile, as device/contract.cuh has it.
static constexpr int64_t tileDepth = 16;
/// Columns of a block that has few rows.
static constexpr int64_t panel = 16;
/// Sums that a thread holds at most, and where a second block shall fit beside.
static constexpr int64_t mostSums = 64, lightSums = 32;
/// Blocks that keep a GPU of today busy, and the rows that are expected where
/// only a call tells.
static constexpr int64_t manyBlocks = 128, expectedRows = 1024;

namespace {
struct SegmentPlan {
  fused::SegmentOp op;
  int64_t pairs, columns;
  int64_t tileColumns = 0;
  /// Neighbours along k are neighbours in some weight.
  bool depthIsFastest = false;

  /// Whether columns are a multiple of 4 whatever the launch.
  bool hasFours() const {
    return !ShapedType::isDynamic(columns) && columns % 4 == 0;
  }
};

class ContractPrinter {
public:
  ContractPrinter(SpecPrinter &spec, fused::ContractOp op);
  LogicalResult print();

private:
  LogicalResult check();
  void chooseTiles();
  bool fillsWithLargeTiles() const;
  bool isLight() const;
  bool hasWholeDepth();
  int64_t sharedBytes() const;
  void printConstants();
  LogicalResult printSegment(unsigned number);
  std::string printWeights(unsigned number, bool turned);
  PointFunction epilogueOf(unsigned number, const std::string &name);
  LogicalResult printEpilogue(unsigned number, std::string &aligned);
  void printTasks();
  Value countBlocks(host::HostBuilder &k, ValueRange extents, bool isFew);
  Value countRows(host::HostBuilder &k, ValueRange extents, bool groups) const;

  AffineExpr dim(unsigned number) {
    return getAffineDimExpr(number, op.getContext());
  }
  bool isBatch(unsigned dim) const { return batchDims >> dim & 1; }

  SpecPrinter &spec;
  fused::ContractOp op;
  unsigned rowDims;
  SmallVector<SegmentPlan> plans;
  /// Bit d: a weight depends on row dimension d.
  uint64_t batchDims = 0;
  /// Rows of a group, kDynamic where only a call tells.
  int64_t groupRows = 1;
  int64_t mostPairs = 1, fewRows = 0, tileRows = 0;
};
} // namespace

ContractPrinter::ContractPrinter(SpecPrinter &spec, fused::ContractOp op)
    : spec(spec), op(op), rowDims(op.getDims().size() - 2) {
  for (fused::SegmentOp segment : op.getSegments()) {
    SegmentPlan plan{segment, int64_t(segment.getWeights().size()),
                     static_cast<int64_t>(segment.getN())};
    for (auto [weight, map] : llvm::zip_equal(
             segment.getWeights(),
             segment.getWeightMaps().getAsValueRange<AffineMapAttr>())) {
      plan.depthIsFastest |= !fused::getLayout(weight.getType()) &&
                             map.getResults().back() == dim(rowDims + 1);
      for (unsigned d = 0; d < rowDims; ++d)
        batchDims |= uint64_t(map.isFunctionOfDim(d)) << d;
    }
    mostPairs = std::max(mostPairs, plan.pairs);
    plans.push_back(plan);
  }
  for (unsigned d = 0; d < rowDims; ++d) {
    int64_t extent = isBatch(d) ? 1 : spec.host.staticExtent(d);
    groupRows =
        ShapedType::isDynamic(groupRows) || ShapedType::isDynamic(extent)
            ? ShapedType::kDynamic
            : groupRows * extent;
  }
}

LogicalResult ContractPrinter::check() {
  auto isSingle = [](Value value) {
    return cast<ShapedType>(value.getType()).getElementType().isF32();
  };
  for (SegmentPlan &plan : plans) {
    if (!plan.op.getPartials().empty())
      return plan.op.emitError("partials are not supported on a GPU");
    if (!isSingle(op.getInput()) ||
        !llvm::all_of(plan.op.getWeights(), isSingle))
      return plan.op.emitError("products are of f32 on a GPU");
    if (plan.pairs > side)
      return plan.op.emitError() << plan.pairs
                                 << " paired weights; on a GPU there are at "
                                    "most "
                                 << side;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Whether tiles of 128 by 128 are enough blocks. They read shared memory half
/// as often per product as tiles of 64 by 64.
bool ContractPrinter::fillsWithLargeTiles() const {
  auto known = [](int64_t extent, int64_t guess) {
    return ShapedType::isDynamic(extent) ? guess : extent;
  };
  int64_t blocks = 0;
  for (const SegmentPlan &plan : plans)
    blocks += llvm::divideCeil(known(plan.columns, expectedRows), 8 * side);
  blocks *= llvm::divideCeil(known(groupRows, expectedRows), 8 * side);
  for (unsigned d = 0; d < rowDims; ++d)
    if (isBatch(d))
      blocks *= known(spec.host.staticExtent(d), 1);
  return blocks >= manyBlocks;
}

void ContractPrinter::chooseTiles() {
  int64_t most =
      std::min<int64_t>(8, llvm::bit_floor(uint64_t(mostSums / 4 / mostPairs)));
  if (ShapedType::isDynamic(groupRows))
    fewRows = most;
  else if (groupRows <= most)
    fewRows = llvm::bit_ceil(uint64_t(std::max<int64_t>(1, groupRows)));
  if (fewRows == 0 || ShapedType::isDynamic(groupRows)) {
    bool isLarge = fillsWithLargeTiles();
    int64_t rows = isLarge ? 8 : 4;
    while (rows * 4 * mostPairs > mostSums)
      rows /= 2;
    tileRows = rows * side;
    for (SegmentPlan &plan : plans)
      plan.tileColumns =
          isLarge && rows * 8 * plan.pairs <= mostSums ? 8 * side : 4 * side;
  }
}

/// As device/contract.cuh lays it out, which checks that it fits.
int64_t ContractPrinter::sharedBytes() const {
  int64_t bytes = 0;
  for (const SegmentPlan &plan : plans) {
    int64_t few = threads / 32 * fewRows * plan.pairs * panel * 4;
    int64_t stride = plan.tileColumns + (plan.depthIsFastest ? 4 : 16);
    int64_t stage =
        tileRows * (tileDepth + 4) + plan.pairs * tileDepth * stride;
    int64_t tile = tileRows == 0 ? 0 : 2 * stage * 4 + tileRows * 16;
    bytes = std::max({bytes, few, tile});
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Spec
//===----------------------------------------------------------------------===//

/// Whether registers are left for a second block; paired weights take more.
bool ContractPrinter::isLight() const {
  int64_t most = 0;
  for (const SegmentPlan &plan : plans)
    most = std::max({most, fewRows * 4 * plan.pairs,
                     tileRows * plan.tileColumns * plan.pairs / threads});
  return most <= (mostPairs > 1 ? lightSums / 2 : lightSums);
}

/// Whether the depth is a multiple of 4 whatever the launch.
bool ContractPrinter::hasWholeDepth() {
  int64_t depth = spec.host.staticExtent(rowDims + 1);
  return !ShapedType::isDynamic(depth) && depth % 4 == 0;
}

void ContractPrinter::printConstants() {
  spec.setTemplate("contract");
  spec.setThreads(threads, isLight() ? 2 : 1);
  spec.setShared(sharedBytes());
  spec.constant("batch_dims", static_cast<int64_t>(batchDims));
  spec.constant("few_rows", fewRows);
  spec.constant("single_row", ShapedType::isDynamic(groupRows) && fewRows > 1);
  spec.constant("tile_rows", tileRows);
  spec.constant("input_is_contiguous", isInputContiguous(op));
  spec.rowLimit(op.getRows(), op.getRowsMap(), op.getRowsDim());
  spec.constant("has_whole_depth", hasWholeDepth());
  spec.access("Input", op.getInput(), op.getInputMap(), rowDims + 1,
              hasWholeDepth() &&
                  spec.isWide(op.getInput(), op.getInputMap(), rowDims + 1));
}

/// Prints the accesses of the weights along columns, or along k; returns the
/// list of their names.
std::string ContractPrinter::printWeights(unsigned number, bool turned) {
  fused::SegmentOp segment = plans[number].op;
  SmallVector<std::string> names;
  for (auto [i, weight, map] :
       llvm::enumerate(segment.getWeights(),
                       segment.getWeightMaps().getAsRange<AffineMapAttr>())) {
    names.push_back(formatv(
        turned ? "segment{0}_turned{1}" : "segment{0}_weight{1}", number, i));
    bool isWide =
        spec.isWide(weight, map.getValue(), rowDims) ||
        (hasWholeDepth() && spec.isWide(weight, map.getValue(), rowDims + 1));
    spec.access(names.back(), weight, map.getValue(), rowDims + turned, isWide);
  }
  return llvm::join(names, ", ");
}

PointFunction ContractPrinter::epilogueOf(unsigned number,
                                          const std::string &name) {
  fused::SegmentOp segment = plans[number].op;
  PointFunction epilogue{name, &segment.getEpilogue().front(), {}, {}, rowDims};
  epilogue.bindings.assign(plans[number].pairs, RegionBinding::given());
  for (auto [capture, map] :
       llvm::zip_equal(segment.getCaptures(), segment.getCaptureMaps()))
    epilogue.bindings.push_back(
        RegionBinding::read(capture, fused::getOptionalMap(map)));
  for (int64_t index : segment.getIndexDims())
    epilogue.bindings.push_back(RegionBinding::index(index));
  for (auto [store, map] :
       llvm::zip_equal(segment.getStores(),
                       segment.getStoreMaps().getAsValueRange<AffineMapAttr>()))
    epilogue.stores.push_back({store, map});
  // A block of few rows finishes single columns, but not in a loop.
  if (tileRows != 0 && plans[number].hasFours() && spec.isEven(epilogue))
    epilogue.loopLanes = 4;
  return epilogue;
}

LogicalResult ContractPrinter::printEpilogue(unsigned number,
                                             std::string &aligned) {
  std::string name = formatv("segment{0}_epilogue", number);
  PointFunction epilogue = epilogueOf(number, name);
  size_t before = spec.getAlignedAccesses().size();
  if (failed(spec.pointFunction(epilogue)))
    return failure();
  SmallVector<std::string> conditions;
  for (auto [i, binding] : llvm::enumerate(epilogue.bindings))
    if (binding.kind == RegionBinding::Access)
      conditions.push_back(formatv("{0}_in{1}::aligned(args)", name, i));
  for (unsigned i = 0; i < epilogue.stores.size(); ++i)
    conditions.push_back(formatv("{0}_out{1}::aligned(args)", name, i));
  for (StringRef access : spec.getAlignedAccesses().drop_front(before))
    if (access.contains("_gather"))
      conditions.push_back((access + "::aligned(args)").str());
  aligned = llvm::join(conditions, " && ");
  return success();
}

LogicalResult ContractPrinter::printSegment(unsigned number) {
  const SegmentPlan &plan = plans[number];
  fused::SegmentOp segment = plan.op;
  std::string aligned, weights = printWeights(number, /*turned=*/false);
  if (plan.depthIsFastest)
    weights += ">;\nusing TurnedWeights = TypeList<" +
               printWeights(number, /*turned=*/true);
  spec.symbols(formatv("segment{0}_symbols", number).str(),
               segment.getSymbols(), segment.getSymbolMaps());
  if (failed(printEpilogue(number, aligned)))
    return failure();
  std::string columns = ShapedType::isDynamic(plan.columns)
                            ? formatv("extents[{0}]", rowDims).str()
                            : std::to_string(plan.columns);
  SmallVector<std::string> sums;
  for (int64_t i = 0; i < plan.pairs; ++i)
    sums.push_back(formatv("sums[{0}]", i));
  spec.member(formatv(R"(struct Segment{0} {{
static constexpr int pairs = {1}, tile_columns = {2};
static constexpr bool depth_is_fastest = {3}, has_fours = {8};
using Weights = TypeList<{4}>;
SINTER_DEVICE static i64 columns(const Point &extents) {{
return {5};
}
SINTER_DEVICE static bool aligned(const Arguments &args) {{
return {6};
}
SINTER_DEVICE static void symbols(const Arguments &args, Point &p) {{
segment{0}_symbols(args, p);
}
template <int N>
SINTER_DEVICE static void finish(const Arguments &args, Status *status, const Point &p, const Lanes<float, N> (&sums)[pairs]) {{
segment{0}_epilogue<N>(args, status, p, {7});
}
};)",
                      number, plan.pairs, plan.tileColumns, plan.depthIsFastest,
                      weights, columns, aligned, llvm::join(sums, ", "),
                      plan.hasFours())
                  .str());
  return success();
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Value ContractPrinter::countRows(host::HostBuilder &k, ValueRange extents,
                                 bool groups) const {
  Value count = k.i64(1);
  for (unsigned d = 0; d < rowDims; ++d)
    if (isBatch(d) == groups)
      count = k.mul(count, extents[d]);
  return count;
}

Value ContractPrinter::countBlocks(host::HostBuilder &k, ValueRange extents,
                                   bool isFew) {
  Value columns = k.i64(0);
  for (SegmentPlan &plan : plans)
    columns = k.add(columns, k.ceilDiv(ShapedType::isDynamic(plan.columns)
                                           ? extents[rowDims]
                                           : k.i64(plan.columns),
                                       isFew ? panel : plan.tileColumns));
  Value rows = countRows(k, extents, /*groups=*/false);
  Value rowBlocks = isFew ? k.min(rows, k.i64(1)) : k.ceilDiv(rows, tileRows);
  return k.mul(k.mul(countRows(k, extents, /*groups=*/true), rowBlocks),
               columns);
}

void ContractPrinter::printTasks() {
  spec.host.tasks([&](host::HostBuilder &k, Value args, Value) {
    SmallVector<Value> extents = spec.host.extents(k, args);
    if (tileRows == 0 || fewRows == 0)
      return countBlocks(k, extents, /*isFew=*/tileRows == 0);
    Value rows = countRows(k, extents, /*groups=*/false);
    return k.select(k.le(rows, k.i64(fewRows)),
                    countBlocks(k, extents, /*isFew=*/true),
                    countBlocks(k, extents, /*isFew=*/false));
  });
}

LogicalResult ContractPrinter::print() {
  if (failed(check()))
    return failure();
  chooseTiles();
  printConstants();
  SmallVector<std::string> names;
  for (unsigned i = 0; i < plans.size(); ++i) {
    if (failed(printSegment(i)))
      return failure();
    names.push_back("Segment" + std::to_string(i));
  }
  spec.alias("Segments", "TypeList<" + llvm::join(names, ", ") + ">");
  printTasks();
  return success();
}

LogicalResult cuda::printSkeleton(SpecPrinter &spec, fused::ContractOp op) {
  return ContractPrinter(spec, op).print();
}
