//===- Attention.cpp - fused.attention on a CPU ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two schedules. Many query rows: blocks of 96 rows of one head in groups of 6.
// Few (decoding): all rows of the query heads that share a key head, in groups
// of one row per head, so that keys and values are streamed once. Where the
// number of rows is known only at run time, a kernel has both.
//
//===----------------------------------------------------------------------===//

#include "AttentionBlock.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Rows that share each load of keys and values; 6 x 64 (AVX-512) and 6 x 16
/// (AVX2) tiles fill the registers.
static constexpr unsigned groupRows = 6;
static constexpr int64_t blockRows = 96;
/// Up to this many query rows per head are streamed.
static constexpr int64_t streamedRows = 3;
/// Keys of a block: 6 x 512 scores are 12 KiB.
static constexpr int64_t keyBlock = 512;
/// All groups go past a block's keys and values, which should stay in the
/// second-level cache.
static constexpr int64_t keyBlockBytes = 256 << 10;
/// With masks of which only whole tiles can be told, blocks are tiles.
static constexpr int64_t keyTile = 128;

//===----------------------------------------------------------------------===//
// What is lowered
//===----------------------------------------------------------------------===//

/// Row-major with e innermost.
static bool hasValueRows(fused::AttentionOp op) {
  ArrayRef<AffineExpr> results = op.getValueMap().getResults();
  return !fused::getLayout(op.getValue().getType()) &&
         isDimension(results.back(), DimE) &&
         llvm::any_of(results,
                      [](AffineExpr expr) { return isDimension(expr, DimK); });
}

