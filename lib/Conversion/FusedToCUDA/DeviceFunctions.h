//===- DeviceFunctions.h - Functions of math.cuh ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_DEVICEFUNCTIONS_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_DEVICEFUNCTIONS_H

#include "mlir/Support/LLVM.h"

namespace sinter::cuda {

/// A function of math.cuh on integers.
struct IntegerFunction {
  /// Empty: there is none.
  llvm::StringRef name;
  /// Whether it takes its operands as numbers with a sign.
  bool isSigned = true;
};

/// What an operation ("arith.divsi") on integers is called in math.cuh.
IntegerFunction getIntegerFunction(llvm::StringRef operation);
/// The same of an operation on floats; empty if there is none.
llvm::StringRef getFloatFunction(llvm::StringRef operation);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_DEVICEFUNCTIONS_H
