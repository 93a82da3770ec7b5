//===- PackMatrices.cpp - Weights as kernels read them --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps over weights alone, which the packer evaluates. Each only moves numbers,
// which it does without going through a region.
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"

using namespace mlir;
using namespace sinter;

Value EntryLowering::panels(Value weight, bool isInOut, int64_t first,
                            int64_t count) {
  for (const Panels &made : allPanels)
    if (made.weight == weight && made.isInOut == isInOut &&
        made.first == first && made.count == count)
      return made.result;
  MLIRContext *context = builder.getContext();
  auto type = cast<RankedTensorType>(weight.getType());
  int64_t rows = type.getDimSize(isInOut ? 0 : 1);
  int64_t columns = count < 0 ? type.getDimSize(isInOut ? 1 : 0) : count;
  AffineExpr k = getAffineDimExpr(0, context), n = getAffineDimExpr(1, context);
  auto layout = fused::LayoutAttr::get(
      context, AffineMap::get(2, 0, {n.floorDiv(16), k, n % 16}, context));
  auto packed =
      RankedTensorType::get({rows, columns}, type.getElementType(), layout);
  fused::MapSpec spec;
  spec.space = {{"k", "n"}, {ShapedType::kDynamic, columns}};
  AffineExpr column = n + first;
  SmallVector<AffineExpr> at = {isInOut ? k : column, isInOut ? column : k};
  spec.inputs.push_back({weight, AffineMap::get(2, 0, at, context)});
  spec.destinations.add(
      empty(packed, {constantIndex(rows), constantIndex(columns)}),
      identityMap(context, 2));
  spec.body = passThrough;
  Value result = fused::buildMap(builder, weight.getLoc(), spec).getResult(0);
  allPanels.push_back({weight, isInOut, first, count, result});
  return result;
}

/// Matrices that a map can take at once: from one weight, at equal distances.
static size_t runLength(ArrayRef<StoredMatrix> matrices) {
  size_t length = 1;
  for (; length < matrices.size(); ++length) {
    StoredMatrix expected = matrices[0];
    int64_t distance = matrices[1].first - matrices[0].first;
    if (distance <= 0)
      break;
    expected.first += static_cast<int64_t>(length) * distance;
    if (!(matrices[length] == expected))
      break;
  }
  return length;
}

/// Stores the matrices of `run` as number `number` and on of the stack.
Value EntryLowering::fillStack(Value destination, ArrayRef<StoredMatrix> run,
                               int64_t number) {
  MLIRContext *context = builder.getContext();
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(destination.getType()).getShape();
  AffineExpr g = getAffineDimExpr(0, context), k = getAffineDimExpr(1, context),
             n = getAffineDimExpr(2, context);
  int64_t distance = run.size() > 1 ? run[1].first - run[0].first : 0;
  AffineExpr column = n + (g * distance + run[0].first);
  SmallVector<AffineExpr> from = {column, k};
  if (run[0].isInOut)
    std::swap(from[0], from[1]);
  SmallVector<AffineExpr> to = {g + number, k, n};
  fused::MapSpec spec;
  spec.space = {{"g", "k", "n"},
                {static_cast<int64_t>(run.size()), shape[1], shape[2]}};
  spec.inputs.push_back({run[0].weight, AffineMap::get(3, 0, from, context)});
  spec.destinations.add(destination, AffineMap::get(3, 0, to, context));
  spec.body = passThrough;
  return fused::buildMap(builder, run[0].weight.getLoc(), spec).getResult(0);
}

Value EntryLowering::stack(ArrayRef<StoredMatrix> matrices, int64_t units) {
  if (matrices.size() == 1)
    return panels(matrices[0].weight, matrices[0].isInOut, matrices[0].first,
                  units);
  for (const Stack &made : allStacks)
    if (made.units == units && ArrayRef(made.matrices) == matrices)
      return made.result;
  MLIRContext *context = builder.getContext();
  auto weight = cast<RankedTensorType>(matrices[0].weight.getType());
  int64_t rows = weight.getDimSize(matrices[0].isInOut ? 0 : 1);
  AffineExpr g = getAffineDimExpr(0, context), k = getAffineDimExpr(1, context),
             n = getAffineDimExpr(2, context);
  auto layout = fused::LayoutAttr::get(
      context, AffineMap::get(3, 0, {n.floorDiv(16), k, g, n % 16}, context));
  SmallVector<int64_t> shape = {static_cast<int64_t>(matrices.size()), rows,
                                units};
  Value result = tensor::EmptyOp::create(
      builder, entry.getLoc(),
      RankedTensorType::get(shape, weight.getElementType(), layout),
      ValueRange());
  int64_t number = 0;
  for (ArrayRef<StoredMatrix> rest = matrices; !rest.empty();) {
    size_t length = runLength(rest);
    result = fillStack(result, rest.take_front(length), number);
    number += static_cast<int64_t>(length);
    rest = rest.drop_front(length);
  }
  allStacks.push_back({SmallVector<StoredMatrix>(matrices), units, result});
  return result;
}
