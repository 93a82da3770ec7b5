//===- ContractAccess.cpp - How a contract reads --------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Analysis/ContractAccess.h"

using namespace mlir;
using namespace sinter;

bool sinter::isInputContiguous(fused::ContractOp op) {
  AffineMap map = op.getInputMap();
  auto type = cast<ShapedType>(op.getInput().getType());
  if (fused::getLayout(type) || map.getNumResults() == 0)
    return false;
  unsigned depth = op.getDims().size() - 1;
  AffineExpr k = getAffineDimExpr(depth, op.getContext());
  AffineExpr last = map.getResults().back();
  unsigned users = llvm::count_if(map.getResults(), [&](AffineExpr expr) {
    return expr.isFunctionOfDim(depth);
  });
  if (users == 1)
    return last == k;
  // (k floordiv s, k mod s) with the static size s.
  if (users != 2)
    return false;
  int64_t size = type.getShape().back();
  return !ShapedType::isDynamic(size) && last == k % size &&
         map.getResult(map.getNumResults() - 2) == k.floorDiv(size);
}
