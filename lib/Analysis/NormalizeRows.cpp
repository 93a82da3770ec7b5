//===- NormalizeRows.cpp - How often a row is read ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Analysis/NormalizeRows.h"

using namespace mlir;
using namespace sinter;

unsigned sinter::getPassEnd(fused::NormalizeOp op, unsigned first) {
  unsigned last = first + 1;
  for (; last < op.getReductions().size(); ++last) {
    // A reduction's last arguments are the results of those before it.
    Block &block = op.getReduces()[last].front();
    auto earlier = block.getArguments().take_back(last).drop_front(first);
    if (!llvm::all_of(earlier, [](Value value) { return value.use_empty(); }))
      break;
  }
  return last;
}

bool sinter::isStatisticsOnly(fused::NormalizeOp op) {
  unsigned inner = op.getDims().size() - 1;
  return llvm::none_of(
      op.getStoreMaps().getAsRange<AffineMapAttr>(),
      [&](AffineMapAttr map) { return map.getValue().isFunctionOfDim(inner); });
}
