//===- LayerOps.cpp - Projections, norms and feed-forward on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sinter/Dialect/Sinter/IR/Positions.h"
#include "sinter/Reference/Functions.h"
#include <cmath>

using namespace mlir;

namespace sinter {

//===----------------------------------------------------------------------===//
// Embedding and projections
//===----------------------------------------------------------------------===//

/// Whether indices come straight from the caller or from positions, so that one
/// outside of the table is the caller's error and not to be clamped.
static bool isCheckedIndex(Value indices) {
  while (auto cast = indices.getDefiningOp<tensor::CastOp>())
    indices = cast.getSource();
  if (auto argument = dyn_cast<BlockArgument>(indices))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return static_cast<bool>(traceOffsetPositions(indices).op);
}

static LogicalResult runEmbedding(EmbeddingOp op, EntryRun &run) {
  const Tensor &indices = run.get(op.getIndices());
  const Tensor &table = run.get(op.getTable());
  for (int64_t i = 0, e = indices.size();
       i < e && isCheckedIndex(op.getIndices()); ++i)
    if (indices.integer(i) < 0 || indices.integer(i) >= table.dim(0))
      return op.emitError("index '")
             << indices.integer(i) << "' is outside of the table's '"
             << table.dim(0) << "' rows";
  run.define(op.getResult(), reference::embedding(indices, table));
  return success();
}

static LogicalResult runLinear(LinearOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput()), &w = run.get(op.getWeight());
  if (failed(checkSame(op, "inputs of the weight", x.shape().back(),
                       w.dim(op.getInOut() ? 0 : 1))))
    return failure();
  run.define(
      op.getResult(),
      reference::linear(x, w, run.getOptional(op.getBias()), op.getInOut()));
  return success();
}

static LogicalResult runMatmul(MatmulOp op, EntryRun &run) {
  const Tensor &lhs = run.get(op.getLhs()), &rhs = run.get(op.getRhs());
  bool transposeLhs = op.getTransposeLhs(), transposeRhs = op.getTransposeRhs();
  if (failed(checkSame(op, "inner size of rhs",
                       lhs.dim(lhs.rank() - (transposeLhs ? 2 : 1)),
                       rhs.dim(rhs.rank() - (transposeRhs ? 1 : 2)))))
    return failure();
  for (int64_t dim = 0; rhs.rank() != 2 && dim < lhs.rank() - 2; ++dim)
    if (failed(checkSame(op, "batch of rhs", lhs.dim(dim), rhs.dim(dim))))
      return failure();
  run.define(op.getResult(),
             reference::matmul(lhs, rhs, transposeLhs, transposeRhs));
  return success();
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static LogicalResult runSoftmax(SoftmaxOp op, EntryRun &run) {
  run.define(op.getResult(), reference::softmax(run.get(op.getInput())));
  return success();
}

static LogicalResult runLogSoftmax(LogSoftmaxOp op, EntryRun &run) {
  run.define(op.getResult(), reference::logSoftmax(run.get(op.getInput())));
  return success();
}

/// Checks that a gain or bias, if there, has one number per channel.
static LogicalResult checkChannels(Operation *op, StringRef what,
                                   const Tensor &x, const Tensor *vector) {
  return vector ? checkSame(op, what, x.shape().back(), vector->dim(0))
                : success();
}

static LogicalResult runLayerNorm(LayerNormOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  const Tensor *gain = run.getOptional(op.getGain());
  const Tensor *bias = run.getOptional(op.getBias());
  if (failed(checkChannels(op, "size of gain", x, gain)) ||
      failed(checkChannels(op, "size of bias", x, bias)))
    return failure();
  run.define(op.getResult(), reference::layerNorm(
                                 x, gain, bias, op.getEps().convertToDouble()));
  return success();
}

static LogicalResult runRmsNorm(RmsNormOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  const Tensor *gain = run.getOptional(op.getGain());
  if (failed(checkChannels(op, "size of gain", x, gain)))
    return failure();
  run.define(op.getResult(),
             reference::rmsNorm(x, gain, op.getUnitOffset() ? 1 : 0,
                                op.getEps().convertToDouble()));
  return success();
}

//===----------------------------------------------------------------------===//
// Feed-forward
//===----------------------------------------------------------------------===//

static double activate(Activation activation, double x) {
  switch (activation) {
  case Activation::Relu:
    return reference::relu(x);
  case Activation::Gelu:
    return reference::gelu(x);
  case Activation::GeluTanh:
    return reference::geluTanh(x);
  case Activation::Silu:
    return reference::silu(x);
  case Activation::Sigmoid:
    return reference::sigmoid(x);
  case Activation::Tanh:
    return std::tanh(x);
  case Activation::Identity:
    return x;
  case Activation::QuickGelu:
    return reference::quickGelu(x);
  case Activation::ReluSquared:
    return reference::reluSquared(x);
  case Activation::Mish:
    return reference::mish(x);
  }
  llvm_unreachable("all activations are listed");
}

/// activation(x).
static Tensor activated(const Tensor &x, Activation activation) {
  return reference::map(x, [&](double v) { return activate(activation, v); });
}

static LogicalResult runFfn(FfnOp op, EntryRun &run) {
  Tensor up =
      reference::linear(run.get(op.getInput()), run.get(op.getUpWeight()),
                        run.getOptional(op.getUpBias()), op.getInOut());
  run.define(op.getResult(),
             reference::linear(
                 activated(up, op.getActivation()), run.get(op.getDownWeight()),
                 run.getOptional(op.getDownBias()), op.getInOut()));
  return success();
}

static LogicalResult runGatedFfn(GatedFfnOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  SmallVector<Tensor> hidden = {
      reference::linear(x, run.get(op.getGateWeight()),
                        run.getOptional(op.getGateBias()), op.getInOut())};
  if (op.getUpWeight()) {
    hidden.push_back(reference::linear(x, run.get(op.getUpWeight()),
                                       run.getOptional(op.getUpBias()),
                                       op.getInOut()));
  } else {
    int64_t half = hidden[0].shape().back() / 2;
    hidden = reference::split(hidden[0], {half, half});
  }
  Tensor product =
      reference::multiply(activated(hidden[0], op.getActivation()), hidden[1]);
  run.define(op.getResult(),
             reference::linear(product, run.get(op.getDownWeight()),
                               run.getOptional(op.getDownBias()),
                               op.getInOut()));
  return success();
}

static LogicalResult runDropout(DropoutOp op, EntryRun &run) {
  run.define(op.getResult(), run.share(op.getInput()));
  return success();
}

void addLayerOps(OpTable &table) {
  table.add<EmbeddingOp>(runEmbedding);
  table.add<LinearOp>(runLinear);
  table.add<MatmulOp>(runMatmul);
  table.add<SoftmaxOp>(runSoftmax);
  table.add<LogSoftmaxOp>(runLogSoftmax);
  table.add<LayerNormOp>(runLayerNorm);
  table.add<RmsNormOp>(runRmsNorm);
  table.add<FfnOp>(runFfn);
  table.add<GatedFfnOp>(runGatedFfn);
  table.add<DropoutOp>(runDropout);
}

} // namespace sinter
