//===- LinkRuntime.cpp - the runtime's bitcode into a model ---------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Embedded.h"
#include "sinter/Target/Package/Descriptor.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBufferRef.h"

using namespace sinter::package;

/// What clang records about itself must not show in a model's object.
static void dropProducer(llvm::Module &module) {
  if (llvm::NamedMDNode *ident = module.getNamedMetadata("llvm.ident"))
    ident->eraseFromParent();
  if (llvm::NamedMDNode *flags = module.getModuleFlagsMetadata())
    flags->eraseFromParent();
}

llvm::Error sinter::package::linkRuntime(llvm::Module &module,
                                         const ModelInterface &model) {
  llvm::Expected<std::unique_ptr<llvm::Module>> runtime =
      llvm::parseBitcodeFile(llvm::MemoryBufferRef(model.onDevice
                                                       ? kDeviceRuntimeBitcode
                                                       : kRuntimeBitcode,
                                                   "sinter_runtime"),
                             module.getContext());
  if (!runtime)
    return runtime.takeError();
  dropProducer(**runtime);
  dropProducer(module);
  (*runtime)->setTargetTriple(module.getTargetTriple());
  (*runtime)->setDataLayout(module.getDataLayout());
  std::vector<std::string> runtimeNames;
  for (llvm::Function &function : **runtime)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      runtimeNames.push_back(function.getName().str());
  if (llvm::Linker::linkModules(module, std::move(*runtime)))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the runtime does not link");
  for (const std::string &name : runtimeNames) {
    llvm::Function *function = module.getFunction(name);
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    function->setDSOLocal(true);
  }
  std::string problem;
  llvm::raw_string_ostream os(problem);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the linked module is broken: " + problem);
  return llvm::Error::success();
}
