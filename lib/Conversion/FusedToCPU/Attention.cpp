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

#include <numeric>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// Dimensions of the op.
enum { dimB, dimH, dimQ, dimK, dimD, dimE };

/// Rows that share each load of keys and values; 6 x 64 (AVX-512) and 6 x 16
/// (AVX2) tiles fill the registers.
static constexpr unsigned groupRows = 6;
static constexpr int64_t blockRows = 96;
/// Up to this many query rows per head are streamed.
static constexpr int64_t streamedRows = 3;
/// Keys of a block: 6 x 512 scores are 12 KiB.
static constexpr int64_t keyBlock = 512;
/// With masks of which only whole tiles can be told, blocks are tiles.
static constexpr int64_t keyTile = 128;

//===----------------------------------------------------------------------===//
// What is lowered
//===----------------------------------------------------------------------===//

static bool isDim(AffineExpr expr, unsigned dim) {
  auto position = dyn_cast<AffineDimExpr>(expr);
  return position && position.getPosition() == dim;
}

/// Keys in panels of 16, [.., k floordiv 16, d, k mod 16].
static bool hasKeyPanels(fused::AttentionOp op) {
  fused::LayoutAttr layout = fused::getLayout(op.getKey().getType());
  AffineMap map = op.getKeyMap();
  if (!layout || layout.getMap().getNumResults() < 3)
    return false;
  ArrayRef<AffineExpr> physical = layout.getMap().getResults().take_back(3);
  auto size = dyn_cast<AffineDimExpr>(physical[1]);
  if (!size || !isDim(map.getResult(size.getPosition()), dimD))
    return false;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    AffineExpr expr = getAffineDimExpr(dim, op.getContext());
    if (physical[0] == expr.floorDiv(16) && physical[2] == expr % 16)
      return isDim(map.getResult(dim), dimK);
  }
  return false;
}

/// Row-major with e innermost.
static bool hasValueRows(fused::AttentionOp op) {
  ArrayRef<AffineExpr> results = op.getValueMap().getResults();
  return !fused::getLayout(op.getValue().getType()) &&
         isDim(results.back(), dimE) &&
         llvm::any_of(results,
                      [](AffineExpr expr) { return isDim(expr, dimK); });
}

static LogicalResult checkLowered(fused::AttentionOp op) {
  auto refuse = [&](const Twine &what) {
    return op.emitError("attention with ") << what << " is not lowered yet";
  };
  if (!op.getCombine().empty())
    return refuse("a 'combine' region");
  if (!op.getSink().empty())
    return refuse("a 'sink' region");
  if (!op.getExtras().empty())
    return refuse("more results than its mixture");
  for (Value operand :
       {op.getQuery(), op.getKey(), op.getValue(), Value(op.getOuts()[0])})
    if (!cast<ShapedType>(operand.getType()).getElementType().isF32())
      return refuse("operands other than f32");
  if (!hasKeyPanels(op))
    return refuse("keys that do not lie in panels of 16");
  if (!hasValueRows(op))
    return refuse("values that are not row-major");
  return success();
}

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

/// kDynamic where it is not known.
static int64_t staticExtent(fused::AttentionOp op, unsigned dim) {
  if (!ShapedType::isDynamic(op.getExtents()[dim]))
    return op.getExtents()[dim];
  auto [operand, index] =
      cast<fused::SkeletonInterface>(op.getOperation()).getExtentSource(dim);
  return operand ? cast<ShapedType>(operand.getType()).getDimSize(index)
                 : ShapedType::kDynamic;
}

/// Consecutive query heads for which `map` gives the same place; 0: all.
static int64_t headsSharing(AffineMap map) {
  int64_t sharing = 0;
  for (AffineExpr expr : map.getResults()) {
    if (!expr.isFunctionOfDim(dimH))
      continue;
    auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
    bool grouped = quotient && expr.getKind() == AffineExprKind::FloorDiv &&
                   isDim(quotient.getLHS(), dimH);
    sharing = std::gcd(
        sharing,
        grouped ? cast<AffineConstantExpr>(quotient.getRHS()).getValue() : 1);
  }
  return sharing;
}

