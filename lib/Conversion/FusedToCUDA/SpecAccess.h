//===- SpecAccess.h - Where the element of a point lies ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECACCESS_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

namespace sinter::cuda {

/// The text of a dimension or symbol.
using PositionText = llvm::function_ref<std::string(unsigned)>;

/// An affine expression in C++. What is divided is never negative.
std::string affineText(mlir::AffineExpr expr, PositionText dim,
                       PositionText symbol);

/// What is known of an access; SpecPrinter::access says what it is for.
struct Access {
  /// Elements from the operand's address.
  std::string offset;
  int64_t step = -1, lanes = 1, elementBytes = 1;
  /// What must divide the operand's address, and conditions, for `lanes`.
  int64_t addressDivisor = 1;
  llvm::SmallVector<std::string> conditions;
};

/// The access of an operand of `type`, whose logical extents have the texts
/// `extents`, through `map`, which has no symbols; `dim` is the text of a
/// dimension of the map.
Access analyseAccess(mlir::MemRefType type, mlir::AffineMap map,
                     llvm::ArrayRef<std::string> extents, unsigned along,
                     PositionText dim);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECACCESS_H
