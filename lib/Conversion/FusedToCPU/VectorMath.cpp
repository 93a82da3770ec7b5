//===- VectorMath.cpp - Functions without a library -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coefficients marked "fitted" are our own minimax fits; the others are Taylor
// coefficients, which suffice for f64 on the reduced ranges.
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/VectorMath.h"
#include "FloatFormat.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double ln2 = 0.6931471805599453;

Value cpu::polynomial(KernelBuilder &k, Value x, ArrayRef<double> c) {
  Value sum = k.constant(x.getType(), c.back());
  for (double coefficient : llvm::reverse(c.drop_back()))
    sum = k.fma(sum, x, k.constant(x.getType(), coefficient));
  return sum;
}

Value cpu::inDouble(KernelBuilder &k, ArrayRef<Value> arguments,
                    llvm::function_ref<Value(ArrayRef<Value>)> function) {
  Type type = arguments.front().getType();
  if (FloatFormat(arguments.front()).isDouble)
    return function(arguments);
  SmallVector<Value> wide;
  for (Value x : arguments)
    wide.push_back(
        arith::ExtFOp::create(k, KernelBuilder::like(type, k.getF64Type()), x));
  return arith::TruncFOp::create(k, type, function(wide));
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

/// (2^f - 1) / f on [-1/2, 1/2].
static Value exp2Slope(KernelBuilder &k, Value f) {
  static constexpr double single[] = {0.693147203,   0.240226479,
                                      0.0555033247,  0.00961843736,
                                      0.00133988744, 0.000153533618}; // fitted
  if (!FloatFormat(f).isDouble)
    return polynomial(k, f, single);
  SmallVector<double> taylor = {ln2};
  for (int i = 2; i <= 14; ++i)
    taylor.push_back(taylor.back() * ln2 / i);
  return polynomial(k, f, taylor);
}

/// 2^n for whole n with a biased exponent in [0, largest): 0 at the low end.
static Value powerOfTwo(KernelBuilder &k, Value n) {
  FloatFormat format(n);
  // Adding 1.5 * 2^mantissa leaves n + bias in the low bits.
  double magic = std::ldexp(1.5, format.mantissaBits) + format.bias;
  Type ints = k.intLike(format.type);
  Value bits = k.bitcast(k.addF(n, k.constant(format.type, magic)), ints);
  Value shifted =
      arith::ShLIOp::create(k, bits, k.constantInt(ints, format.mantissaBits));
  return k.bitcast(shifted, format.type);
}

/// Whether one instruction scales by powers of two.
static bool hasScalef(KernelBuilder &k, Value value) {
  return k.target.hasAvx512 && !FloatFormat(value).isDouble &&
         KernelBuilder::lanesOf(value) == 16;
}

/// value * 2^n, n whole; with `full` over the whole range of results.
static Value scale(KernelBuilder &k, Value value, Value n, bool full) {
  FloatFormat format(value);
  if (hasScalef(k, value)) {
    // The mask is all lanes, 4 the current rounding mode.
    Value mask = arith::ConstantOp::create(k, k.getI16IntegerAttr(-1));
    return LLVM::CallIntrinsicOp::create(
               k, format.type,
               k.getStringAttr("llvm.x86.avx512.mask.scalef.ps.512"),
               ValueRange{value, n, value, mask, k.i32(4)})
        .getResult(0);
  }
  if (!full)
    return k.mulF(value, powerOfTwo(k, n));
  // Two steps, so that 2^n itself need not be representable.
  Value half = k.floorF(k.mulF(n, k.constant(format.type, 0.5)));
  return k.mulF(k.mulF(value, powerOfTwo(k, half)),
                powerOfTwo(k, k.subF(n, half)));
}

/// Beyond these exponents every result is 0 or infinite.
static Value clampExponent(KernelBuilder &k, Value x, double unit) {
  return FloatFormat(x).isDouble ? clamp(k, x, -1100 * unit, 1100 * unit)
                                 : clamp(k, x, -160 * unit, 160 * unit);
}

Value cpu::exp2(KernelBuilder &k, Value x, Exp2Range range) {
  bool full = range == Exp2Range::Full;
  // Any number that gives 0 serves as the lowest; powerOfTwo has but one.
  if (full)
    x = clampExponent(k, x, 1.0);
  else
    x = k.maxF(k.constant(x.getType(), hasScalef(k, x)
                                           ? -2 * FloatFormat(x).bias
                                           : -FloatFormat(x).bias),
               x);
  Value n = k.roundF(x);
  Value f = k.subF(x, n);
  Value p = k.fma(exp2Slope(k, f), f, k.constant(x.getType(), 1.0));
  return scale(k, p, n, full);
}

/// x = (n + f) ln 2 with |f| <= 1/2.
static std::pair<Value, Value> reduceExp(KernelBuilder &k, Value x) {
  FloatFormat format(x);
  auto constant = [&](double value) { return k.constant(format.type, value); };
  Value n = k.roundF(k.mulF(x, constant(log2e)));
  if (k.target.hasFma && !format.isDouble) {
    // log2(e) in two parts; the first product is exact inside the fma.
    float high = log2e;
    Value f = k.fma(x, constant(high), k.negF(n));
    return {n, k.fma(x, constant(log2e - double(high)), f)};
  }
  // ln 2 in two parts, the first short enough for exact products.
  double high = format.isDouble ? 0.6931471803691238 : 0.693359375;
  double low = format.isDouble ? 1.9082149292705877e-10 : ln2 - 0.693359375;
  Value r = k.subF(x, k.mulF(n, constant(high)));
  r = k.subF(r, k.mulF(n, constant(low)));
  return {n, k.mulF(r, constant(log2e))};
}

Value cpu::exp(KernelBuilder &k, Value x) {
  auto [n, f] = reduceExp(k, clampExponent(k, x, ln2));
  Value p = k.fma(exp2Slope(k, f), f, k.constant(x.getType(), 1.0));
  return scale(k, p, n, /*full=*/true);
}

Value cpu::expm1(KernelBuilder &k, Value x) {
  FloatFormat format(x);
  Value one = k.constant(format.type, 1.0);
  auto [n, f] = reduceExp(k, clampExponent(k, x, ln2));
  Value p = k.mulF(exp2Slope(k, f), f);
  // 2^n (1 + p) - 1; the sum 1 + p is formed only where it loses nothing.
  Value power = scale(k, one, n, /*full=*/true);
  Value near = k.fma(power, p, k.subF(power, one));
  Value far = k.subF(scale(k, k.addF(p, one), n, /*full=*/true), one);
  Value big =
      compare(k, arith::CmpFPredicate::OGT, x, k.constant(format.type, 8.0));
  return k.select(big, far, near);
}

Value cpu::sigmoid(KernelBuilder &k, Value x) {
  Value one = k.constant(x.getType(), 1.0);
  return k.divF(one, k.addF(one, exp(k, k.negF(x))));
}

//===----------------------------------------------------------------------===//
// Logarithms, powers
//===----------------------------------------------------------------------===//

/// Mantissa in [1/sqrt 2, sqrt 2) and exponent of a positive finite x.
static std::pair<Value, Value> splitFloat(KernelBuilder &k, Value x) {
  FloatFormat format(x);
  Type ints = k.intLike(format.type);
  auto constant = [&](double value) { return k.constant(format.type, value); };
  // Denormals are brought up first.
  Value tiny = compare(k, arith::CmpFPredicate::OLT, x,
                       constant(std::ldexp(1.0, 1 - format.bias)));
  int lift = format.mantissaBits + 1;
  x = k.select(tiny, k.mulF(x, constant(std::ldexp(1.0, lift))), x);
  int64_t root = format.isDouble ? 0x3fe6a09e667f3bcdLL : 0x3f3504f3LL;
  Value bits = k.bitcast(x, ints);
  Value e = arith::ShRSIOp::create(k, k.sub(bits, k.constantInt(ints, root)),
                                   k.constantInt(ints, format.mantissaBits));
  Value m = k.sub(bits, arith::ShLIOp::create(
                            k, e, k.constantInt(ints, format.mantissaBits)));
  Value exponent = arith::SIToFPOp::create(k, format.type, e);
  exponent = k.subF(exponent, k.select(tiny, constant(lift), constant(0.0)));
  return {k.bitcast(m, format.type), exponent};
}

/// log of a mantissa: 2 artanh((m - 1) / (m + 1)).
static Value logMantissa(KernelBuilder &k, Value m) {
  Value one = k.constant(m.getType(), 1.0);
  Value s = k.divF(k.subF(m, one), k.addF(m, one));
  SmallVector<double> series;
  for (int i = 1, n = FloatFormat(m).isDouble ? 23 : 11; i <= n; i += 2)
    series.push_back(2.0 / i);
  return k.mulF(polynomial(k, k.mulF(s, s), series), s);
}

/// The values of a logarithm at and outside the ends of its domain.
static Value finishLog(KernelBuilder &k, Value x, Value result) {
  auto constant = [&](double value) { return k.constant(x.getType(), value); };
  auto choose = [&](arith::CmpFPredicate predicate, double at, Value value) {
    result = k.select(compare(k, predicate, x, constant(at)), value, result);
  };
  choose(arith::CmpFPredicate::OEQ, infinity, x);
  choose(arith::CmpFPredicate::OEQ, 0.0, constant(-infinity));
  choose(arith::CmpFPredicate::ULT, 0.0,
         constant(std::numeric_limits<double>::quiet_NaN()));
  return result;
}

Value cpu::log(KernelBuilder &k, Value x) {
  auto [m, e] = splitFloat(k, x);
  Value high = k.constant(x.getType(), 0.693359375);
  Value low = k.constant(x.getType(), ln2 - 0.693359375);
  Value sum = k.fma(e, low, logMantissa(k, m));
  return finishLog(k, x, k.fma(e, high, sum));
}

Value cpu::log1p(KernelBuilder &k, Value x) {
  // What the sum 1 + x loses is put back as a factor (Kahan).
  Type type = x.getType();
  Value one = k.constant(type, 1.0);
  Value sum = k.addF(one, x), kept = k.subF(sum, one);
  Value corrected = k.mulF(log(k, sum), k.divF(x, kept));
  Value none =
      compare(k, arith::CmpFPredicate::OEQ, kept, k.constant(type, 0.0));
  Value infinite =
      compare(k, arith::CmpFPredicate::OEQ, x, k.constant(type, infinity));
  Value result = k.select(none, x, corrected);
  return k.select(infinite, x, result);
}

Value cpu::log2(KernelBuilder &k, Value x) {
  auto [m, e] = splitFloat(k, x);
  Value scaled = k.mulF(logMantissa(k, m), k.constant(x.getType(), log2e));
  return finishLog(k, x, k.addF(e, scaled));
}

Value cpu::rsqrt(KernelBuilder &k, Value x) {
  return k.divF(k.constant(x.getType(), 1.0), k.sqrtF(x));
}

/// The product y log2(x) needs more digits than f32 has.
static Value powDouble(KernelBuilder &k, Value x, Value y) {
  auto constant = [&](double value) { return k.constant(x.getType(), value); };
  auto is = [&](arith::CmpFPredicate predicate, Value a, double b) {
    return compare(k, predicate, a, constant(b));
  };
  Value size = exp2(k, k.mulF(y, log2(k, k.absF(x))));
  Value half = k.mulF(y, constant(0.5));
  Value whole = compare(k, arith::CmpFPredicate::OEQ, k.floorF(y), y);
  Value even = compare(k, arith::CmpFPredicate::OEQ, k.floorF(half), half);
  Value ofNegative =
      k.select(whole, k.select(even, size, k.negF(size)),
               constant(std::numeric_limits<double>::quiet_NaN()));
  Value result =
      k.select(is(arith::CmpFPredicate::OLT, x, 0.0), ofNegative, size);
  Value one = arith::OrIOp::create(k, is(arith::CmpFPredicate::OEQ, y, 0.0),
                                   is(arith::CmpFPredicate::OEQ, x, 1.0));
  return k.select(one, constant(1.0), result);
}

Value cpu::pow(KernelBuilder &k, Value x, Value y) {
  return inDouble(k, {x, y}, [&](ArrayRef<Value> wide) {
    return powDouble(k, wide[0], wide[1]);
  });
}

Value cpu::cbrt(KernelBuilder &k, Value x) {
  return inDouble(k, {x}, [&](ArrayRef<Value> wide) {
    Value x = wide[0], size = k.absF(x);
    auto constant = [&](double value) {
      return k.constant(x.getType(), value);
    };
    Value y = exp2(k, k.mulF(log2(k, size), constant(1.0 / 3.0)));
    // One step of Newton's, for the digits that the product lost.
    Value excess = k.subF(k.mulF(y, k.mulF(y, y)), size);
    y = k.subF(y, k.divF(excess, k.mulF(constant(3.0), k.mulF(y, y))));
    // 0, infinity and NaN.
    Value plain = compare(k, arith::CmpFPredicate::UEQ,
                          k.mulF(size, constant(0.0)), size);
    return k.select(plain, x, LLVM::CopySignOp::create(k, y, x));
  });
}

/// The rounding error of q * b (Dekker), for targets without FMA.
static Value productError(KernelBuilder &k, Value q, Value b, Value product) {
  auto split = [&](Value x) {
    Value c = k.mulF(x, k.constant(x.getType(), 134217729.0));
    Value high = k.subF(c, k.subF(c, x));
    return std::pair(high, k.subF(x, high));
  };
  auto [qh, ql] = split(q);
  auto [bh, bl] = split(b);
  Value error = k.subF(k.mulF(qh, bh), product);
  error = k.addF(k.addF(error, k.mulF(qh, bl)), k.mulF(ql, bh));
  return k.addF(error, k.mulF(ql, bl));
}

Value cpu::remainder(KernelBuilder &k, Value a, Value b) {
  return inDouble(k, {a, b}, [&](ArrayRef<Value> wide) {
    Value a = wide[0], size = k.absF(wide[0]), b = k.absF(wide[1]);
    Value q = LLVM::FTruncOp::create(k, k.divF(size, b));
    Value product = k.mulF(q, b);
    Value r = k.target.hasFma ? k.fma(k.negF(q), b, size)
                              : k.subF(k.subF(size, product),
                                       productError(k, q, b, product));
    // The quotient may have been rounded up, or by one too few.
    Value zero = k.zero(a.getType());
    r = k.select(compare(k, arith::CmpFPredicate::OLT, r, zero), k.addF(r, b),
                 r);
    r = k.select(compare(k, arith::CmpFPredicate::OGE, r, b), k.subF(r, b), r);
    Value endless = compare(k, arith::CmpFPredicate::OEQ, b,
                            k.constant(a.getType(), infinity));
    Value finite = compare(k, arith::CmpFPredicate::OLT, size,
                           k.constant(a.getType(), infinity));
    r = k.select(k.both(endless, finite), size, r);
    return Value(LLVM::CopySignOp::create(k, r, a));
  });
}
