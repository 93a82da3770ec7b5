//===- Generic.h - linalg.generic on a CPU ----------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_GENERIC_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_GENERIC_H

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace sinter::cpu {

/// Writes the functions of a kernel that is a plain loop nest. Failures are
/// located errors.
mlir::LogicalResult lowerSkeleton(KernelLowering &lowering,
                                  mlir::linalg::GenericOp op);

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_GENERIC_H
