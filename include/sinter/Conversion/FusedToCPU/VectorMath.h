//===- VectorMath.h - Functions without a library ---------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function takes and gives f32 or f64, a scalar or a vector of any length,
// and emits straight-line code: no calls, no tables, no branches. Errors are
// listed in docs/numerics.md. Infinities, NaN, zeros and denormals are right
// unless a function says otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_VECTORMATH_H
#define SINTER_CONVERSION_FUSEDTOCPU_VECTORMATH_H

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

namespace sinter::cpu {

/// Which arguments exp2 has to serve.
enum class Exp2Range {
  /// All.
  Full,
  /// At most 127, -infinity or NaN: a softmax after its maximum is subtracted.
  /// Results below 2^-126 may be 0. Half the work where vscalefps is missing.
  Softmax
};

mlir::Value exp2(KernelBuilder &k, mlir::Value x,
                 Exp2Range range = Exp2Range::Full);
mlir::Value exp(KernelBuilder &k, mlir::Value x);
mlir::Value expm1(KernelBuilder &k, mlir::Value x);
mlir::Value log(KernelBuilder &k, mlir::Value x);
/// log(1 + x).
mlir::Value log1p(KernelBuilder &k, mlir::Value x);
mlir::Value log2(KernelBuilder &k, mlir::Value x);
mlir::Value tanh(KernelBuilder &k, mlir::Value x);
/// f32 precision, also for f64 arguments.
mlir::Value erf(KernelBuilder &k, mlir::Value x);
/// 1 / (1 + exp(-x)).
mlir::Value sigmoid(KernelBuilder &k, mlir::Value x);
mlir::Value rsqrt(KernelBuilder &k, mlir::Value x);
/// C's pow except that the sign of a zero base is lost.
mlir::Value pow(KernelBuilder &k, mlir::Value x, mlir::Value y);
/// Angles up to 3e9 in size; NaN for larger ones.
mlir::Value sin(KernelBuilder &k, mlir::Value x);
mlir::Value cos(KernelBuilder &k, mlir::Value x);
mlir::Value tan(KernelBuilder &k, mlir::Value x);
mlir::Value asin(KernelBuilder &k, mlir::Value x);
mlir::Value acos(KernelBuilder &k, mlir::Value x);
mlir::Value atan(KernelBuilder &k, mlir::Value x);
mlir::Value atan2(KernelBuilder &k, mlir::Value y, mlir::Value x);
mlir::Value sinh(KernelBuilder &k, mlir::Value x);
mlir::Value cosh(KernelBuilder &k, mlir::Value x);
mlir::Value asinh(KernelBuilder &k, mlir::Value x);
mlir::Value acosh(KernelBuilder &k, mlir::Value x);
mlir::Value atanh(KernelBuilder &k, mlir::Value x);
mlir::Value cbrt(KernelBuilder &k, mlir::Value x);
/// C's fmod, exact while the quotient is below 2^29 (f32) or 2^53 (f64).
mlir::Value remainder(KernelBuilder &k, mlir::Value a, mlir::Value b);

/// The constants of base-2 softmax: exp(x) = exp2(x * log2e).
inline constexpr double log2e = 1.4426950408889634;

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_VECTORMATH_H
