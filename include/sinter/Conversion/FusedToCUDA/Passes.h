//===- Passes.h - From kernels to CUDA C++ ----------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCUDA_PASSES_H
#define SINTER_CONVERSION_FUSEDTOCUDA_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sinter {

#define GEN_PASS_DECL
#include "sinter/Conversion/FusedToCUDA/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sinter/Conversion/FusedToCUDA/Passes.h.inc"

} // namespace sinter

#endif // SINTER_CONVERSION_FUSEDTOCUDA_PASSES_H
