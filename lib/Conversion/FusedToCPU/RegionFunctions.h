//===- RegionFunctions.h - Ops of a region that are functions ---*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_REGIONFUNCTIONS_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_REGIONFUNCTIONS_H

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

namespace sinter::cpu {

/// Emits a scalar op on operands of one shape, numbers or vectors, without a
/// library and without a trap. Null where the op is none of those that need
/// more than an instruction of the same name.
mlir::Value emitFunction(KernelBuilder &k, mlir::Operation &op,
                         llvm::ArrayRef<mlir::Value> operands);

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_REGIONFUNCTIONS_H
