//===- ScalarInteger.cpp - Scalar functions of integers -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APInt does the arithmetic, so a result wraps in the width of its type.
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace sinter {

unsigned widthOf(Type type) {
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

APInt toAPInt(const ScalarValue &value) {
  return APInt(widthOf(value.type), static_cast<uint64_t>(value.integer),
               /*isSigned=*/false, /*implicitTrunc=*/true);
}

static ScalarValue fromAPInt(Type type, const APInt &value) {
  return ScalarValue::ofInteger(type,
                                static_cast<int64_t>(value.getRawData()[0]));
}

template <APInt (*function)(const APInt &, const APInt &)>
static std::optional<ScalarValue> binary(Operation *, Type type,
                                         ArrayRef<ScalarValue> x) {
  return fromAPInt(type, function(toAPInt(x[0]), toAPInt(x[1])));
}

/// Undefined where the second operand is 0.
template <APInt (*function)(const APInt &, const APInt &)>
static std::optional<ScalarValue> quotient(Operation *, Type type,
                                           ArrayRef<ScalarValue> x) {
  APInt divisor = toAPInt(x[1]);
  if (divisor.isZero())
    return std::nullopt;
  return fromAPInt(type, function(toAPInt(x[0]), divisor));
}

template <int64_t (*function)(const APInt &)>
static std::optional<ScalarValue> unary(Operation *, Type type,
                                        ArrayRef<ScalarValue> x) {
  return ScalarValue::ofInteger(type, function(toAPInt(x[0])));
}

static APInt ceilDivideUnsigned(const APInt &a, const APInt &b) {
  return llvm::APIntOps::RoundingUDiv(a, b, APInt::Rounding::UP);
}
static APInt ceilDivideSigned(const APInt &a, const APInt &b) {
  return llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::UP);
}
static APInt floorDivideSigned(const APInt &a, const APInt &b) {
  return llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN);
}

static APInt power(const APInt &base, const APInt &exponent) {
  APInt one(base.getBitWidth(), 1);
  if (exponent.isNegative())
    return base.isOne() || (base.isAllOnes() && !exponent[0]) ? one
           : base.isAllOnes() ? base
                              : APInt(base.getBitWidth(), 0);
  APInt result = one;
  for (unsigned bit = exponent.getActiveBits(); bit-- > 0;) {
    result *= result;
    if (exponent[bit])
      result *= base;
  }
  return result;
}

static bool compare(arith::CmpIPredicate predicate, const APInt &a,
                    const APInt &b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
    return a.slt(b);
  case P::sle:
    return a.sle(b);
  case P::sgt:
    return a.sgt(b);
  case P::sge:
    return a.sge(b);
  case P::ult:
    return a.ult(b);
  case P::ule:
    return a.ule(b);
  case P::ugt:
    return a.ugt(b);
  case P::uge:
    return a.uge(b);
  }
  llvm_unreachable("all predicates are listed");
}

static std::optional<ScalarValue> compareIntegers(Operation *op, Type type,
                                                  ArrayRef<ScalarValue> x) {
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  return ScalarValue::ofInteger(
      type, compare(predicate, toAPInt(x[0]), toAPInt(x[1])));
}

static std::optional<ScalarValue> select(Operation *, Type,
                                         ArrayRef<ScalarValue> x) {
  return x[0].integer ? x[1] : x[2];
}

static void addArithmetic(ScalarTable &t) {
  using A = const APInt &;
  t["arith.addi"] = binary<[](A a, A b) { return a + b; }>;
  t["arith.subi"] = binary<[](A a, A b) { return a - b; }>;
  t["arith.muli"] = binary<[](A a, A b) { return a * b; }>;
  t["arith.divsi"] = quotient<[](A a, A b) { return a.sdiv(b); }>;
  t["arith.divui"] = quotient<[](A a, A b) { return a.udiv(b); }>;
  t["arith.remsi"] = quotient<[](A a, A b) { return a.srem(b); }>;
  t["arith.remui"] = quotient<[](A a, A b) { return a.urem(b); }>;
  t["arith.ceildivsi"] = quotient<ceilDivideSigned>;
  t["arith.ceildivui"] = quotient<ceilDivideUnsigned>;
  t["arith.floordivsi"] = quotient<floorDivideSigned>;
  t["arith.maxsi"] = binary<[](A a, A b) { return a.sgt(b) ? a : b; }>;
  t["arith.maxui"] = binary<[](A a, A b) { return a.ugt(b) ? a : b; }>;
  t["arith.minsi"] = binary<[](A a, A b) { return a.slt(b) ? a : b; }>;
  t["arith.minui"] = binary<[](A a, A b) { return a.ult(b) ? a : b; }>;
  t["math.ipowi"] = binary<power>;
}

static void addBits(ScalarTable &t) {
  using A = const APInt &;
  t["arith.andi"] = binary<[](A a, A b) { return a & b; }>;
  t["arith.ori"] = binary<[](A a, A b) { return a | b; }>;
  t["arith.xori"] = binary<[](A a, A b) { return a ^ b; }>;
  // A shift by the width or more gives 0 (or the sign), as APInt has it.
  t["arith.shli"] = binary<[](A a, A b) { return a.shl(b); }>;
  t["arith.shrsi"] = binary<[](A a, A b) { return a.ashr(b); }>;
  t["arith.shrui"] = binary<[](A a, A b) { return a.lshr(b); }>;
  t["math.absi"] = unary<[](A a) { return a.abs().getSExtValue(); }>;
  t["math.ctlz"] = unary<[](A a) -> int64_t { return a.countl_zero(); }>;
  t["math.cttz"] = unary<[](A a) -> int64_t { return a.countr_zero(); }>;
  t["math.ctpop"] = unary<[](A a) -> int64_t { return a.popcount(); }>;
}

void addIntegerFunctions(ScalarTable &table) {
  addArithmetic(table);
  addBits(table);
  table["arith.cmpi"] = compareIntegers;
  table["arith.select"] = select;
}

} // namespace sinter
