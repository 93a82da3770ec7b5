//===- RunRequest.h - What one run of sinter-run does -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_RUNREQUEST_H
#define SINTER_TOOLS_SINTERRUN_RUNREQUEST_H

#include "sinter/Execution/Expectation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace sinter::run {

/// The name, among those of CPUs, that stands for the GPU of this machine.
inline constexpr llvm::StringLiteral deviceLevel = "cuda";

/// `NAME=VALUE` on the command line.
struct NamedText {
  std::string name;
  std::string text;
};

struct DimValues {
  std::string name;
  std::vector<int64_t> values;
};

/// A command line, checked and with its defaults filled in.
struct RunRequest {
  std::string model;
  std::vector<std::string> entries; ///< empty: all
  std::vector<NamedText> inputs;    ///< without name: an .npz file or "random"
  std::vector<NamedText> outputs;
  std::vector<NamedText> expectations;
  std::vector<DimValues> dims;
  execution::FixedTolerance tolerance;
  bool hasTolerance = false;
  std::string weights;

  std::vector<std::string> cpus;
  std::vector<int32_t> threads;
  unsigned calls = 1;
  uint64_t seed = 0;
  bool randomWeights = false;
  bool nasty = false;

  bool reference = false;
  bool compare = false;
  bool compareEach = false;
  std::optional<double> benchmarkSeconds;
  /// Of each call, the launch whose result compareEach is to find wrong.
  std::optional<size_t> corruptLaunch;
  bool verbose = false;

  bool isShared() const { return llvm::StringRef(model).ends_with(".so"); }
  /// Whether anything is to be run at all.
  bool runs() const {
    return !inputs.empty() || compare || compareEach || reference ||
           benchmarkSeconds || !outputs.empty() || !expectations.empty();
  }
};

enum class Action { Run, Help, Version };

/// Parses the arguments after the program's name. An error is a mistake in the
/// command line.
llvm::Expected<RunRequest>
parseCommandLine(llvm::ArrayRef<const char *> arguments, Action &action);

void printHelp(llvm::raw_ostream &os);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_RUNREQUEST_H
