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
#include "llvm/ADT/TypeSwitch.h"

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
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(lowering.getSkeleton())
          .Case([&](fused::ContractOp op) {
            return cpu::lowerContract(lowering, op);
          })
          .Case([&](fused::AttentionOp op) {
            return cpu::lowerAttention(lowering, op);
          })
          .Case([&](fused::NormalizeOp op) {
            return cpu::lowerNormalize(lowering, op);
          })
          .Case([&](fused::RecurrenceOp op) {
            return cpu::lowerRecurrence(lowering, op);
          })
          .Case([&](fused::MapOp op) { return cpu::lowerMap(lowering, op); })
          .Case([&](linalg::GenericOp op) {
            return cpu::lowerGeneric(lowering, op);
          })
          .Default([](Operation *op) {
            return op->emitError("is not a skeleton that runs on a CPU");
          });
  if (succeeded(result))
    lowering.finish();
  return result;
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
    host::HostLowering entries(module, host::HostLowering::Notice::Slot);
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<fused::KernelOp>())) {
      if (failed(lowerKernel(kernel, *target)))
        return signalPassFailure();
      kernel.erase();
    }
    for (auto entry : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(entries.lower(entry)))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<fused::StorageOp, fused::PackedOp>(op))
        op.erase();
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
