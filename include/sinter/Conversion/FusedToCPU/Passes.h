//===- Passes.h - From kernels to CPU code ----------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_PASSES_H
#define SINTER_CONVERSION_FUSEDTOCPU_PASSES_H

#include "sinter/Support/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace sinter {

#define GEN_PASS_DECL
#include "sinter/Conversion/FusedToCPU/Passes.h.inc"

/// The pass for a level that has no name, such as the host's.
std::unique_ptr<mlir::Pass> createConvertFusedToCPU(const TargetInfo &target);

/// From what `--convert-fused-to-cpu` leaves to the LLVM dialect alone.
void buildCPUKernelsToLLVM(mlir::OpPassManager &pm);

/// Registers the pipeline above as `--cpu-kernels-to-llvm`.
void registerCPUKernelsToLLVM();

#define GEN_PASS_REGISTRATION
#include "sinter/Conversion/FusedToCPU/Passes.h.inc"

} // namespace sinter

#endif // SINTER_CONVERSION_FUSEDTOCPU_PASSES_H
