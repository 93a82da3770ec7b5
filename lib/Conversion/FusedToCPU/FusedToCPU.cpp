//===- FusedToCPU.cpp - Kernels and entries become CPU functions ----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Generic.h"
#include "sinter/Conversion/FusedToCPU/KernelLowering.h"
#include "sinter/Conversion/FusedToCPU/Passes.h"
#include "sinter/Conversion/FusedToHost/HostLowering.h"
#include "sinter/Conversion/FusedToHost/VisitSkeleton.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

namespace sinter {
#define GEN_PASS_DEF_CONVERTFUSEDTOCPU
#define GEN_PASS_DEF_FINISHCPUKERNELS
#include "sinter/Conversion/FusedToCPU/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

static LogicalResult lowerKernel(fused::KernelOp kernel,
                                 const TargetInfo &target) {
  if (failed(host::checkKernel(kernel, "a CPU")))
    return failure();
  cpu::KernelLowering lowering(kernel, target);
  if (failed(host::visitSkeleton(lowering.getSkeleton(), "a CPU", [&](auto op) {
        return cpu::lowerSkeleton(lowering, op);
      })))
    return failure();
  lowering.finish();
  return success();
}

namespace {
struct ConvertFusedToCPUPass
    : sinter::impl::ConvertFusedToCPUBase<ConvertFusedToCPUPass> {
  using ConvertFusedToCPUBase::ConvertFusedToCPUBase;
  explicit ConvertFusedToCPUPass(const TargetInfo &target) : given(target) {}

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<TargetInfo> target = given ? given : TargetInfo::get(cpu);
    if (!target) {
      module.emitError("unknown CPU '")
          << cpu << "'; known are " << llvm::join(TargetInfo::names(), ", ");
      return signalPassFailure();
    }
    auto lower = [&](fused::KernelOp kernel) {
      return lowerKernel(kernel, *target);
    };
    if (failed(host::lowerModule(module, host::Notice::Slot, lower)))
      signalPassFailure();
  }

private:
  std::optional<TargetInfo> given;
};

struct FinishCPUKernelsPass
    : sinter::impl::FinishCPUKernelsBase<FinishCPUKernelsPass> {
  void runOnOperation() override {
    getOperation().walk([](LLVM::BrOp branch) {
      auto annotation = branch->getAttrOfType<LLVM::LoopAnnotationAttr>(
          "llvm.loop_annotation");
      if (!annotation)
        return;
      branch->removeAttr("llvm.loop_annotation");
      branch.setLoopAnnotationAttr(annotation);
    });
  }
};
} // namespace

std::unique_ptr<Pass>
sinter::createConvertFusedToCPU(const TargetInfo &target) {
  return std::make_unique<ConvertFusedToCPUPass>(target);
}

void sinter::buildCPUKernelsToLLVM(OpPassManager &pm) {
  // Function by function: they are many, and alike in cost.
  OpPassManager &functions = pm.nest<LLVM::LLVMFuncOp>();
  functions.addPass(createCanonicalizerPass());
  functions.addPass(createCSEPass());
  functions.addPass(createSCFToControlFlowPass());
  functions.addPass(createConvertVectorToLLVMPass());
  functions.addPass(createArithToLLVMConversionPass());
  // The branches' pass looks for functions below its operation.
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createFinishCPUKernels());
}

void sinter::registerCPUKernelsToLLVM() {
  PassPipelineRegistration<>(
      "cpu-kernels-to-llvm",
      "Lower CPU kernels and entries to the LLVM dialect",
      buildCPUKernelsToLLVM);
}
