//===- Pipelines.h - The ordered passes -------------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_PIPELINES_PIPELINES_H
#define SINTER_PIPELINES_PIPELINES_H

#include "sinter/Support/TargetInfo.h"

#include "mlir/Pass/PassManager.h"

namespace sinter {

/// A model as written -> one straight-line public function per entry, named
/// forms as regions, checks derived.
void addModelPasses(mlir::OpPassManager &manager);

/// Model operations -> fused ops on tensors.
void addFusionPasses(mlir::OpPassManager &manager);

/// Fused ops on tensors -> packed weights, one arena, launches of kernels.
void addKernelPasses(mlir::OpPassManager &manager);

/// Launches and kernels -> LLVM dialect, for one ISA level.
void addCPUPasses(mlir::OpPassManager &manager, const TargetInfo &target);

/// Launches and kernels -> LLVM dialect on the host, kernels as text for GPUs
/// (sinter/Conversion/FusedToCUDA/DeviceKernel.h).
void addCUDAPasses(mlir::OpPassManager &manager);

/// All of the above but the target's, in order, as one textual pipeline each
/// for sinter-opt:
/// `--sinter-model-pipeline`, `--sinter-fusion-pipeline`,
/// `--sinter-kernel-pipeline`.
void registerPipelines();

} // namespace sinter

#endif // SINTER_PIPELINES_PIPELINES_H
