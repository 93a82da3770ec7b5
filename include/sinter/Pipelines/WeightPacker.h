//===- WeightPacker.h - The weight blob of a module -------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_PIPELINES_WEIGHTPACKER_H
#define SINTER_PIPELINES_WEIGHTPACKER_H

#include "sinter/Reference/Tensor.h"
#include "sinter/Support/Safetensors.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

namespace sinter {

/// The archives that a module names, opened once each.
class WeightArchives {
public:
  /// Relative file names are relative to `directory`.
  explicit WeightArchives(llvm::StringRef directory) : directory(directory) {}

  /// The tensor `name` of archive `file`, whose type must be `type`; otherwise
  /// an error located at `loc`.
  mlir::FailureOr<Tensor> load(llvm::StringRef name, llvm::StringRef file,
                               mlir::RankedTensorType type, mlir::Location loc);

  /// Checks name, element type and shape without reading the numbers.
  mlir::LogicalResult check(llvm::StringRef name, llvm::StringRef file,
                            mlir::RankedTensorType type, mlir::Location loc);

  /// Paths of all archives opened so far, in order.
  llvm::SmallVector<std::string> paths() const;

private:
  mlir::FailureOr<const ArchiveTensor *> find(llvm::StringRef name,
                                              llvm::StringRef file,
                                              mlir::RankedTensorType type,
                                              mlir::Location loc);

  std::string directory;
  llvm::MapVector<llvm::StringRef, std::unique_ptr<SafetensorsArchive>>
      archives;
  llvm::StringMap<char> names;
};

/// Checks that every `fused.weight` of `module` is in its archive.
mlir::LogicalResult checkWeights(mlir::ModuleOp module,
                                 WeightArchives &archives);

/// Evaluates every `fused.packed` of `module` in double precision and writes it
/// rounded, in its layout, at its offset of `blob`.
mlir::LogicalResult packWeights(mlir::ModuleOp module, WeightArchives &archives,
                                std::vector<char> &blob);

} // namespace sinter

#endif // SINTER_PIPELINES_WEIGHTPACKER_H
