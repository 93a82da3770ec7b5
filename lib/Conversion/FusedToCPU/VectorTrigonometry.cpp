//===- VectorTrigonometry.cpp - Angles without a library ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of f32 are computed in f64.
//
//===----------------------------------------------------------------------===//

#include "FloatFormat.h"
#include "sinter/Conversion/FusedToCPU/VectorMath.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// Sine and cosine
//===----------------------------------------------------------------------===//

/// Beyond this the reduction is not exact, and f64 holds no angle well.
static constexpr double largestAngle = 3.0e9;

/// sin(x + quarters pi/2), f64; NaN for an angle that is too large.
static Value sine(KernelBuilder &k, Value x, double quarters) {
  Type type = x.getType();
  auto constant = [&](double value) { return k.constant(type, value); };
  Value n = k.roundF(k.mulF(x, constant(0.6366197723675814)));
  // pi/2 in four parts; the first three have 22 bits, so that their products
  // with n up to 2^31 are exact.
  Value r = x;
  for (double part : {1.570796012878418, 3.139164164167596e-07,
                      6.223371969669989e-14, 2.0222662487959506e-21})
    r = k.subF(r, k.mulF(n, constant(part)));
  SmallVector<double> odd, even;
  double term = 1.0;
  for (int i = 0; i <= 17; ++i) {
    (i % 2 ? odd : even).push_back(i / 2 % 2 ? -term : term);
    term /= i + 1;
  }
  Value square = k.mulF(r, r);
  Value s = k.fma(
      k.mulF(polynomial(k, square, ArrayRef(odd).drop_front()), square), r, r);
  Value c = polynomial(k, square, even);
  // Which quarter: n mod 4, in floats, so that no angle is out of range.
  Value q = k.addF(n, constant(quarters));
  q = k.subF(q, k.mulF(k.floorF(k.mulF(q, constant(0.25))), constant(4.0)));
  Value half = k.mulF(q, constant(0.5));
  Value swap = compare(k, arith::CmpFPredicate::ONE, k.floorF(half), half);
  Value result = k.select(swap, c, s);
  Value negative = compare(k, arith::CmpFPredicate::OGE, q, constant(2.0));
  result = k.select(negative, k.negF(result), result);
  Value inside =
      compare(k, arith::CmpFPredicate::OLE, k.absF(x), constant(largestAngle));
  return k.select(inside, result,
                  constant(std::numeric_limits<double>::quiet_NaN()));
}

static Value sineOf(KernelBuilder &k, Value x, double quarters) {
  return inDouble(
      k, {x}, [&](ArrayRef<Value> wide) { return sine(k, wide[0], quarters); });
}

Value cpu::sin(KernelBuilder &k, Value x) { return sineOf(k, x, 0.0); }
Value cpu::cos(KernelBuilder &k, Value x) { return sineOf(k, x, 1.0); }
Value cpu::tan(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    return k.divF(sine(k, wide[0], 0.0), sine(k, wide[0], 1.0));
  });
}

//===----------------------------------------------------------------------===//
// Inverse functions
//===----------------------------------------------------------------------===//

/// atan on [0, infinity]: reduced to |t| <= tan(pi/8), then its series.
static Value atanPositive(KernelBuilder &k, Value x) {
  Type type = x.getType();
  auto constant = [&](double value) { return k.constant(type, value); };
  auto above = [&](double limit) {
    return compare(k, arith::CmpFPredicate::OGT, x, constant(limit));
  };
  Value big = above(2.414213562373095), middle = above(0.41421356237309503);
  auto choose = [&](Value ofBig, Value ofMiddle, Value other) {
    return k.select(big, ofBig, k.select(middle, ofMiddle, other));
  };
  Value one = constant(1.0), zero = constant(0.0);
  Value t = k.divF(choose(constant(-1.0), k.subF(x, one), x),
                   choose(x, k.addF(x, one), one));
  SmallVector<double> series;
  for (int i = 1, n = FloatFormat(x).isDouble ? 20 : 9; i <= n; ++i)
    series.push_back((i % 2 ? -1.0 : 1.0) / (2 * i + 1));
  Value square = k.mulF(t, t);
  Value rest = k.mulF(k.mulF(square, t), polynomial(k, square, series));
  // pi/2 and pi/4 in two parts.
  constexpr double low = 6.123233995736766e-17;
  Value lows = choose(constant(low), constant(low / 2), zero);
  Value highs =
      choose(constant(1.5707963267948966), constant(0.7853981633974483), zero);
  return k.addF(highs, k.addF(t, k.addF(rest, lows)));
}

