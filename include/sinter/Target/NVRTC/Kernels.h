//===- Kernels.h - All kernels for all architectures ------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_KERNELS_H
#define SINTER_TARGET_NVRTC_KERNELS_H

#include "sinter/Target/NVRTC/Cache.h"
#include "sinter/Target/NVRTC/Cubin.h"

namespace sinter::nvrtc {

/// A kernel as it is printed: self-contained text with one extern "C"
/// __global__ function `name`.
struct KernelText {
  std::string name;
  std::string text;
  /// A macro with which more registers are left to a thread: the text is
  /// compiled again with it where it needs local memory without. Empty: it is
  /// not.
  std::string relaxation = {};
};

/// One kernel's code for one architecture.
struct KernelImage {
  Architecture arch;
  /// For cuModuleLoadData, on this architecture and later ones of the same
  /// major number.
  std::string cubin;
  /// None where `cubin` is no GPU's machine code, as an emulator's is not.
  std::optional<KernelResources> resources;
  Log log;
  /// Made with the text's `relaxation`.
  bool isRelaxed = false;
};

/// One kernel's code for all architectures.
struct KernelImages {
  std::string name;
  std::vector<KernelImage> images; ///< by architecture, ascending
  /// For the architectures of which there is no image, from the lowest one that
  /// was asked for on. Empty where all are specific.
  std::string ptx;
  Architecture ptxArch;
};

/// What is compiled, and how.
struct KernelsOptions {
  TextOptions text;
  std::vector<Architecture> architectures; ///< ascending
  unsigned threads = 0; ///< at most; 0: one for each core of this machine
};

/// What is wrong with one kernel of many.
class KernelError : public llvm::ErrorInfo<KernelError> {
public:
  static char ID; // NOLINT(readability-identifier-naming): llvm::ErrorInfo's
  KernelError(llvm::StringRef kernel, std::string problem)
      : kernel(kernel), problem(std::move(problem)) {}

  void log(llvm::raw_ostream &os) const override { os << problem; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const std::string kernel, problem;
};

/// Compiles each text for each architecture, several at once; the result is in
/// the order of `kernels` and does not depend on the threads. The error is that
/// of the first text that has one, a KernelError.
llvm::Expected<std::vector<KernelImages>>
compileKernels(const Compiler &compiler, llvm::ArrayRef<KernelText> kernels,
               const KernelsOptions &options, const Cache &cache);

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_KERNELS_H
