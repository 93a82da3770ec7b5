//===- AttentionAdditive.cpp - additive attention -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace mlir;
using namespace sinter;

using Adaptor = AdditiveAttentionOp::Adaptor;

/// Checks query, key, value and vector.
static LogicalResult checkOperands(Adaptor adaptor, const ShapeCheck &check) {
  // additive_attention_c1
  RankedTensorType query = check.tensor(adaptor.getQuery(), "query", 2, 3);
  if (!query)
    return failure();
  int64_t size = query.getShape().back();
  if (size < 1)
    return check.error("expects a constant size of the query, at least 1");
  // additive_attention_c2
  RankedTensorType key = check.tensor(adaptor.getKey(), "key", 3, 3);
  RankedTensorType value = check.tensor(adaptor.getValue(), "value", 3, 3);
  if (!key || !value)
    return failure();
  if (value.getDimSize(2) < 1)
    return check.error("expects a constant size of the value, at least 1");
  if (failed(check.same(query.getDimSize(0), key.getDimSize(0),
                        "the batch of key")) ||
      failed(check.same(key.getDimSize(0), value.getDimSize(0),
                        "the batch of value")) ||
      failed(check.same(key.getDimSize(1), value.getDimSize(1),
                        "the time of value")) ||
      failed(check.same(size, key.getDimSize(2), "the key size")))
    return failure();
  // additive_attention_c3
  RankedTensorType vector = check.tensor(adaptor.getVector(), "vector", 1, 1);
  return failure(!vector || failed(check.same(size, vector.getDimSize(0),
                                              "the size of vector")));
}

/// Checks lengths and mask; `weights` is the shape of all weights.
static LogicalResult checkMasks(Adaptor adaptor, const ShapeCheck &check,
                                ArrayRef<Extent> weights) {
  // additive_attention_c4
  if (adaptor.getLengths()) {
    RankedTensorType type = check.tensor(adaptor.getLengths(), "lengths", 1, 1);
    if (!type || failed(check.same(weights.front().size, type.getDimSize(0),
                                   "the size of lengths")))
      return failure();
  }
  // additive_attention_c5
  if (!adaptor.getDenseMask())
    return success();
  int64_t rank = weights.size();
  RankedTensorType mask =
      check.tensor(adaptor.getDenseMask(), "mask", rank, rank);
  if (!mask)
    return failure();
  for (int64_t dim = 0; dim < rank; ++dim)
    if (mask.getDimSize(dim) != 1 &&
        failed(check.same(weights[dim].size, mask.getDimSize(dim),
                          "dimension " + Twine(dim) + " of mask")))
      return failure();
  return success();
}

LogicalResult
AdditiveAttentionOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                  SmallVectorImpl<ResultShape> &results) {
  if (failed(checkOperands(adaptor, check)))
    return failure();
  Type element = getElementTypeOrSelf(adaptor.getQuery().getType());
  SmallVector<Extent> result = extentsOf(adaptor.getQuery());
  result.front() =
      merge(result.front(), merge(extentOf(adaptor.getKey(), 0),
                                  extentOf(adaptor.getValue(), 0)));
  SmallVector<Extent> weights = result;
  weights.back() =
      merge(extentOf(adaptor.getKey(), 1), extentOf(adaptor.getValue(), 1));
  if (failed(checkMasks(adaptor, check, weights)))
    return failure();
  result.back() = extentOf(adaptor.getValue(), 2);
  results.push_back({result, element});
  if (adaptor.getWithWeights())
    results.push_back({weights, element});
  return success();
}
