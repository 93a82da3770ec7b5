//===- FloatFormat.h - What functions of floats share -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_FLOATFORMAT_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_FLOATFORMAT_H

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace sinter::cpu {

/// Facts about the float type at hand.
struct FloatFormat {
  explicit FloatFormat(mlir::Value x)
      : type(x.getType()), isDouble(KernelBuilder::elementOf(type).isF64()),
        mantissaBits(isDouble ? 52 : 23), bias(isDouble ? 1023 : 127) {}
  mlir::Type type;
  bool isDouble;
  int mantissaBits;
  int bias;
};

/// c[0] + c[1] x + ...
mlir::Value polynomial(KernelBuilder &k, mlir::Value x,
                       llvm::ArrayRef<double> c);

inline mlir::Value compare(KernelBuilder &k,
                           mlir::arith::CmpFPredicate predicate, mlir::Value a,
                           mlir::Value b) {
  return mlir::arith::CmpFOp::create(k, predicate, a, b);
}

/// NaN stays NaN: maxF and minF give their second operand then.
inline mlir::Value clamp(KernelBuilder &k, mlir::Value x, double low,
                         double high) {
  x = k.maxF(k.constant(x.getType(), low), x);
  return k.minF(k.constant(x.getType(), high), x);
}

/// Computes a function of f32 in f64; f64 as it is.
mlir::Value
inDouble(KernelBuilder &k, llvm::ArrayRef<mlir::Value> arguments,
         llvm::function_ref<mlir::Value(llvm::ArrayRef<mlir::Value>)> function);

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_FLOATFORMAT_H
