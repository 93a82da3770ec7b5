//===- Translate.cpp - from the LLVM dialect to LLVM IR -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Operation.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sinter/Target/Object/Object.h"
#include "llvm/IR/Module.h"

using namespace sinter::package;

std::unique_ptr<llvm::Module>
sinter::package::translateToLLVM(mlir::Operation *module,
                                 llvm::LLVMContext &context) {
  mlir::registerBuiltinDialectTranslation(*module->getContext());
  mlir::registerLLVMDialectTranslation(*module->getContext());
  return mlir::translateModuleToLLVMIR(module, context);
}
