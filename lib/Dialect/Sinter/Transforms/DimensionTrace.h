//===- DimensionTrace.h - which named dimension an extent is ----*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_SINTER_TRANSFORMS_DIMENSIONTRACE_H
#define SINTER_LIB_DIALECT_SINTER_TRANSFORMS_DIMENSIONTRACE_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Value.h"
#include <string>

namespace sinter {

/// The extent of dimension `dim` of `value`, a ranked tensor in an expanded
/// entry: an I64 attribute for a number, a string for the name of a dimension
/// of an argument or a state, an array of names and a number (or none) for
/// their sum, null where it is none of these.
mlir::Attribute traceDimension(mlir::Value value, int64_t dim);

/// The same, but null for a sum.
mlir::Attribute traceNamedDimension(mlir::Value value, int64_t dim);

/// What `traceDimension` returned, in words.
std::string spellDimension(mlir::Attribute extent);

} // namespace sinter

#endif // SINTER_LIB_DIALECT_SINTER_TRANSFORMS_DIMENSIONTRACE_H
