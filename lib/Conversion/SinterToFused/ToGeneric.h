//===- ToGeneric.h - Upstream structured ops --------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_TOGENERIC_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_TOGENERIC_H

#include "EntryLowering.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace sinter {

/// Turns named structured ops of the entry into `linalg.generic`.
void generalizeStructuredOps(mlir::func::FuncOp entry);

Lowered lowerPad(EntryLowering &lowering, mlir::tensor::PadOp op);
Lowered lowerGenerate(EntryLowering &lowering, mlir::tensor::GenerateOp op);
/// A map, or, with a reduction, a loop nest of its own.
Lowered lowerStructured(EntryLowering &lowering, mlir::linalg::LinalgOp op);

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_TOGENERIC_H
