//===- AffinePoint.h - Affine expressions at a point ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_AFFINEPOINT_H
#define SINTER_REFERENCE_AFFINEPOINT_H

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"

namespace sinter {

/// The value of `expr`, which has no symbols, at a point of the loops; much
/// cheaper than folding attributes.
int64_t evaluateAt(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> point);

} // namespace sinter

#endif // SINTER_REFERENCE_AFFINEPOINT_H
