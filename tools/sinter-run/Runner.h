//===- Runner.h - Runs all that a command line asks for -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_RUNNER_H
#define SINTER_TOOLS_SINTERRUN_RUNNER_H

#include "Combination.h"
#include "ModelSource.h"
#include "sinter/Support/OutputFiles.h"

namespace sinter::run {

/// Loads the model and runs it for every combination of dimensions; returns
/// the exit code.
class Runner {
public:
  explicit Runner(const RunRequest &request) : request(request) {}

  int run();

private:
  int load();
  int loadCode(llvm::StringRef label,
               std::unique_ptr<execution::LoadedModel> code,
               KernelTable kernels = {});
  int loadShared();
  int checkEntries();
  int checkNames();
  int checkDims();
  int runAll();
  int finish(Combination &combination);
  int writeOutputs(Combination &combination);
  int checkExpectations(Combination &combination);
  llvm::Error inferDims(DimMap &dims) const;
  mlir::MLIRContext *getContext() {
    return source ? source->getContext() : &plainContext;
  }

  const RunRequest &request;
  mlir::MLIRContext plainContext;
  std::unique_ptr<ModelSource> source;
  Setup setup;
  std::vector<std::unique_ptr<execution::LoadedModel>> models;
  std::vector<std::unique_ptr<execution::GuardedBuffer>> weightBytes;
};

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_RUNNER_H
