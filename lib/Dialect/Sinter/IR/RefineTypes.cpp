//===- RefineTypes.cpp - result types after operands changed
//------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace sinter;

/// The result types of `op` for its present operands; fails after an error.
/// Empty if `op` says nothing about them.
static LogicalResult inferTypes(Operation *op, SmallVectorImpl<Type> &types) {
  if (auto attention = dyn_cast<AttentionOp>(op)) {
    ShapeCheck check(op->getLoc(), AttentionOp::getOperationName());
    FailureOr<ResultShape> shape = AttentionOp::resultShape(
        attention.getQuery(), attention.getKey(), attention.getValue(),
        attention.getType(), check);
    if (failed(shape))
      return failure();
    types.push_back(shape->getType());
    if (attention.getLse())
      types.push_back(AttentionOp::lseShape(*shape).getType());
    for (Value extra :
         {Value(attention.getScores()), Value(attention.getWeights())})
      if (extra)
        types.push_back(
            AttentionOp::scoresShape(*shape, attention.getKey()).getType());
    return success();
  }
  if (auto sinusoidal = dyn_cast<SinusoidalPositionsOp>(op)) {
    SmallVector<int64_t> shape(sinusoidal.getPositions().getType().getShape());
    shape.push_back(sinusoidal.getType().getShape().back());
    types.push_back(sinusoidal.getType().clone(shape));
    return success();
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    types.push_back(tensor::ConcatOp::inferResultType(
        concat.getDim(), concat->getOperandTypes()));
    return success();
  }
  if (auto infer = dyn_cast<InferTypeOpInterface>(op))
    return infer.inferReturnTypes(op->getContext(), op->getLoc(),
                                  op->getOperands(), op->getAttrDictionary(),
                                  op->getPropertiesStorage(), op->getRegions(),
                                  types);
  return success();
}

LogicalResult sinter::refineResultTypes(Operation *op) {
  if (auto scan = dyn_cast<ScanOp>(op)) {
    scan.refineTypes();
    return success();
  }
  SmallVector<Type> types;
  if (failed(inferTypes(op, types)))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), types))
    result.setType(type);
  return success();
}
