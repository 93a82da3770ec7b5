//===- RegionToCUDA.h - Scalar regions as device text -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_REGIONTOCUDA_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_REGIONTOCUDA_H

#include "mlir/IR/Block.h"
#include "mlir/Support/LLVM.h"

namespace sinter::cuda {

/// The type of a number in device code, e.g. "float"; empty if it has none.
llvm::StringRef deviceType(mlir::Type type);
/// The type of an element in memory, e.g. "sinter::boolean" for i1.
llvm::StringRef storedType(mlir::Type element);

/// Prints the statements of a scalar region into a function that has `args` and
/// `status`; `arguments` has an expression per argument of the block, for a
/// table the name of its struct. `yields` gets an expression per yielded value.
/// Fails with a located error on an op that has no translation.
mlir::LogicalResult printRegionBody(llvm::raw_ostream &os, mlir::Block &block,
                                    llvm::ArrayRef<std::string> arguments,
                                    llvm::SmallVectorImpl<std::string> &yields);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_REGIONTOCUDA_H