/// Query heads that share keys and values.
static int64_t headsPerKeyHead(fused::AttentionOp op) {
  int64_t heads = staticExtent(op, dimH);
  if (ShapedType::isDynamic(heads) || heads == 0)
    return 1;
  return std::gcd(heads, std::gcd(headsSharing(op.getKeyMap()),
                                  headsSharing(op.getValueMap())));
}

namespace {
struct Schedules {
  std::optional<AttentionSchedule> stream, blocks;
};
} // namespace

static FailureOr<Schedules> makeSchedules(fused::AttentionOp op,
                                          const TargetInfo &target) {
  int64_t keySize = staticExtent(op, dimD), valueSize = staticExtent(op, dimE);
  if (ShapedType::isDynamic(keySize) || ShapedType::isDynamic(valueSize))
    return op.emitError("attention with a dynamic head size is not lowered");
  int64_t queries = staticExtent(op, dimQ);
  bool isDynamic = ShapedType::isDynamic(queries);
  MaskShape mask = examineMask(op.getMask());
  int64_t keys = mask.alwaysTrue || mask.isKeyRangeExact ? keyBlock : keyTile;
  auto shape = [&](unsigned rows, int64_t block) {
    return AttentionShape::get(target, keySize, valueSize, rows, block, keys);
  };
  Schedules schedules;
  if (isDynamic || queries <= streamedRows) {
    int64_t heads = headsPerKeyHead(op);
    int64_t groups = llvm::divideCeil(heads, groupRows);
    schedules.stream = {
        shape(llvm::divideCeil(heads, groups), heads * streamedRows), heads};
  }
  if (isDynamic || queries > streamedRows) {
    int64_t rows = isDynamic ? blockRows : std::min(blockRows, queries);
    schedules.blocks = {shape(groupRows, rows), 1};
  }
  return schedules;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

LogicalResult cpu::lowerAttention(KernelLowering &lowering,
                                  fused::AttentionOp op) {
  if (failed(checkLowered(op)))
    return failure();
  FailureOr<Schedules> schedules = makeSchedules(op, lowering.target);
  if (failed(schedules))
    return failure();
  auto &[stream, blocks] = *schedules;
  auto fewRows = [&](KernelBuilder &k, ArrayRef<Value> extents) {
    if (!stream || !blocks)
      return Value(arith::ConstantOp::create(k, k.getBoolAttr(!!stream)));
    return k.le(extents[dimQ], k.i64(streamedRows));
  };
  lowering.tasks([&](KernelBuilder &k, Value args, Value) {
    SmallVector<Value> extents = lowering.extents(k, args);
    return k
        .ifElse(
            fewRows(k, extents), k.getI64Type(),
            [&] { return SmallVector<Value>{stream->tasks(k, extents)}; },
            [&] { return SmallVector<Value>{blocks->tasks(k, extents)}; })
        .front();
  });
  LogicalResult status = success();
  lowering.body(
      [&](KernelBuilder &k, Value args, Value, Value task, Value scratch) {
        AttentionOperands at = AttentionOperands::get(k, lowering, op, args);
        auto emit = [&](const AttentionSchedule &schedule) {
          AttentionBlock block(k, op, at, schedule, scratch);
          if (failed(block.emit(task)))
            status = failure();
          return SmallVector<Value>();
        };
        k.ifElse(
            fewRows(k, at.extents), {}, [&] { return emit(*stream); },
            [&] { return emit(*blocks); });
      });
  int64_t scratch = 0;
  for (const auto &schedule : {stream, blocks})
    if (schedule)
      scratch =
          std::max(scratch, schedule->shape.scratchBytes(lowering.target));
  lowering.setScratch(scratch);
  return status;
}
