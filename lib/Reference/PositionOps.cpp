//===- PositionOps.cpp - Positions and their encodings on a run -----------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Reference/RopeFrequency.h"

using namespace mlir;

namespace sinter {

static LogicalResult runPositions(PositionsOp op, EntryRun &run) {
  const Tensor &input = run.get(op.getInput());
  RowValues start(input.dim(0), 0);
  if (op.getAfter()) {
    const RowValues *cursor = run.session.cursor(*op.getAfter());
    if (!cursor)
      return op.emitError("the session has no cursor '")
             << *op.getAfter() << "'";
    if (failed(checkSame(op, "batch of the session",
                         static_cast<int64_t>(cursor->size()), input.dim(0))))
      return failure();
    start = *cursor;
  }
  for (int64_t &first : start)
    first += op.getOffset();
  run.define(
      op.getResult(),
      reference::positions(start, input.dim(1), op.getType().getElementType()));
  return success();
}

/// 1 + the largest of each row's first lengths[b] positions.
static RowValues reachOf(const Tensor &positions, ArrayRef<int64_t> lengths) {
  RowValues reach;
  for (auto [b, length] : llvm::enumerate(lengths)) {
    reach.push_back(0);
    for (int64_t t = 0; t < length; ++t)
      reach.back() = std::max(
          reach.back(), positions.integer({static_cast<int64_t>(b), t}) + 1);
  }
  return reach;
}

static LogicalResult runRope(RopeOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  const Tensor &positions = run.get(op.getPositions());
  if (failed(checkSame(op, "batch of positions", x.dim(0), positions.dim(0))) ||
      failed(checkSame(op, "time of positions", x.dim(1), positions.dim(1))))
    return failure();
  FailureOr<RowValues> lengths =
      rowLengths(op, run.getOptional(op.getLengths()), x.dim(0), x.dim(1));
  if (failed(lengths))
    return failure();
  RowValues reach = reachOf(positions, *lengths);
  reference::RopeFrequency frequency{
      op.getTheta().convertToDouble(), op.getRotaryColumns(),
      op.getScaling().value_or(RopeScalingAttr())};
  reference::Rope how{
      op.getInterleaved(), op.getRotaryColumns(),
      [&](int64_t pair, int64_t row) { return frequency.of(pair, reach[row]); },
      frequency.attentionFactor()};
  run.define(op.getResult(), reference::rope(x, positions, how));
  return success();
}

static LogicalResult runSinusoidal(SinusoidalPositionsOp op, EntryRun &run) {
  RankedTensorType type = op.getType();
  run.define(op.getResult(),
             reference::sinusoidalPositions(
                 run.get(op.getPositions()), type.getShape().back(),
                 op.getHalves(), type.getElementType()));
  return success();
}

static LogicalResult runSlopes(AlibiSlopesOp op, EntryRun &run) {
  RankedTensorType type = op.getType();
  Tensor slopes(type.getShape(), type.getElementType());
  for (int64_t h = 0; h < type.getDimSize(0); ++h)
    slopes.real(h) = reference::alibiSlope(h, type.getDimSize(0));
  run.define(op.getResult(), slopes.rounded());
  return success();
}

void addPositionOps(OpTable &table) {
  table.add<PositionsOp>(runPositions);
  table.add<RopeOp>(runRope);
  table.add<SinusoidalPositionsOp>(runSinusoidal);
  table.add<AlibiSlopesOp>(runSlopes);
}

} // namespace sinter
