//===- VisitSkeleton.h - What a kernel holds --------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOHOST_VISITSKELETON_H
#define SINTER_CONVERSION_FUSEDTOHOST_VISITSKELETON_H

#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sinter::host {

/// Calls `visit`, which takes every skeleton that kernels are made of, with
/// `op` as the one it is. Any other is a located error; `where` is "a CPU" or
/// its like.
template <typename Visit>
mlir::LogicalResult visitSkeleton(mlir::Operation *op, llvm::StringRef where,
                                  Visit visit) {
  return llvm::TypeSwitch<mlir::Operation *, mlir::LogicalResult>(op)
      .template Case<fused::AttentionOp, fused::ContractOp, fused::MapOp,
                     fused::NormalizeOp, fused::RecurrenceOp,
                     mlir::linalg::GenericOp>(visit)
      .Default([&](mlir::Operation *other) {
        return other->emitError("is not a skeleton that runs on ") << where;
      });
}

} // namespace sinter::host

#endif // SINTER_CONVERSION_FUSEDTOHOST_VISITSKELETON_H
