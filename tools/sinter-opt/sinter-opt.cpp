//===- sinter-opt.cpp - run passes on a module ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/Passes.h"
#include "sinter/Conversion/FusedToCUDA/Passes.h"
#include "sinter/Conversion/SinterToFused/Passes.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Passes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"
#include "sinter/Pipelines/Pipelines.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<sinter::SinterDialect, sinter::fused::FusedDialect,
                  mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::LLVM::LLVMDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect, mlir::vector::VectorDialect>();
  sinter::registerSinterPasses();
  sinter::registerSinterToFusedPasses();
  sinter::fused::registerFusedPasses();
  sinter::registerFusedToCPUPasses();
  sinter::registerFusedToCUDAPasses();
  sinter::registerCPUKernelsToLLVM();
  sinter::registerPipelines();
  mlir::registerTransformsPasses();
  mlir::registerPass([] {
    return mlir::memref::createResolveRankedShapeTypeResultDimsPass();
  });
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Sinter optimizer driver\n", registry));
}
