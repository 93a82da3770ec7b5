//===- PrepareModel.h - From a parsed model to code and weights -*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_PIPELINES_PREPAREMODEL_H
#define SINTER_PIPELINES_PREPAREMODEL_H

#include "sinter/Pipelines/WeightPacker.h"
#include "sinter/Support/TargetInfo.h"
#include "sinter/Target/Package/ModelInterface.h"

#include "mlir/Pass/PassManager.h"

namespace sinter {

/// Where kernels run.
enum class Backend { CPU, CUDA };

struct PrepareOptions {
  Backend backend = Backend::CPU;
  TargetInfo target;
  /// What the header says of the target.
  std::string targetDescription;
  /// The C prefix; empty: the module's symbol.
  std::string name;
  /// Entries to keep; empty: all.
  std::vector<std::string> entries;
  bool embedWeights = true;
  bool flushDenormals = false;
  /// Called on each pass manager before it runs (timing, reproducers).
  std::function<mlir::LogicalResult(mlir::PassManager &)> configure;
  /// Called with the module after a stage.
  std::function<void(mlir::ModuleOp)> afterModel, afterFusion, afterKernels;
};

/// What is needed beside the module, which is then in the LLVM dialect.
struct PreparedModel {
  package::ModelInterface interface;
  std::vector<char> weights;
};

/// Model as written -> straight-line entries, checked against the archives.
mlir::LogicalResult prepareEntries(mlir::ModuleOp module,
                                   const PrepareOptions &options);

/// The same -> fused ops on tensors. Weights are checked against `archives`.
mlir::LogicalResult prepareFused(mlir::ModuleOp module,
                                 WeightArchives &archives,
                                 const PrepareOptions &options);

/// The same -> LLVM dialect, interface and packed weights.
mlir::FailureOr<PreparedModel> prepareModel(mlir::ModuleOp module,
                                            WeightArchives &archives,
                                            const PrepareOptions &options);

} // namespace sinter

#endif // SINTER_PIPELINES_PREPAREMODEL_H
