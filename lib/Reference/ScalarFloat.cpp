//===- ScalarFloat.cpp - Scalar functions of floats -----------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;

namespace sinter {

template <double (*function)(double)>
static std::optional<ScalarValue> unary(Operation *, Type type,
                                        ArrayRef<ScalarValue> x) {
  return ScalarValue::ofReal(type, function(x[0].real));
}

template <double (*function)(double, double)>
static std::optional<ScalarValue> binary(Operation *, Type type,
                                         ArrayRef<ScalarValue> x) {
  return ScalarValue::ofReal(type, function(x[0].real, x[1].real));
}

template <bool (*predicate)(double)>
static std::optional<ScalarValue> test(Operation *, Type type,
                                       ArrayRef<ScalarValue> x) {
  return ScalarValue::ofInteger(type, predicate(x[0].real));
}

static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

static double minimum(double a, double b) { return -maximum(-a, -b); }

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::AlwaysTrue:
    return true;
  case P::ORD:
    return !unordered;
  case P::UNO:
    return unordered;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return unordered || a != b;
  }
  llvm_unreachable("all predicates are listed");
}

static std::optional<ScalarValue> compareFloats(Operation *op, Type type,
                                                ArrayRef<ScalarValue> x) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  return ScalarValue::ofInteger(type, compare(predicate, x[0].real, x[1].real));
}

static void addArithmetic(ScalarTable &t) {
  t["arith.addf"] = binary<[](double a, double b) { return a + b; }>;
  t["arith.subf"] = binary<[](double a, double b) { return a - b; }>;
  t["arith.mulf"] = binary<[](double a, double b) { return a * b; }>;
  t["arith.divf"] = binary<[](double a, double b) { return a / b; }>;
  t["arith.remf"] = binary<[](double a, double b) { return std::fmod(a, b); }>;
  t["arith.negf"] = unary<[](double a) { return -a; }>;
  t["arith.maximumf"] = binary<maximum>;
  t["arith.minimumf"] = binary<minimum>;
  t["arith.maxnumf"] =
      binary<[](double a, double b) { return std::fmax(a, b); }>;
  t["arith.minnumf"] =
      binary<[](double a, double b) { return std::fmin(a, b); }>;
  t["arith.cmpf"] = compareFloats;
}

static void addRounding(ScalarTable &t) {
  t["math.absf"] = unary<[](double a) { return std::fabs(a); }>;
  t["math.ceil"] = unary<[](double a) { return std::ceil(a); }>;
  t["math.floor"] = unary<[](double a) { return std::floor(a); }>;
  t["math.round"] = unary<[](double a) { return std::round(a); }>;
  t["math.trunc"] = unary<[](double a) { return std::trunc(a); }>;
  // The interpreter leaves the rounding mode at its default, ties to even.
  t["math.roundeven"] = unary<[](double a) { return std::nearbyint(a); }>;
  t["math.copysign"] =
      binary<[](double a, double b) { return std::copysign(a, b); }>;
  t["math.isnan"] = test<[](double a) { return std::isnan(a); }>;
  t["math.isinf"] = test<[](double a) { return std::isinf(a); }>;
  t["math.isfinite"] = test<[](double a) { return std::isfinite(a); }>;
}

static void addTranscendental(ScalarTable &t) {
  t["math.exp"] = unary<[](double a) { return std::exp(a); }>;
  t["math.exp2"] = unary<[](double a) { return std::exp2(a); }>;
  t["math.expm1"] = unary<[](double a) { return std::expm1(a); }>;
  t["math.log"] = unary<[](double a) { return std::log(a); }>;
  t["math.log2"] = unary<[](double a) { return std::log2(a); }>;
  t["math.log10"] = unary<[](double a) { return std::log10(a); }>;
  t["math.log1p"] = unary<[](double a) { return std::log1p(a); }>;
  t["math.sqrt"] = unary<[](double a) { return std::sqrt(a); }>;
  t["math.rsqrt"] = unary<[](double a) { return 1 / std::sqrt(a); }>;
  t["math.cbrt"] = unary<[](double a) { return std::cbrt(a); }>;
  t["math.erf"] = unary<[](double a) { return std::erf(a); }>;
  t["math.erfc"] = unary<[](double a) { return std::erfc(a); }>;
  t["math.powf"] = binary<[](double a, double b) { return std::pow(a, b); }>;
  t["math.fpowi"] = [](Operation *, Type type,
                       ArrayRef<ScalarValue> x) -> std::optional<ScalarValue> {
    return ScalarValue::ofReal(
        type, std::pow(x[0].real, static_cast<double>(x[1].integer)));
  };
  t["math.fma"] = [](Operation *, Type type,
                     ArrayRef<ScalarValue> x) -> std::optional<ScalarValue> {
    return ScalarValue::ofReal(type, std::fma(x[0].real, x[1].real, x[2].real));
  };
}

static void addTrigonometric(ScalarTable &t) {
  t["math.sin"] = unary<[](double a) { return std::sin(a); }>;
  t["math.cos"] = unary<[](double a) { return std::cos(a); }>;
  t["math.tan"] = unary<[](double a) { return std::tan(a); }>;
  t["math.asin"] = unary<[](double a) { return std::asin(a); }>;
  t["math.acos"] = unary<[](double a) { return std::acos(a); }>;
  t["math.atan"] = unary<[](double a) { return std::atan(a); }>;
  t["math.atan2"] = binary<[](double a, double b) { return std::atan2(a, b); }>;
  t["math.sinh"] = unary<[](double a) { return std::sinh(a); }>;
  t["math.cosh"] = unary<[](double a) { return std::cosh(a); }>;
  t["math.tanh"] = unary<[](double a) { return std::tanh(a); }>;
  t["math.asinh"] = unary<[](double a) { return std::asinh(a); }>;
  t["math.acosh"] = unary<[](double a) { return std::acosh(a); }>;
  t["math.atanh"] = unary<[](double a) { return std::atanh(a); }>;
}

void addFloatFunctions(ScalarTable &table) {
  addArithmetic(table);
  addRounding(table);
  addTranscendental(table);
  addTrigonometric(table);
}

} // namespace sinter