static Value withSign(KernelBuilder &k, Value size, Value sign) {
  return LLVM::CopySignOp::create(k, size, sign);
}

Value cpu::atan(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    return withSign(k, atanPositive(k, k.absF(wide[0])), wide[0]);
  });
}

static Value atan2Double(KernelBuilder &k, Value y, Value x) {
  auto constant = [&](double value) { return k.constant(x.getType(), value); };
  Value height = k.absF(y), width = k.absF(x);
  Value equal = compare(k, arith::CmpFPredicate::OEQ, height, width);
  Value flat = compare(k, arith::CmpFPredicate::OEQ, height, constant(0.0));
  // Neither infinity by infinity nor 0 by 0 is a quotient.
  Value ratio = k.select(equal, constant(1.0), k.divF(height, width));
  Value angle = atanPositive(k, k.select(flat, constant(0.0), ratio));
  Value left = compare(k, arith::CmpFPredicate::OLT,
                       withSign(k, constant(1.0), x), constant(0.0));
  Value other = k.addF(k.subF(constant(3.141592653589793), angle),
                       constant(1.2246467991473532e-16));
  angle = withSign(k, k.select(left, other, angle), y);
  Value nan = compare(k, arith::CmpFPredicate::UNO, x, y);
  return k.select(nan, k.addF(x, y), angle);
}

Value cpu::atan2(KernelBuilder &k, Value y, Value x) {
  return inDouble(k, {y, x}, [&](ArrayRef<Value> wide) {
    return atan2Double(k, wide[0], wide[1]);
  });
}

/// The other side of a right triangle with hypotenuse 1.
static Value otherSide(KernelBuilder &k, Value x) {
  Value one = k.constant(x.getType(), 1.0);
  return k.sqrtF(k.mulF(k.subF(one, x), k.addF(one, x)));
}

Value cpu::asin(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    return atan2Double(k, wide[0], otherSide(k, wide[0]));
  });
}

Value cpu::acos(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    return atan2Double(k, otherSide(k, wide[0]), wide[0]);
  });
}

//===----------------------------------------------------------------------===//
// Hyperbolic functions
//===----------------------------------------------------------------------===//

Value cpu::sinh(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    Value x = wide[0], size = k.absF(x);
    auto constant = [&](double value) {
      return k.constant(x.getType(), value);
    };
    Value e = expm1(k, k.minF(constant(40.0), size));
    Value near = k.addF(e, k.divF(e, k.addF(e, constant(1.0))));
    // e^x itself may be too large.
    Value root = exp(k, k.mulF(size, constant(0.5)));
    Value far = k.mulF(k.mulF(root, constant(0.5)), root);
    Value large = compare(k, arith::CmpFPredicate::UGT, size, constant(40.0));
    return withSign(k, k.select(large, far, k.mulF(near, constant(0.5))), x);
  });
}

Value cpu::cosh(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    Value size = k.absF(wide[0]);
    auto constant = [&](double value) {
      return k.constant(size.getType(), value);
    };
    Value root = exp(k, k.mulF(size, constant(0.5)));
    Value half = k.mulF(k.mulF(root, constant(0.5)), root);
    return k.addF(half, k.divF(constant(0.25), half));
  });
}

Value cpu::asinh(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    Value x = wide[0], size = k.absF(x);
    auto constant = [&](double value) {
      return k.constant(x.getType(), value);
    };
    Value square = k.mulF(size, size), one = constant(1.0);
    Value root = k.sqrtF(k.addF(square, one));
    Value near = log1p(k, k.addF(size, k.divF(square, k.addF(root, one))));
    Value far = k.addF(log(k, size), constant(0.6931471805599453));
    Value large = compare(k, arith::CmpFPredicate::OGT, size, constant(1e9));
    return withSign(k, k.select(large, far, near), x);
  });
}

Value cpu::acosh(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    Value x = wide[0];
    auto constant = [&](double value) {
      return k.constant(x.getType(), value);
    };
    Value t = k.subF(x, constant(1.0));
    Value root = k.sqrtF(k.mulF(t, k.addF(t, constant(2.0))));
    Value near = log1p(k, k.addF(t, root));
    Value far = k.addF(log(k, x), constant(0.6931471805599453));
    Value large = compare(k, arith::CmpFPredicate::OGT, x, constant(1e9));
    return k.select(large, far, near);
  });
}

Value cpu::atanh(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    Value size = k.absF(wide[0]);
    Value rest = k.subF(k.constant(size.getType(), 1.0), size);
    Value twice = log1p(k, k.divF(k.addF(size, size), rest));
    return withSign(k, k.mulF(twice, k.constant(size.getType(), 0.5)), wide[0]);
  });
}
