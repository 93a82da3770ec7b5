//===- AttentionAccess.cpp - How attention reads its operands -------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Analysis/AttentionAccess.h"

#include <numeric>

using namespace mlir;
using namespace sinter;

bool sinter::isDimension(AffineExpr expr, unsigned dim) {
  auto position = dyn_cast<AffineDimExpr>(expr);
  return position && position.getPosition() == dim;
}

bool sinter::hasKeyPanels(fused::AttentionOp op) {
  fused::LayoutAttr layout = fused::getLayout(op.getKey().getType());
  auto indexOf = [&](unsigned dim) {
    return op.getKeyMap().getResultPosition(
        getAffineDimExpr(dim, op.getContext()));
  };
  std::optional<unsigned> key = indexOf(DimK), size = indexOf(DimD);
  return layout && key && size && layout.isPanels(*key, *size);
}

/// Consecutive query heads for which `map` gives the same place; 0: all.
static int64_t headsSharing(AffineMap map) {
  int64_t sharing = 0;
  for (AffineExpr expr : map.getResults()) {
    if (!expr.isFunctionOfDim(DimH))
      continue;
    auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
    bool grouped = quotient && expr.getKind() == AffineExprKind::FloorDiv &&
                   isDimension(quotient.getLHS(), DimH);
    sharing = std::gcd(
        sharing,
        grouped ? cast<AffineConstantExpr>(quotient.getRHS()).getValue() : 1);
  }
  return sharing;
}

int64_t sinter::headsPerKeyHead(fused::AttentionOp op, int64_t heads) {
  if (ShapedType::isDynamic(heads) || heads == 0)
    return 1;
  return std::gcd(heads, std::gcd(headsSharing(op.getKeyMap()),
                                  headsSharing(op.getValueMap())));
}

int64_t sinter::divisorUpTo(std::optional<int64_t> block, int64_t unit,
                            int64_t limit, int64_t otherwise) {
  for (int64_t size = limit / unit * unit; block && size > 0; size -= unit)
    if (*block % size == 0)
      return size;
  return otherwise;
}
