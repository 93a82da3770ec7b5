//===- Positions.h - what positions an index is -----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_POSITIONS_H
#define SINTER_DIALECT_SINTER_IR_POSITIONS_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// Positions and what is added to them, the op's own offset included.
struct OffsetPositions {
  PositionsOp op;
  int64_t offset = 0;
};

/// What `indices` are if they are positions, perhaps plus constants and as
/// another type of integers; no op otherwise.
OffsetPositions traceOffsetPositions(mlir::Value indices);

} // namespace sinter

#endif // SINTER_DIALECT_SINTER_IR_POSITIONS_H
