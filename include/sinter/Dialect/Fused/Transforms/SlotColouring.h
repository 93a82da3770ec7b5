//===- SlotColouring.h - Values into arena slots ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_TRANSFORMS_SLOTCOLOURING_H
#define SINTER_DIALECT_FUSED_TRANSFORMS_SLOTCOLOURING_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace sinter::fused {

/// When a value is alive, in numbers of ops, both ends included, and its size.
struct LiveInterval {
  int64_t first = 0;
  int64_t last = 0;
  mlir::AffineExpr bytes;
};

/// A colouring: the slot of each interval, and per slot the distinct sizes of
/// its values (the slot is as large as the largest of them).
struct SlotColouring {
  llvm::SmallVector<int64_t> slotOf;
  llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>> sizes;
};

/// Linear scan over intervals sorted by `first`. Sizes are symbolic, so slots
/// can't be ordered by them: a free slot that has held the same size is taken
/// first, then the free slot freed last, then a new one.
SlotColouring colourSlots(llvm::ArrayRef<LiveInterval> intervals);

} // namespace sinter::fused

#endif // SINTER_DIALECT_FUSED_TRANSFORMS_SLOTCOLOURING_H
