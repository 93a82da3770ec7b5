//===- LayerOps.cpp - projections, norms, feed-forward --------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerShapes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

LogicalResult sinter::likeInput(Value input, const ShapeCheck &check,
                                Results &results, int64_t minRank) {
  RankedTensorType type = check.tensor(input, "input", minRank);
  if (!type)
    return failure();
  results.push_back({extentsOf(input), type.getElementType()});
  return success();
}

LogicalResult sinter::checkVector(Value vector, StringRef name, int64_t size,
                                  const ShapeCheck &check) {
  if (!vector)
    return success();
  RankedTensorType type = check.tensor(vector, name, 1, 1);
  if (!type)
    return failure();
  return check.same(size, type.getDimSize(0), "the size of " + name);
}

FailureOr<Matrix> sinter::matrixOf(Value weight, StringRef name, bool inOut,
                                   const ShapeCheck &check) {
  if (!check.tensor(weight, name, 2, 2))
    return failure();
  return Matrix{extentOf(weight, inOut ? 1 : 0),
                extentOf(weight, inOut ? 0 : 1)};
}

LogicalResult EmbeddingOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // embedding_c1, embedding_c2
  RankedTensorType indices = check.tensor(adaptor.getIndices(), "indices", 0);
  RankedTensorType table = check.tensor(adaptor.getTable(), "table", 2, 2);
  if (!indices || !table)
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getIndices());
  extents.push_back(extentOf(adaptor.getTable(), 1));
  results.push_back({extents, table.getElementType()});
  return success();
}

LogicalResult LinearOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                     Results &results) {
  // linear_c1, linear_c2
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 1);
  if (!input)
    return failure();
  FailureOr<Matrix> weight =
      matrixOf(adaptor.getWeight(), "weight", adaptor.getInOut(), check);
  if (failed(weight))
    return failure();
  // linear_c3
  if (failed(check.same(input.getShape().back(), weight->in.size,
                        "the weight's input size")))
    return failure();
  // linear_c4
  if (failed(checkVector(adaptor.getBias(), "bias", weight->out.size, check)))
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.back() = weight->out;
  results.push_back({extents, input.getElementType()});
  return success();
}

LogicalResult MatmulOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                     Results &results) {
  // matmul_c1
  RankedTensorType lhs = check.tensor(adaptor.getLhs(), "lhs", 2);
  RankedTensorType rhs = check.tensor(adaptor.getRhs(), "rhs", 2);
  if (!lhs || !rhs)
    return failure();
  SmallVector<Extent> a = extentsOf(adaptor.getLhs());
  SmallVector<Extent> b = extentsOf(adaptor.getRhs());
  if (adaptor.getTransposeLhs())
    std::swap(a[a.size() - 1], a[a.size() - 2]);
  if (adaptor.getTransposeRhs())
    std::swap(b[b.size() - 1], b[b.size() - 2]);
  // matmul_c2
  if (b.size() != 2 && a.size() != b.size())
    return check.error("expects rhs to be a matrix or to have the rank of lhs, "
                       "got '" +
                       Twine(b.size()) + "' and '" + Twine(a.size()) + "'");
  // matmul_c3
  if (failed(check.same(a.back().size, b[b.size() - 2].size,
                        "the inner size of rhs")))
    return failure();
  // matmul_c4
  for (size_t i = 0; b.size() != 2 && i + 2 < a.size(); ++i) {
    if (failed(check.same(a[i].size, b[i].size,
                          "batch dimension " + Twine(i) + " of rhs")))
      return failure();
    a[i] = merge(a[i], b[i]);
  }
  a.back() = b.back();
  results.push_back({a, lhs.getElementType()});
  return success();
}

LogicalResult SoftmaxOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // softmax_c1
  return likeInput(adaptor.getInput(), check, results, /*minRank=*/1);
}

LogicalResult LogSoftmaxOp::resultShapes(Adaptor adaptor,
                                         const ShapeCheck &check,
                                         Results &results) {
  // log_softmax_c1
  return likeInput(adaptor.getInput(), check, results, /*minRank=*/1);
}

/// Checks that `eps` is not negative.
static LogicalResult checkEps(FloatAttr eps, const ShapeCheck &check) {
  if (eps && eps.getValueAsDouble() >= 0.0)
    return success();
  return check.error("expects a non-negative eps");
}

LogicalResult LayerNormOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // layer_norm_c1
  if (failed(likeInput(adaptor.getInput(), check, results, /*minRank=*/1)))
    return failure();
  // layer_norm_c2, layer_norm_c3
  int64_t size = results.back().extents.back().size;
  if (failed(checkVector(adaptor.getGain(), "gain", size, check)) ||
      failed(checkVector(adaptor.getBias(), "bias", size, check)))
    return failure();
  // layer_norm_c5
  if (adaptor.getBias() && !adaptor.getGain())
    return check.error("expects a gain beside the bias");
  // layer_norm_c4
  return checkEps(adaptor.getEpsAttr(), check);
}

LogicalResult RmsNormOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // rms_norm_c1
  if (failed(likeInput(adaptor.getInput(), check, results, /*minRank=*/1)))
    return failure();
  // rms_norm_c2
  int64_t size = results.back().extents.back().size;
  if (failed(checkVector(adaptor.getGain(), "gain", size, check)))
    return failure();
  // rms_norm_c4
  if (adaptor.getUnitOffset() && !adaptor.getGain())
    return check.error("expects a gain beside 'unit_offset'");
  // rms_norm_c3
  return checkEps(adaptor.getEpsAttr(), check);
}

LogicalResult DropoutOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                      Results &results) {
  // dropout_c1
  double rate = adaptor.getRate().convertToDouble();
  if (!(rate >= 0.0 && rate < 1.0))
    return check.error("expects a rate of at least 0 and below 1");
  return likeInput(adaptor.getInput(), check, results);
}

OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getInput().getType() == getType() ? getInput() : OpFoldResult();
}
