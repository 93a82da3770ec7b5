//===- Attention.cpp - fused.attention on a GPU ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the Spec that device/attention.cuh describes.
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
#include "AttentionSchedule.h"
#include "sinter/Analysis/AttentionAccess.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

namespace {
class AttentionPrinter {
public:
  AttentionPrinter(SpecPrinter &spec, fused::AttentionOp op)
      : spec(spec), op(op) {}
  LogicalResult run();

private:
  LogicalResult check();
  std::optional<AttentionProblem> makeProblem();
  void printSchedules();
  void printTile(StringRef name, const AttentionTile &tile);
  void printAccesses();
  void printExtras();
  void perBatch(StringRef name, StringRef accessName, Value operand,
                std::optional<AffineMap> map, StringRef otherwise);
  LogicalResult printRegions();
  LogicalResult printRegion(StringRef name, Region &region,
                            ArrayRef<RegionBinding> own, ValueRange captures,
                            ArrayAttr maps);
  LogicalResult printMask();
  void countTasks();
  void flag(StringRef name, bool value) {
    spec.member("static constexpr bool " + name + " = " +
                (value ? "true" : "false") + ";");
  }

  SpecPrinter &spec;
  fused::AttentionOp op;
  AttentionProblem problem;
  AttentionSchedules schedules;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is lowered
//===----------------------------------------------------------------------===//

LogicalResult AttentionPrinter::check() {
  SmallVector<Value> numbers = {op.getQuery(), op.getKey(), op.getValue()};
  llvm::append_range(numbers, op.getOuts());
  for (Value operand : numbers)
    if (!cast<ShapedType>(operand.getType()).getElementType().isF32())
      return op.emitError(
          "attention with operands other than f32 is not lowered yet");
  return success();
}

/// None, with an error, where the head size is not known.
std::optional<AttentionProblem> AttentionPrinter::makeProblem() {
  AttentionProblem problem;
  problem.keySize = spec.host.staticExtent(DimD);
  problem.valueSize = spec.host.staticExtent(DimE);
  if (ShapedType::isDynamic(problem.keySize) ||
      ShapedType::isDynamic(problem.valueSize)) {
    op.emitError("attention with a dynamic head size is not lowered; expected "
                 "a number as the extent of 'd' and 'e'");
    return std::nullopt;
  }
  problem.hasKeyPanels = hasKeyPanels(op);
  problem.hasExtras = !op.getExtras().empty();
  auto size = [](Region &region) -> int64_t {
    return region.empty() ? 0 : region.front().getOperations().size();
  };
  problem.combineSize = size(op.getCombine());
  problem.scoreSize = size(op.getScore()) + size(op.getMask());
  problem.heads = headsPerKeyHead(op, spec.host.staticExtent(DimH));
  int64_t queries = spec.host.staticExtent(DimQ);
  if (!ShapedType::isDynamic(queries))
    problem.queries = queries;
  problem.mask = examineMask(op.getMask());
  return problem;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

void AttentionPrinter::printTile(StringRef name, const AttentionTile &tile) {
  spec.member("struct " + name + " {");
  auto constant = [&](StringRef name, int64_t value) {
    spec.member("static constexpr int " + name + " = " + Twine(value) + ";");
  };
  constant("heads", tile.heads);
  constant("groups", tile.groups);
  constant("rows", tile.rows);
  constant("keys", tile.keys);
  constant("depth", tile.depth);
  constant("span", tile.span);
  constant("stages", tile.stages);
  constant("value_tile", tile.valueTile);
  spec.member("};");
}

void AttentionPrinter::printSchedules() {
  spec.setTemplate("attention");
  spec.setThreads(AttentionSchedules::threads, schedules.blocksPerSM);
  spec.setShared(schedules.sharedBytes);
  spec.constant("key_size", problem.keySize);
  spec.constant("value_size", problem.valueSize);
  spec.constant("few_queries", AttentionSchedules::fewQueries);
  flag("has_few", schedules.few.has_value());
  flag("has_many", schedules.many.has_value());
  if (schedules.few)
    printTile("Few", *schedules.few);
  if (schedules.many)
    printTile("Many", *schedules.many);
}

void AttentionPrinter::countTasks() {
  spec.host.tasks([&](host::HostBuilder &k, Value args, Value) {
    SmallVector<Value> extents = spec.host.extents(k, args);
    auto tasks = [&](const AttentionTile &tile) -> Value {
      Value blocks =
          k.ceilDiv(k.mul(extents[DimQ], tile.heads), tile.blockRows());
      blocks = k.mul(blocks, tile.valueTiles(problem.valueSize));
      return k.mul(k.mul(extents[DimB], k.div(extents[DimH], tile.heads)),
                   blocks);
    };
    if (!schedules.few)
      return tasks(*schedules.many);
    if (!schedules.many)
      return tasks(*schedules.few);
    Value isFew = k.le(extents[DimQ], k.i64(AttentionSchedules::fewQueries));
    return k.select(isFew, tasks(*schedules.few), tasks(*schedules.many));
  });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

void AttentionPrinter::perBatch(StringRef name, StringRef accessName,
                                Value operand, std::optional<AffineMap> map,
                                StringRef otherwise) {
  if (operand)
    spec.access(accessName, operand, *map, DimB);
  spec.function("i64", name,
                operand ? ("loadOne<" + accessName + ">(args, p)").str()
                        : otherwise.str());
}

void AttentionPrinter::printAccesses() {
  auto access = [&](StringRef name, Value operand, AffineMap map,
                    unsigned along, bool isWhole) {
    spec.access(name, operand, map, along,
                isWhole && spec.isWide(operand, map, along));
  };
  bool isKeyWhole = problem.keySize != 0 && problem.keySize % 4 == 0;
  bool isValueWhole = problem.valueSize != 0 && problem.valueSize % 4 == 0;
  access("Query", op.getQuery(), op.getQueryMap(), DimD, isKeyWhole);
  if (problem.hasKeyPanels)
    access("Key", op.getKey(), op.getKeyMap(), DimK, problem.keySize != 0);
  else
    access("Key", op.getKey(), op.getKeyMap(), DimD, isKeyWhole);
  access("Value", op.getValue(), op.getValueMap(), DimE, isValueWhole);
  access("Out", op.getOuts()[0],
         cast<AffineMapAttr>(op.getOutMaps()[0]).getValue(), DimE,
         isValueWhole);
  perBatch("offset", "Offset", op.getOffset(), op.getOffsetMap(), "0");
  perBatch("key_limit", "Length", op.getLength(), op.getLengthMap(),
           "extents(args)[3]");
  perBatch("row_limit", "Rows", op.getRows(), op.getRowsMap(),
           "extents(args)[2]");
}

void AttentionPrinter::printExtras() {
  bool hasScores = false, hasWeights = false, hasLogSumExp = false;
  auto access = [&](StringRef name, unsigned out) {
    spec.access(name, op.getOuts()[out],
                cast<AffineMapAttr>(op.getOutMaps()[out]).getValue(), DimK);
  };
  for (auto [i, extra] :
       llvm::enumerate(op.getExtras().getAsValueRange<StringAttr>())) {
    StringRef name = extra;
    hasScores |= name == "scores";
    hasWeights |= name == "weights";
    hasLogSumExp |= name == "lse";
    access(name == "lse"      ? "LogSumExp"
           : name == "scores" ? "KeptScores"
                              : "Weights",
           i + 1);
  }
  // Scores are kept until all of a row's keys are seen: weights are made in
  // place.
  if (hasWeights && !hasScores)
    spec.alias("KeptScores", "Weights");
  flag("keeps_scores", hasScores || hasWeights);
  flag("has_weights", hasWeights);
  flag("has_log_sum_exp", hasLogSumExp);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

LogicalResult AttentionPrinter::printRegion(StringRef name, Region &region,
                                            ArrayRef<RegionBinding> own,
                                            ValueRange captures,
                                            ArrayAttr maps) {
  flag(("has_" + name).str(), !region.empty());
  if (region.empty())
    return success();
  SmallVector<RegionBinding> bindings(own);
  for (auto [capture, map] : llvm::zip_equal(captures, maps))
    bindings.push_back(
        RegionBinding::read(capture, fused::getOptionalMap(map)));
  return spec.pointFunction(
      {name, &region.front(), bindings, {}, std::nullopt});
}

LogicalResult AttentionPrinter::printRegions() {
  RegionBinding given = RegionBinding::given();
  RegionBinding b = RegionBinding::index(DimB), h = RegionBinding::index(DimH),
                k = RegionBinding::index(DimK);
  return success(
      succeeded(printRegion("combine", op.getCombine(), {given, given},
                            op.getCombineCaptures(), op.getCombineMaps())) &&
      succeeded(printRegion("score", op.getScore(), {given, b, h, given, k},
                            op.getScoreCaptures(), op.getScoreMaps())) &&
      succeeded(printRegion("mask", op.getMask(), {b, h, given, k},
                            op.getMaskCaptures(), op.getMaskMaps())) &&
      succeeded(printRegion("sink", op.getSink(), {b, h, given},
                            op.getSinkCaptures(), op.getSinkMaps())));
}

LogicalResult AttentionPrinter::printMask() {
  flag("has_short_regions", problem.hasShortRegions());
  flag("range_is_exact", problem.mask.isKeyRangeExact);
  if (op.getMask().empty())
    return success();
  bool isShared = schedules.few && schedules.few->heads > 1;
  if (isShared && failed(printMaskTiles(spec, op, "heads_", false)))
    return failure();
  if (isShared && !schedules.many)
    return success();
  return printMaskTiles(spec, op, "", true);
}

LogicalResult AttentionPrinter::run() {
  if (failed(check()))
    return failure();
  std::optional<AttentionProblem> made = makeProblem();
  if (!made)
    return failure();
  problem = *made;
  std::optional<AttentionSchedules> chosen = chooseAttentionSchedules(problem);
  if (!chosen)
    return op.emitError("attention over heads of ")
           << problem.keySize << " numbers does not fit shared memory";
  schedules = *chosen;
  printSchedules();
  printAccesses();
  printExtras();
  if (failed(printRegions()) || failed(printMask()))
    return failure();
  countTasks();
  return success();
}

LogicalResult cuda::printSkeleton(SpecPrinter &spec, fused::AttentionOp op) {
  return AttentionPrinter(spec, op).run();
}
