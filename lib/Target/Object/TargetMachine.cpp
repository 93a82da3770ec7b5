//===- TargetMachine.cpp - CPUs and their features ------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "llvm/Target/TargetMachine.h"
#include "sinter/Target/Object/Object.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/Triple.h"

using namespace sinter::package;

std::string TargetSpec::describe() const {
  if (!gpus.empty())
    return triple + " cuda " + gpus;
  return triple + " " + cpu + (features.empty() ? "" : "," + features);
}

llvm::ArrayRef<llvm::StringRef> sinter::package::targetCpus() {
  static constexpr llvm::StringRef names[] = {"x86-64-v2", "x86-64-v3",
                                              "x86-64-v4", "native"};
  return names;
}

template <typename... Parts> static llvm::Error error(const Parts &...parts) {
  std::string message;
  (message.append(parts), ...);
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

/// CPU and features under LLVM's names.
static std::pair<std::string, std::string> resolve(const TargetSpec &target) {
  if (target.cpu != "native")
    return {target.cpu, target.features};
  // Sorted, so that equal hosts give equal objects.
  std::vector<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    features.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(features);
  if (!target.features.empty())
    features.push_back(target.features);
  return {llvm::sys::getHostCPUName().str(), llvm::join(features, ",")};
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
sinter::package::createTargetMachine(const TargetSpec &target) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser();
  if (!llvm::is_contained(targetCpus(), target.cpu))
    return error("unknown CPU \"", target.cpu, "\"; known are ",
                 llvm::join(targetCpus(), ", "));
  llvm::Triple triple(llvm::Triple::normalize(target.triple));
  if (triple.getArch() != llvm::Triple::x86_64 || !triple.isOSBinFormatELF())
    return error("unsupported target \"", target.triple,
                 "\"; supported is x86_64-linux-gnu");
  std::string problem;
  const llvm::Target *backend =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!backend)
    return error(problem);
  auto [cpu, features] = resolve(target);
  llvm::TargetOptions options;
  options.FunctionSections = true; // --gc-sections drops what is not called
  options.DataSections = true;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, cpu, features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small,
      llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    return error("no code generator for \"", target.triple, "\"");
  return machine;
}

uint64_t
sinter::package::requiredCpuFeatures(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  uint64_t required = 0;
#define SINTER_CPU_FEATURE(bit, name, leaf, reg, shift, needs)                 \
  if (info.checkFeatures("+" name))                                            \
    required |= uint64_t(1) << (bit);
#include "../Package/runtime/cpu_features.def"
#undef SINTER_CPU_FEATURE
  return required;
}
