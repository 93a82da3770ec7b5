//===- ScalarFunctions.h - Tables of scalar functions -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_REFERENCE_SCALARFUNCTIONS_H
#define SINTER_LIB_REFERENCE_SCALARFUNCTIONS_H

#include "sinter/Reference/Scalar.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringMap.h"

namespace sinter {

using ScalarTable = llvm::StringMap<ScalarFunction>;

/// Bits of an integer type; an index has 64.
unsigned widthOf(mlir::Type type);
/// An integer in the bits of its type.
llvm::APInt toAPInt(const ScalarValue &value);

/// Each adds the functions of its theme under the ops' full names.
void addActivations(ScalarTable &table);
void addFloatFunctions(ScalarTable &table);
void addIntegerFunctions(ScalarTable &table);
void addConversionFunctions(ScalarTable &table);

} // namespace sinter

#endif // SINTER_LIB_REFERENCE_SCALARFUNCTIONS_H
