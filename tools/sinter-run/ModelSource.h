//===- ModelSource.h - A model's text, its reference and its code -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_MODELSOURCE_H
#define SINTER_TOOLS_SINTERRUN_MODELSOURCE_H

#include "KernelTable.h"
#include "RunRequest.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "sinter/Execution/LoadedModel.h"
#include "sinter/Execution/ReferenceModel.h"
#include "sinter/Pipelines/PrepareModel.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir {
class SourceMgrDiagnosticHandler;
} // namespace mlir

namespace sinter::run {

/// A .mlir file: parsed once, expanded once for the reference, compiled for
/// each CPU and the GPU. Diagnostics go to stderr.
class ModelSource {
public:
  explicit ModelSource(const RunRequest &request);
  ~ModelSource();

  mlir::MLIRContext *getContext() { return &context; }

  /// Parses and expands the model. Returns an exit code.
  int open();

  /// The object that `sinterc --target-cpu=CPU` writes, loaded; null after a
  /// diagnostic. Fills `kernels` if it is not null.
  std::unique_ptr<execution::LoadedModel> compile(llvm::StringRef cpu,
                                                  KernelTable *kernels);

  /// Straight-line entries.
  mlir::ModuleOp expanded() { return *reference; }
  execution::ReferenceModel &referenceModel() { return *oracle; }
  /// Entries as the expanded module has them, for runs without code.
  execution::Manifest describe();
  /// Arguments that are a mask operand of attention.
  llvm::StringSet<> maskArguments();

private:
  PrepareOptions optionsFor(llvm::StringRef level) const;
  std::unique_ptr<WeightArchives> makeArchives() const;

  const RunRequest &request;
  llvm::SourceMgr sources;
  mlir::MLIRContext context;
  std::unique_ptr<mlir::SourceMgrDiagnosticHandler> printer;
  mlir::OwningOpRef<mlir::ModuleOp> parsed, reference;
  /// A folder with random archives; empty: the model's own.
  std::string randomFolder;
  std::unique_ptr<WeightArchives> archives;
  std::unique_ptr<execution::ReferenceModel> oracle;
};

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_MODELSOURCE_H
