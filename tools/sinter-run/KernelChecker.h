//===- KernelChecker.h - Compares at kernel boundaries -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_KERNELCHECKER_H
#define SINTER_TOOLS_SINTERRUN_KERNELCHECKER_H

#include "KernelTable.h"
#include "sinter/Execution/CompiledSession.h"
#include "sinter/Execution/ReferenceModel.h"
#include "llvm/ADT/DenseMap.h"

namespace sinter::run {

/// Follows one call of one entry, launch by launch, and finds the first value
/// in memory that leaves its tolerance. Values inside of a kernel do not exist
/// and are not compared.
class KernelChecker {
public:
  KernelChecker(const EntryLaunches &launches,
                llvm::ArrayRef<mlir::Operation *> ops,
                llvm::ArrayRef<execution::OpExpectation> values,
                llvm::function_ref<int64_t(llvm::StringRef)> dimension);

  /// The call's memory, before it runs.
  void start(char *workspace, llvm::ArrayRef<void *> tensors,
             llvm::ArrayRef<Shape> shapes);
  /// Spoils the first element that this launch stores, to see it found.
  std::optional<size_t> corruptLaunch;
  /// A kernel has run; launches come in their order.
  void finishKernel();

  struct Finding {
    mlir::Operation *op = nullptr;
    std::string kernel;
    execution::Comparison comparison;
  };
  const std::optional<Finding> &finding() const { return first; }
  int64_t compared() const { return comparedCount; }

private:
  void check(const KernelLaunch &launch, const KernelStore &store);
  Shape shapeOf(const KernelStore &store) const;
  char *addressOf(const KernelStore &store) const;

  const EntryLaunches &launches;
  llvm::ArrayRef<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *,
                 llvm::SmallVector<const execution::Expectation *>>
      expectations;
  llvm::function_ref<int64_t(llvm::StringRef)> dimension;
  llvm::SmallVector<uint64_t> slotOffsets;
  char *workspace = nullptr;
  llvm::SmallVector<void *> tensors;
  llvm::SmallVector<Shape> tensorShapes;
  size_t next = 0;
  int64_t comparedCount = 0;
  std::optional<Finding> first;
};

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_KERNELCHECKER_H