static LogicalResult checkLowered(fused::AttentionOp op) {
  auto refuse = [&](const Twine &what) {
    return op.emitError("attention with ") << what << " is not lowered yet";
  };
  SmallVector<Value> numbers = {op.getQuery(), op.getKey(), op.getValue()};
  llvm::append_range(numbers, op.getOuts());
  for (Value operand : numbers)
    if (!cast<ShapedType>(operand.getType()).getElementType().isF32())
      return refuse("operands other than f32");
  if (op.getCombine().empty() && !hasKeyPanels(op))
    return refuse("keys that do not lie in panels of 16");
  if (!hasValueRows(op))
    return refuse("values that are not row-major");
  return success();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

namespace {
/// At least one.
struct Schedules {
  std::optional<AttentionSchedule> stream, blocks;

  /// i1: whether the number of query rows calls for streaming.
  Value isStreamed(KernelBuilder &k, ArrayRef<Value> extents) const {
    if (stream && blocks)
      return k.le(extents[DimQ], k.i64(streamedRows));
    return arith::ConstantOp::create(k, k.getBoolAttr(stream.has_value()));
  }

  int64_t scratchBytes(const TargetInfo &target) const {
    int64_t bytes = 0;
    for (const auto &schedule : {stream, blocks})
      if (schedule)
        bytes = std::max(bytes, schedule->shape.scratchBytes(target));
    return bytes;
  }
};
} // namespace

/// Vectors of keys that share what a 'combine' reads of the query. A function
/// takes 16 registers for its constants alone.
static unsigned combinedVectors(fused::AttentionOp op,
                                const TargetInfo &target) {
  bool isPlain = llvm::all_of(op.getCombine().getOps(), [](Operation &inner) {
    return isa<math::AbsFOp, fused::YieldOp>(inner) ||
           isa<arith::ArithDialect>(inner.getDialect());
  });
  return isPlain || target.registers > 16 ? 4 : 1;
}

/// Keys of a block. Where a mask is a rule about blocks of keys, none of these
/// straddles two of those.
static int64_t keysOfBlock(const MaskShape &mask, int64_t numbersPerKey) {
  int64_t keys = keyBlock;
  while (keys > 64 && keys * numbersPerKey * 4 > keyBlockBytes)
    keys /= 2;
  if (mask.alwaysTrue || mask.isKeyRangeExact)
    return keys;
  return divisorUpTo(mask.keyBlock, 16, keys, std::min(keys, keyTile));
}

/// Query rows of a block, and the same about rules for blocks of queries.
static int64_t rowsOfBlock(const MaskShape &mask, int64_t queries) {
  int64_t rows = mask.alwaysTrue || mask.isKeyRangeExact
                     ? blockRows
                     : divisorUpTo(mask.queryBlock, 8, 128, blockRows);
  return ShapedType::isDynamic(queries) ? rows : std::min(rows, queries);
}

/// Numbers from key to key, if that is known now.
static std::optional<int64_t> valueStride(fused::AttentionOp op) {
  int64_t stride = 1;
  ArrayRef<int64_t> shape =
      cast<ShapedType>(op.getValue().getType()).getShape();
  for (auto [expr, extent] :
       llvm::reverse(llvm::zip_equal(op.getValueMap().getResults(), shape))) {
    if (isDimension(expr, DimK))
      return stride;
    if (ShapedType::isDynamic(extent))
      return std::nullopt;
    stride *= extent;
  }
  return std::nullopt;
}

static FailureOr<Schedules> makeSchedules(fused::AttentionOp op,
                                          KernelLowering &lowering) {
  int64_t keySize = lowering.staticExtent(DimD),
          valueSize = lowering.staticExtent(DimE);
  if (ShapedType::isDynamic(keySize) || ShapedType::isDynamic(valueSize))
    return op.emitError(
        "attention with a dynamic head size is not lowered; expected "
        "a number as the extent of 'd' and 'e'");
  int64_t queries = lowering.staticExtent(DimQ);
  bool isDynamic = ShapedType::isDynamic(queries);
  MaskShape mask = examineMask(op.getMask());
  int64_t keys = keysOfBlock(mask, keySize + valueSize);
  auto shape = [&](unsigned rows, int64_t block) {
    auto made = AttentionShape::get(lowering.target, keySize, valueSize, rows,
                                    block, keys);
    if (!op.getCombine().empty())
      made.keyVectors = combinedVectors(op, lowering.target);
    while (keys % (made.keyVectors * lowering.target.lanes))
      made.keyVectors /= 2;
    return made;
  };
  Schedules schedules;
  if (isDynamic || queries <= streamedRows) {
    int64_t heads = headsPerKeyHead(op, lowering.staticExtent(DimH));
    int64_t groups = llvm::divideCeil(heads, groupRows);
    schedules.stream = {
        shape(llvm::divideCeil(heads, groups), heads * streamedRows), heads};
  }
  if (isDynamic || queries > streamedRows) {
    schedules.blocks = {shape(groupRows, rowsOfBlock(mask, queries)), 1};
  }
  return schedules;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

static void lowerTasks(KernelLowering &lowering, const Schedules &schedules) {
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    SmallVector<Value> extents = lowering.extents(k, args);
    return k
        .ifElse(
            schedules.isStreamed(k, extents), k.getI64Type(),
            [&] {
              return SmallVector<Value>{schedules.stream->tasks(k, extents)};
            },
            [&] {
              return SmallVector<Value>{schedules.blocks->tasks(k, extents)};
            })
        .front();
  });
}

LogicalResult cpu::lowerSkeleton(KernelLowering &lowering,
                                 fused::AttentionOp op) {
  if (failed(checkLowered(op)))
    return failure();
  FailureOr<Schedules> schedules = makeSchedules(op, lowering);
  if (failed(schedules))
    return failure();
  auto &[stream, blocks] = *schedules;
  lowerTasks(lowering, *schedules);
  LLVM::LLVMFuncOp streamMixture, mixture;
  if (stream)
    streamMixture = makeMixture(lowering, "_stream_mixture", stream->shape,
                                valueStride(op));
  if (blocks)
    mixture = makeMixture(lowering, "_mixture", blocks->shape, valueStride(op));
  LogicalResult status = success();
  lowering.body(
      [&](KernelBuilder &k, Value args, Value, Value task, Value scratch) {
        AttentionOperands at = AttentionOperands::get(k, lowering, op, args);
        auto emit = [&](const AttentionSchedule &schedule,
                        LLVM::LLVMFuncOp mixture) {
          AttentionBlock block(k, op, at, schedule, mixture, scratch);
          if (failed(block.emit(task)))
            status = failure();
          return SmallVector<Value>();
        };
        k.ifElse(
            schedules->isStreamed(k, at.extents), {},
            [&] { return emit(*stream, streamMixture); },
            [&] { return emit(*blocks, mixture); });
      });
  lowering.setScratch(schedules->scratchBytes(lowering.target));
  return status;
}
