//===- NoisyRun.cpp - The errors that ops may make ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of n products errs by at most n roundings of each term (Higham 2002,
// section 3.1), which is what an error of n roundings in the operands does. A
// function of the kernels errs by at most 7 units in the last place, which are
// less than 16 roundings.
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace sinter {

static constexpr double functionBound = 16;

static double lastExtent(Value value, const EntryRun &run) {
  return static_cast<double>(run.get(value).shape().back());
}

/// Terms that each element of a structured op's result sums.
static double reductionSize(linalg::LinalgOp op, const EntryRun &run) {
  double size = 1;
  SmallVector<unsigned> dims;
  op.getReductionDims(dims);
  for (unsigned dim : dims) {
    SmallVector<std::pair<Value, unsigned>> places;
    op.mapIterationSpaceDimToAllOperandDims(dim, places);
    if (!places.empty() && run.has(places.front().first))
      size *= static_cast<double>(
          run.get(places.front().first).dim(places.front().second));
  }
  return size;
}

static ErrorBound errorBound(Operation *op, const EntryRun &run) {
  return llvm::TypeSwitch<Operation *, ErrorBound>(op)
      .Case([&](LinearOp op) -> ErrorBound {
        return {lastExtent(op.getInput(), run) + 2, 1};
      })
      .Case([&](MatmulOp op) -> ErrorBound {
        Value lhs = op.getLhs();
        const Tensor &tensor = run.get(lhs);
        int64_t dim = tensor.rank() - (op.getTransposeLhs() ? 2 : 1);
        return {static_cast<double>(tensor.dim(dim)) + 2, 1};
      })
      .Case([&](SoftmaxOp op) -> ErrorBound {
        return {2, lastExtent(op.getInput(), run) + functionBound};
      })
      .Case([&](LogSoftmaxOp op) -> ErrorBound {
        return {2, 2, lastExtent(op.getInput(), run) + functionBound};
      })
      .Case([&](LayerNormOp op) -> ErrorBound {
        return {lastExtent(op.getInput(), run) + 4, 8};
      })
      .Case([&](RmsNormOp op) -> ErrorBound {
        return {2, lastExtent(op.getInput(), run) + 8};
      })
      // x (1 + erf x): where erf x is near -1, its error is one of x.
      .Case([&](GeluOp) -> ErrorBound { return {2, 0, 0, functionBound}; })
      // An argument that is rounded before the function.
      .Case([&](QuickGeluOp) -> ErrorBound { return {2, 0}; })
      // alpha x + beta, which may cancel.
      .Case<HardSigmoidOp, HardSwishOp>(
          [&](Operation *) -> ErrorBound { return {4, 0}; })
      .Case([&](RopeOp) -> ErrorBound { return {4, 2}; })
      .Case([&](SinusoidalPositionsOp) -> ErrorBound { return {0, 2, 2}; })
      // The cells err by themselves where they compute.
      .Case<RnnOp, GruOp, LstmOp, RnnCellOp, GruCellOp, LstmCellOp>(
          [&](auto op) -> ErrorBound {
            auto hidden = cast<RankedTensorType>(op->getResult(0).getType());
            auto units = static_cast<double>(hidden.getShape().back());
            return {lastExtent(op.getInput(), run) + units + functionBound,
                    functionBound};
          })
      .Case([&](linalg::LinalgOp op) -> ErrorBound {
        return {reductionSize(op, run) + 2, functionBound};
      })
      .Default(ErrorBound());
}

LogicalResult runWithNoise(Operation *op, EntryRun &run,
                           llvm::function_ref<LogicalResult()> body) {
  ErrorBound bound = errorBound(op, run);
  SmallVector<std::pair<Value, SharedTensor>> exact;
  for (Value operand : op->getOperands()) {
    bool isRepeated = llvm::any_of(
        exact, [&](const auto &entry) { return entry.first == operand; });
    if (isRepeated || bound.operands == 0 || !run.get(operand).isFloat())
      continue;
    exact.emplace_back(operand, run.share(operand));
    run.define(operand, run.noise->disturb(run.get(operand), bound.operands));
  }
  LogicalResult status = body();
  for (auto &[operand, tensor] : exact)
    run.define(operand, tensor);
  if (failed(status))
    return status;
  if (bound.input != 0)
    run.define(op->getResult(0),
               run.noise->disturb(run.get(op->getResult(0)), bound.input,
                                  run.get(op->getOperand(0))));
  if (bound.result == 0 && bound.absolute == 0)
    return success();
  for (Value result : op->getResults())
    run.define(result, run.noise->disturb(run.get(result), bound.result,
                                          bound.absolute));
  return success();
}

} // namespace sinter
