//===- LengthsClause.cpp - lengths(...) of any op -------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;

std::optional<LengthsClause> sinter::getLengthsClause(Operation *op) {
  using Clause = std::optional<LengthsClause>;
  return llvm::TypeSwitch<Operation *, Clause>(op)
      .Case<AttentionOp, AdditiveAttentionOp, FillOp>(
          [](auto op) { return LengthsClause{op.getLengths(), op.getKey()}; })
      .Case<LastOp, RopeOp>(
          [](auto op) { return LengthsClause{op.getLengths(), op.getInput()}; })
      .Case<RnnOp, GruOp, LstmOp>([](auto op) {
        return LengthsClause{op.getLengths(), op.getInput(), op.getTimeMajor()};
      })
      .Case<ScanOp>([](auto op) {
        return LengthsClause{op.getLengths(), op.getSequences().front()};
      })
      .Default(Clause());
}
