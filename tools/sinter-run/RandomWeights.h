//===- RandomWeights.h - Archives of random numbers -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_RANDOMWEIGHTS_H
#define SINTER_TOOLS_SINTERRUN_RANDOMWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace sinter::run {

/// Writes, in a new temporary folder, every archive that the expanded `module`
/// names, with numbers for its weights: in [-1, 1], of matrices with K columns
/// in sqrt(3 / K) of that. Returns the folder.
llvm::Expected<std::string> writeRandomWeights(mlir::ModuleOp module,
                                               uint64_t seed);
void removeRandomWeights(llvm::StringRef folder);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_RANDOMWEIGHTS_H
