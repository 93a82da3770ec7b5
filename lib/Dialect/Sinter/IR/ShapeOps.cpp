//===- ShapeOps.cpp - moving data between shapes
//------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace sinter;

using Results = SmallVectorImpl<ResultShape>;

LogicalResult SplitOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                    Results &results) {
  // split_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 1);
  if (!input)
    return failure();
  // split_c2
  int64_t sum = 0;
  for (int64_t size : adaptor.getSizes()) {
    if (size < 0)
      return check.error("expects sizes of at least 0, got '" + Twine(size) +
                         "'");
    sum += size;
  }
  // split_c3
  if (sum != input.getShape().back())
    return check.error("expects sizes that add up to the last dimension '" +
                       Twine(input.getShape().back()) + "', got '" +
                       Twine(sum) + "'");
  for (int64_t size : adaptor.getSizes()) {
    SmallVector<Extent> extents = extentsOf(adaptor.getInput());
    extents.back() = Extent::constant(size);
    results.push_back({extents, input.getElementType()});
  }
  return success();
}

/// [B, T, rest...] without T; `rows`, if there, is [B].
static LogicalResult dropTime(Value input, Value rows, StringRef name,
                              const ShapeCheck &check, Results &results) {
  RankedTensorType type = check.tensor(input, "input", 2);
  if (!type)
    return failure();
  SmallVector<Extent> extents = extentsOf(input);
  extents.erase(extents.begin() + 1);
  if (rows) {
    RankedTensorType rowsType = check.tensor(rows, name, 1, 1);
    if (!rowsType ||
        failed(check.same(type.getDimSize(0), rowsType.getDimSize(0),
                          "the size of " + name)))
      return failure();
    extents.front() = merge(extents.front(), extentOf(rows, 0));
  }
  results.push_back({extents, type.getElementType()});
  return success();
}

LogicalResult LastOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  // last_c1, last_c2
  return dropTime(adaptor.getInput(), adaptor.getLengths(), "lengths", check,
                  results);
}

LogicalResult TakeOp::resultShapes(Adaptor adaptor, const ShapeCheck &check,
                                   Results &results) {
  // take_c1, take_c2
  return dropTime(adaptor.getInput(), adaptor.getAt(), "at", check, results);
}

LogicalResult BroadcastOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  // broadcast_c1
  RankedTensorType like = check.tensor(adaptor.getLike(), "like", 0);
  if (!like)
    return failure();
  SmallVector<Extent> extents = extentsOf(adaptor.getLike());
  auto input = dyn_cast<RankedTensorType>(adaptor.getInput().getType());
  if (!input) {
    results.push_back({extents, adaptor.getInput().getType()});
    return success();
  }
  // broadcast_c2
  int64_t missing = like.getRank() - input.getRank();
  if (missing < 0)
    return check.error("expects at most the rank '" + Twine(like.getRank()) +
                       "' of like, got '" + Twine(input.getRank()) + "'");
  // broadcast_c3
  for (auto [dim, size] : llvm::enumerate(input.getShape()))
    if (size != 1 &&
        failed(check.same(extents[missing + dim].size, size,
                          "dimension " + Twine(dim) + " of input")))
      return failure();
  results.push_back({extents, input.getElementType()});
  return success();
}

LogicalResult TransposeOp::resultShapes(Adaptor adaptor,
                                        const ShapeCheck &check,
                                        Results &results) {
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 0);
  if (!input)
    return failure();
  // transpose_c1
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  SmallVector<bool> seen(input.getRank(), false);
  bool valid = static_cast<int64_t>(permutation.size()) == input.getRank();
  for (int64_t dim : permutation) {
    valid = valid && dim >= 0 && dim < input.getRank() && !seen[dim];
    if (!valid)
      break;
    seen[dim] = true;
  }
  if (!valid)
    return check.error("expects a permutation of the '" +
                       Twine(input.getRank()) + "' dimensions");
  SmallVector<Extent> extents;
  for (int64_t dim : permutation)
    extents.push_back(extentOf(adaptor.getInput(), dim));
  results.push_back({extents, input.getElementType()});
  return success();
}

LogicalResult SplitHeadsOp::resultShapes(Adaptor adaptor,
                                         const ShapeCheck &check,
                                         Results &results) {
  // split_heads_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 1);
  if (!input)
    return failure();
  // split_heads_c2
  int64_t sum = 0;
  for (int64_t heads : adaptor.getHeads()) {
    if (heads < 1)
      return check.error("expects head counts of at least 1, got '" +
                         Twine(heads) + "'");
    sum += heads;
  }
  if (sum == 0)
    return check.error("expects at least one head count");
  // split_heads_c3
  int64_t size = input.getShape().back();
  if (ShapedType::isDynamic(size) || size % sum != 0)
    return check.error("expects the last dimension '" + Twine(size) +
                       "' to be a multiple of the '" + Twine(sum) + "' heads");
  for (int64_t heads : adaptor.getHeads()) {
    SmallVector<Extent> extents = extentsOf(adaptor.getInput());
    extents.back() = Extent::constant(heads);
    extents.push_back(Extent::constant(size / sum));
    results.push_back({extents, input.getElementType()});
  }
  return success();
}

LogicalResult MergeHeadsOp::resultShapes(Adaptor adaptor,
                                         const ShapeCheck &check,
                                         Results &results) {
  // merge_heads_c1
  RankedTensorType input = check.tensor(adaptor.getInput(), "input", 2);
  if (!input)
    return failure();
  // merge_heads_c2
  int64_t heads = input.getDimSize(input.getRank() - 2);
  int64_t size = input.getDimSize(input.getRank() - 1);
  if (ShapedType::isDynamic(heads) || ShapedType::isDynamic(size))
    return check.error("expects constant heads and head size");
  SmallVector<Extent> extents = extentsOf(adaptor.getInput());
  extents.pop_back();
  extents.back() = Extent::constant(heads * size);
  results.push_back({extents, input.getElementType()});
  return success();
}
