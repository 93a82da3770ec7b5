//===- FusedGeneric.h - linalg.generic as a loop nest -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_FUSED_IR_FUSEDGENERIC_H
#define SINTER_LIB_DIALECT_FUSED_IR_FUSEDGENERIC_H

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace sinter::fused::detail {

/// Makes linalg.generic a skeleton: a plain loop nest, for what has no other.
void attachGenericSkeleton(mlir::MLIRContext *context);

} // namespace sinter::fused::detail

#endif // SINTER_LIB_DIALECT_FUSED_IR_FUSEDGENERIC_H
