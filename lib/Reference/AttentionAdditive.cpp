//===- AttentionAdditive.cpp - Additive attention on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionRun.h"
#include <cmath>

using namespace mlir;

namespace sinter {

/// `x` with one head, and with one query per row where it has no time: [B, D]
/// and [B, T, D] become [B, T, 1, D].
static Tensor withHead(const Tensor &x) {
  int64_t time = x.rank() == 2 ? 1 : x.dim(1);
  return x.reshaped({x.dim(0), time, 1, x.shape().back()});
}

/// The mask [B, S] or [B, T, S] as [B, 1, T, S].
static Tensor withHeadOfMask(const Tensor &mask) {
  int64_t time = mask.rank() == 2 ? 1 : mask.dim(1);
  return mask.reshaped({mask.dim(0), 1, time, mask.shape().back()});
}

namespace {
/// Operands with one head.
struct Operands {
  Tensor query, key, value, vector, mask;
};
} // namespace

/// Errors of the sum over D of functions, and of the weighted sum.
static void disturb(Noise &noise, Operands &operands) {
  operands.query = noise.disturb(operands.query, /*relative=*/2);
  operands.key = noise.disturb(operands.key, /*relative=*/2);
  operands.vector = noise.disturb(operands.vector, operands.key.dim(3) + 20);
  operands.value = noise.disturb(operands.value, operands.key.dim(1) + 16);
}

static LogicalResult checkExtents(AdditiveAttentionOp op, Operands &operands) {
  int64_t batch = operands.query.dim(0), keys = operands.key.dim(1);
  if (failed(checkSame(op, "batch of key", batch, operands.key.dim(0))) ||
      failed(checkSame(op, "batch of value", batch, operands.value.dim(0))) ||
      failed(checkSame(op, "time of value", keys, operands.value.dim(1))))
    return failure();
  if (!op.getDenseMask())
    return success();
  const int64_t full[] = {batch, 1, operands.query.dim(1), keys};
  for (auto [dim, extent] : llvm::enumerate(operands.mask.shape()))
    if (extent != 1 &&
        failed(checkSame(op, "an extent of the mask", full[dim], extent)))
      return failure();
  return success();
}

LogicalResult runAdditiveAttention(AdditiveAttentionOp op, EntryRun &run) {
  Operands operands{withHead(run.get(op.getQuery())),
                    withHead(run.get(op.getKey())),
                    withHead(run.get(op.getValue())),
                    run.get(op.getVector()),
                    {}};
  if (op.getDenseMask())
    operands.mask = withHeadOfMask(run.get(op.getDenseMask()));
  int64_t batch = operands.query.dim(0), keys = operands.key.dim(1);
  FailureOr<RowValues> valid =
      rowLengths(op, run.getOptional(op.getLengths()), batch, keys);
  if (failed(valid) || failed(checkExtents(op, operands)))
    return failure();
  if (run.noise)
    disturb(*run.noise, operands);
  reference::Attention problem;
  problem.query = &operands.query;
  problem.key = &operands.key;
  problem.value = &operands.value;
  problem.offset = RowValues(batch, 0);
  problem.validKeys = *valid;
  problem.mask = op.getDenseMask() ? &operands.mask : nullptr;
  problem.wantsScores = op.getWithWeights();
  problem.combine = [&](double q, double k, ArrayRef<int64_t> at) {
    return FailureOr<double>(operands.vector.real(at[4]) * std::tanh(q + k));
  };
  FailureOr<reference::AttentionResult> result = reference::attention(problem);
  if (failed(result))
    return failure();
  Shape shape(run.get(op.getQuery()).shape());
  shape.back() = operands.value.dim(3);
  result->mixture = result->mixture.reshaped(shape);
  if (op.getWithWeights()) {
    shape.back() = keys;
    result->weights = result->weights.reshaped(shape);
  }
  defineAttention(run, std::move(*result),
                  {op.getResult(), {}, {}, op.getWeights()}, keys);
  return success();
}

} // namespace sinter
