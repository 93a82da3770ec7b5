//===- Object.h - from an LLVM module to an object file ------- -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_OBJECT_OBJECT_H
#define SINTER_TARGET_OBJECT_OBJECT_H

#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace mlir {
class Operation;
} // namespace mlir

namespace sinter::package {

/// What code is generated for.
struct TargetSpec {
  std::string triple = "x86_64-linux-gnu";
  /// x86-64-v2, x86-64-v3, x86-64-v4 or native.
  std::string cpu = "x86-64-v3";
  /// "+f,-g" on top of the CPU's; may be empty.
  std::string features = {};
  /// The GPUs that kernels run on ("sm_80,sm_90"); empty: they run on the CPU.
  std::string gpus = {};

  /// "x86_64-linux-gnu x86-64-v3", with features where there are any, or
  /// "x86_64-linux-gnu cuda sm_80,sm_90"; what ModelInterface::target holds.
  std::string describe() const;
};

/// Names that TargetSpec::cpu takes.
llvm::ArrayRef<llvm::StringRef> targetCpus();

/// A machine for position-independent code. Fails on a triple or CPU that is
/// not supported, naming the valid ones. "native" becomes the host's CPU and
/// features.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const TargetSpec &target);

/// The bits of runtime/cpu_features.def that code of this machine may need.
uint64_t requiredCpuFeatures(const llvm::TargetMachine &machine);

/// Translates a module of the LLVM dialect. Null after a diagnostic.
std::unique_ptr<llvm::Module> translateToLLVM(mlir::Operation *module,
                                              llvm::LLVMContext &context);

enum class CodeKind { Object, Assembly, LLVM };

/// All that the user of a model gets, but for the weight file.
struct CompiledModel {
  std::string code; ///< object, assembly or LLVM IR
  std::string header;
  std::string manifest;
  uint64_t stackBytes = 0; ///< what a call and each worker use at most
  uint64_t weightsHash = 0;
  uint64_t codeBytes = 0; ///< size of the text section (objects only)
};

/// Packages `module`, which defines the entries and kernels that `model` names:
/// adds descriptor, API and runtime, optimises lightly, generates code. Same
/// input, same bytes. `model.target` and `model.cpuFeatures` are set here.
/// Fails if the interface does not verify, a function is missing, or a stack
/// frame is above 16 KiB.
llvm::Expected<CompiledModel> compileModel(std::unique_ptr<llvm::Module> module,
                                           ModelInterface model,
                                           llvm::ArrayRef<char> weights,
                                           const TargetSpec &target,
                                           CodeKind kind);

/// A static archive with one member.
llvm::Expected<std::string> makeArchive(llvm::StringRef object,
                                        llvm::StringRef memberName);

/// Links an object file into a shared object by `cc -shared`; `soname`: the
/// name that programs linked against it look for, empty: the path they were
/// given.
llvm::Error linkShared(llvm::StringRef objectPath, llvm::StringRef outputPath,
                       llvm::StringRef soname = "");

} // namespace sinter::package

#endif // SINTER_TARGET_OBJECT_OBJECT_H
