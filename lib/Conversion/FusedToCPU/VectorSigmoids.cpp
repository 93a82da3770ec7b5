//===- VectorSigmoids.cpp - tanh and erf ----------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Odd functions that go from -1 to 1. Coefficients marked "fitted" are our own
// minimax fits.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"
#include "sinter/Conversion/FusedToCPU/VectorMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numbers>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// x P(x^2) / Q(x^2) on [-limit, limit], constant beyond.
static Value oddRational(KernelBuilder &k, Value x, double limit,
                         ArrayRef<double> p, ArrayRef<double> q) {
  x = clamp(k, x, -limit, limit);
  Value square = k.mulF(x, x);
  return k.divF(k.mulF(polynomial(k, square, p), x), polynomial(k, square, q));
}

Value cpu::tanh(KernelBuilder &k, Value x) {
  FloatFormat format(x);
  if (format.isDouble) {
    // (e^2x - 1) / (e^2x + 1), with the sign put back.
    Value size = k.minF(k.constant(format.type, 20.0), k.absF(x));
    Value e = expm1(k, k.addF(size, size));
    Value t = k.divF(e, k.addF(e, k.constant(format.type, 2.0)));
    Value nan = compare(k, arith::CmpFPredicate::UNO, x, x);
    return k.select(nan, x, LLVM::CopySignOp::create(k, t, x));
  }
  static constexpr double p[] = {
      0.999999993,     0.130840151,    0.00310396172, 1.11543642e-05,
      -2.02254419e-08, 5.27804579e-11, -8.4889414e-14}; // fitted
  static constexpr double q[] = {1.0, 0.464173422, 0.0244952005,
                                 0.000254615314};
  return oddRational(k, x, 9.0, p, q);
}

/// erf of f64: Taylor's series near 0, else 1 - erfc.
static Value erfInDouble(KernelBuilder &k, Value x) {
  // erfc(x) exp(x^2) on [1, 6] as a polynomial in (x - 2) / (x + 2); off by
  // 9e-18 exp(x^2) (fitted).
  static constexpr double scaledErfc[] = {
      0.25539567631050575,     -0.4271858474139579,    0.24165819424246987,
      -0.07897858101585253,    0.00373289240349224,    0.006997461747753573,
      -0.0008471431980760424,  -0.0009819773208131022, 4.3554202452705896e-05,
      0.00017436697232946864,  2.754312818566672e-05,  -2.7647305443610053e-05,
      -1.4067532694582058e-05, 1.820143195975009e-06,  3.917059299925389e-06};
  auto constant = [&](double value) { return k.constant(x.getType(), value); };
  SmallVector<double> series;
  double power = 2 * std::numbers::inv_sqrtpi;
  for (int n = 0; n <= 18; ++n) {
    series.push_back(power / (2 * n + 1));
    power /= -(n + 1);
  }

  Value size = k.minF(constant(6.0), k.absF(x)), square = k.mulF(size, size);
  Value near = k.mulF(polynomial(k, square, series), size);
  Value two = constant(2.0);
  Value s = k.divF(k.subF(size, two), k.addF(size, two));
  Value erfc = k.mulF(exp(k, k.negF(square)), polynomial(k, s, scaledErfc));
  Value isNear = compare(k, arith::CmpFPredicate::OLT, size, constant(1.0));
  Value t = k.select(isNear, near, k.subF(constant(1.0), erfc));
  Value nan = compare(k, arith::CmpFPredicate::UNO, x, x);
  return k.select(nan, x, LLVM::CopySignOp::create(k, t, x));
}

Value cpu::erf(KernelBuilder &k, Value x) {
  if (FloatFormat(x).isDouble)
    return erfInDouble(k, x);
  static constexpr double p[] = {1.12837911,    0.199922827,    0.0505731011,
                                 0.00370152811, 0.000141847728, -1.95780931e-06,
                                 1.9924013e-08}; // fitted
  static constexpr double q[] = {1.0, 0.510508649, 0.114997707, 0.0143530521,
                                 0.000956016607};
  return oddRational(k, x, 3.92, p, q);
}
