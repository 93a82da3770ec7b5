//===- Pipelines.cpp - The ordered passes ---------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/Pipelines.h"
#include "sinter/Conversion/FusedToCPU/Passes.h"
#include "sinter/Conversion/FusedToCUDA/Passes.h"
#include "sinter/Conversion/SinterToFused/Passes.h"
#include "sinter/Dialect/Fused/Transforms/Passes.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace sinter;

void sinter::addModelPasses(OpPassManager &manager) {
  // Straight-line entries first: everything after sees absolute weight names
  // and one state per layer.
  manager.addPass(createSinterExpandEntries());
  manager.addPass(createSinterExpandLibrary());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createSinterCheckDimensions());
  // Needs the uses of arguments as model operations.
  manager.addPass(createSinterDeriveChecks());
}

void sinter::addFusionPasses(OpPassManager &manager) {
  manager.addPass(createSinterExpandRecurrence());
  manager.addPass(createConvertSinterToFused());
  // No CSE: it would merge the empty tensors that stand for destinations.
  manager.addPass(createCanonicalizerPass());
}

void sinter::addKernelPasses(OpPassManager &manager) {
  // Weights leave the entries before memory is planned, so they take none.
  manager.addPass(fused::createFusedPackWeights());
  manager.addPass(fused::createFusedPlanMemory());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(fused::createFusedOutlineKernels());
}

void sinter::addCPUPasses(OpPassManager &manager, const TargetInfo &target) {
  ConvertFusedToCPUOptions options;
  options.cpu = target.cpu;
  manager.addPass(createConvertFusedToCPU(options));
  buildCPUKernelsToLLVM(manager);
}

void sinter::addCUDAPasses(OpPassManager &manager) {
  manager.addPass(createConvertFusedToCUDA());
  buildCPUKernelsToLLVM(manager);
}

void sinter::registerPipelines() {
  PassPipelineRegistration<>("sinter-model-pipeline",
                             "a model as written to straight-line entries",
                             addModelPasses);
  PassPipelineRegistration<>("sinter-fusion-pipeline",
                             "model operations to fused ops on tensors",
                             addFusionPasses);
  PassPipelineRegistration<>("sinter-kernel-pipeline",
                             "fused ops to packed weights and launches",
                             addKernelPasses);
}
