//===- CompileRequest.h - What one run of sinterc makes -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_COMPILEREQUEST_H
#define SINTER_TOOLS_SINTERC_COMPILEREQUEST_H

#include "sinter/Target/NVRTC/Architecture.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace sinter {

/// The main product. The order is that of `emitKinds` in Options.cpp.
enum class EmitKind {
  Sinter,
  Fused,
  LLVM,
  Assembly,
  Object,
  Library,
  Shared,
  Header,
  Manifest,
  Cuda,
  Ptx,
  Cubin
};

/// Whether the product is the code of a GPU's kernels alone.
inline bool isOfKernels(EmitKind kind) { return kind >= EmitKind::Cuda; }

enum class ColorMode { Auto, Always, Never };

/// A command line, checked and with its defaults filled in. Paths are as
/// written; "-" is stdin or stdout; an empty path means that the part is not
/// wanted.
struct CompileRequest {
  std::string input;
  EmitKind emit = EmitKind::Object;
  std::string output;
  std::string header;
  std::string manifest;
  /// Empty: the weights are embedded.
  std::string weights;

  /// C prefix; empty: the module's symbol.
  std::string name;
  /// Empty: all.
  std::vector<std::string> entries;

  std::string triple;
  std::string cpu;
  std::string features;
  /// The GPUs that kernels are compiled for, ascending; empty: kernels are for
  /// the CPU.
  std::vector<nvrtc::Architecture> gpus;
  bool flushDenormals = false;

  /// Make rules: file, targets, and whether each prerequisite gets a rule.
  std::string dependencyFile;
  std::string dependencyTarget;
  bool phonyDependencies = false;

  std::string signatureReport;
  std::string memoryPlanReport;
  std::string explainReport;
  std::string pipelineReport;

  bool verbose = false;
  bool warningsAreErrors = false;
  bool noWarnings = false;
  unsigned maxErrors = 20;
  ColorMode color = ColorMode::Auto;

  /// --mlir-..., for MLIR's own option parser.
  std::vector<std::string> mlirOptions;

  bool hasReport() const {
    return !signatureReport.empty() || !memoryPlanReport.empty() ||
           !explainReport.empty() || !pipelineReport.empty();
  }
};

/// What a command line asks for besides compiling.
enum class Action { Compile, Help, HelpHidden, Version, TargetCPUHelp };

/// Parses the arguments after the program's name. `action` says whether the
/// request counts. An error is a mistake in the command line.
llvm::Expected<CompileRequest>
parseCommandLine(llvm::ArrayRef<const char *> arguments, Action &action);

void printHelp(llvm::raw_ostream &os, bool hidden);
void printVersion(llvm::raw_ostream &os);

/// "obj", as --emit spells it.
llvm::StringRef toString(EmitKind kind);

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_COMPILEREQUEST_H
