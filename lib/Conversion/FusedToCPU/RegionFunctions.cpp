//===- RegionFunctions.cpp - Ops of a region that are functions -----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are numbers of one shape, scalars or vectors.
//
//===----------------------------------------------------------------------===//

#include "RegionFunctions.h"
#include "sinter/Conversion/FusedToCPU/VectorMath.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// Whether a value of the region is a constant other than NaN.
static bool isNumber(Value value) {
  FloatAttr attr;
  return matchPattern(value, m_Constant(&attr)) && !attr.getValue().isNaN();
}

/// maximumf and minimumf (a NaN wins), maxnumf and minnumf (a number wins).
static Value emitMaximum(KernelBuilder &k, Operation &op, ArrayRef<Value> v,
                         bool maximum, bool keepNaN) {
  auto choose = [&](Value a, Value b) {
    return maximum ? k.maxF(a, b) : k.minF(a, b);
  };
  // One instruction gives its second operand where either is NaN.
  if (isNumber(op.getOperand(1)))
    return keepNaN ? choose(v[1], v[0]) : choose(v[0], v[1]);
  if (isNumber(op.getOperand(0)))
    return keepNaN ? choose(v[0], v[1]) : choose(v[1], v[0]);
  // Its second operand is NaN already where that is what is wanted.
  Value a = keepNaN ? v[0] : v[1], b = keepNaN ? v[1] : v[0];
  Value nan = arith::CmpFOp::create(k, arith::CmpFPredicate::UNO, a, a);
  if (keepNaN)
    return k.select(nan, a, choose(a, b));
  return k.select(nan, b, choose(b, a));
}

static Value emitClass(KernelBuilder &k, Operation &op, Value x) {
  Value infinity = k.constant(x.getType(), HUGE_VAL);
  auto predicate = isa<math::IsNaNOp>(op)   ? arith::CmpFPredicate::UNO
                   : isa<math::IsInfOp>(op) ? arith::CmpFPredicate::OEQ
                                            : arith::CmpFPredicate::OLT;
  return arith::CmpFOp::create(k, predicate, k.absF(x), infinity);
}

using Unary = Value (*)(KernelBuilder &, Value);

template <typename Op> static Value intrinsic(KernelBuilder &k, Value x) {
  return Op::create(k, x);
}

static Value log10(KernelBuilder &k, Value x) {
  Value y = cpu::log2(k, x);
  return k.mulF(y, k.constant(y.getType(), 0.3010299956639812));
}

static Unary functionNamed(StringRef name) {
  static const llvm::StringMap<Unary> table = {
      {"math.exp", cpu::exp},
      {"math.exp2", [](KernelBuilder &k, Value x) { return cpu::exp2(k, x); }},
      {"math.expm1", cpu::expm1},
      {"math.log", cpu::log},
      {"math.log2", cpu::log2},
      {"math.log1p", cpu::log1p},
      {"math.log10", log10},
      {"math.tanh", cpu::tanh},
      {"math.erf", cpu::erf},
      {"math.sin", cpu::sin},
      {"math.cos", cpu::cos},
      {"math.tan", cpu::tan},
      {"math.asin", cpu::asin},
      {"math.acos", cpu::acos},
      {"math.atan", cpu::atan},
      {"math.sinh", cpu::sinh},
      {"math.cosh", cpu::cosh},
      {"math.asinh", cpu::asinh},
      {"math.acosh", cpu::acosh},
      {"math.atanh", cpu::atanh},
      {"math.cbrt", cpu::cbrt},
      {"math.sqrt", intrinsic<LLVM::SqrtOp>},
      {"math.rsqrt", cpu::rsqrt},
      {"math.absf", intrinsic<LLVM::FAbsOp>},
      {"math.floor", intrinsic<LLVM::FFloorOp>},
      {"math.ceil", intrinsic<LLVM::FCeilOp>},
      {"math.trunc", intrinsic<LLVM::FTruncOp>},
      {"math.round", intrinsic<LLVM::RoundOp>},
      {"math.roundeven", intrinsic<LLVM::RoundEvenOp>},
      {"fused.sigmoid", cpu::sigmoid},
  };
  return table.lookup(name);
}

static Value emitFloat(KernelBuilder &k, Operation &op, ArrayRef<Value> v) {
  if (Unary function = functionNamed(op.getName().getStringRef()))
    return function(k, v[0]);
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](arith::MaximumFOp) {
        return emitMaximum(k, op, v, /*maximum=*/true, /*keepNaN=*/true);
      })
      .Case([&](arith::MinimumFOp) {
        return emitMaximum(k, op, v, /*maximum=*/false, /*keepNaN=*/true);
      })
      .Case([&](arith::MaxNumFOp) {
        return emitMaximum(k, op, v, /*maximum=*/true, /*keepNaN=*/false);
      })
      .Case([&](arith::MinNumFOp) {
        return emitMaximum(k, op, v, /*maximum=*/false, /*keepNaN=*/false);
      })
      .Case([&](arith::RemFOp) { return cpu::remainder(k, v[0], v[1]); })
      .Case<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(
          [&](auto) { return emitClass(k, op, v[0]); })
      .Case([&](math::ClampFOp) { return k.minF(v[2], k.maxF(v[1], v[0])); })
      .Case([&](math::FPowIOp) {
        Value y = arith::SIToFPOp::create(k, v[0].getType(), v[1]);
        return cpu::pow(k, v[0], y);
      })
      .Case([&](math::PowFOp) { return cpu::pow(k, v[0], v[1]); })
      .Case([&](math::Atan2Op) { return cpu::atan2(k, v[0], v[1]); })
      .Case([&](math::FmaOp) { return k.fma(v[0], v[1], v[2]); })
      .Case([&](math::CopySignOp) {
        return Value(LLVM::CopySignOp::create(k, v[0], v[1]));
      })
      .Default([](Operation *) { return Value(); });
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value isEqual(KernelBuilder &k, Value a, int64_t b) {
  return arith::CmpIOp::create(k, arith::CmpIPredicate::eq, a,
                               k.constantInt(a.getType(), b));
}

/// A divisor of 0, which lanes past the end of a row may hold, would trap, and
/// so would the least number divided by -1; that quotient wraps.
static Value quotient(KernelBuilder &k, Value a, Value b, bool isSigned) {
  Value one = k.constantInt(a.getType(), 1);
  Value zero = k.constantInt(a.getType(), 0);
  Value safe = k.select(isEqual(k, b, 0), one, b);
  if (!isSigned)
    return arith::DivUIOp::create(k, a, safe);
  Value negates = isEqual(k, b, -1);
  safe = k.select(negates, one, safe);
  Value result = arith::DivSIOp::create(k, a, safe);
  return k.select(negates, k.sub(zero, a), result);
}

static Value remainderOf(KernelBuilder &k, Value a, Value b, bool isSigned) {
  Value one = k.constantInt(a.getType(), 1);
  Value safe = k.select(isEqual(k, b, 0), one, b);
  if (!isSigned)
    return arith::RemUIOp::create(k, a, safe);
  safe = k.select(isEqual(k, b, -1), one, safe);
  return arith::RemSIOp::create(k, a, safe);
}

/// The quotient toward 0, corrected by one where a rest is left and the exact
/// quotient lies on the other side.
static Value roundedQuotient(KernelBuilder &k, Operation &op, Value a,
                             Value b) {
  bool isSigned = !isa<arith::CeilDivUIOp>(op);
  Type type = a.getType();
  Value zero = k.constantInt(type, 0), one = k.constantInt(type, 1);
  Value q = quotient(k, a, b, isSigned);
  Value rest = k.sub(a, k.mul(q, b));
  Value off = arith::CmpIOp::create(k, arith::CmpIPredicate::ne, rest, zero);
  if (!isSigned)
    return k.select(off, k.add(q, one), q);
  Value signs = arith::XOrIOp::create(k, a, b);
  Value negative = k.lt(signs, zero);
  if (isa<arith::FloorDivSIOp>(op))
    return k.select(k.both(off, negative), k.sub(q, one), q);
  return k.select(k.both(off, k.le(zero, signs)), k.add(q, one), q);
}

/// A shift by the width or more leaves nothing, or the sign.
static Value emitShift(KernelBuilder &k, Operation &op, Value a, Value b) {
  Type type = a.getType();
  unsigned width = KernelBuilder::elementOf(type).getIntOrFloatBitWidth();
  Value last = k.constantInt(type, width - 1);
  if (isa<arith::ShRSIOp>(op))
    return arith::ShRSIOp::create(k, a, arith::MinUIOp::create(k, b, last));
  Value inside = arith::CmpIOp::create(k, arith::CmpIPredicate::ule, b, last);
  Value amount = arith::MinUIOp::create(k, b, last);
  Value shifted = isa<arith::ShLIOp>(op)
                      ? Value(arith::ShLIOp::create(k, a, amount))
                      : Value(arith::ShRUIOp::create(k, a, amount));
  return k.select(inside, shifted, k.constantInt(type, 0));
}

static Value emitInteger(KernelBuilder &k, Operation &op, ArrayRef<Value> v) {
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](arith::DivSIOp) { return quotient(k, v[0], v[1], true); })
      .Case([&](arith::DivUIOp) { return quotient(k, v[0], v[1], false); })
      .Case([&](arith::RemSIOp) { return remainderOf(k, v[0], v[1], true); })
      .Case([&](arith::RemUIOp) { return remainderOf(k, v[0], v[1], false); })
      .Case<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return roundedQuotient(k, op, v[0], v[1]); })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(
          [&](auto) { return emitShift(k, op, v[0], v[1]); })
      .Case([&](math::AbsIOp) {
        Value negated = k.sub(k.constantInt(v[0].getType(), 0), v[0]);
        return Value(arith::MaxSIOp::create(k, v[0], negated));
      })
      .Case([&](math::CtPopOp) {
        return Value(LLVM::CtPopOp::create(k, v[0].getType(), v[0]));
      })
      .Case([&](math::CountLeadingZerosOp) {
        return Value(LLVM::CountLeadingZerosOp::create(
            k, v[0].getType(), v[0], /*is_zero_poison=*/false));
      })
      .Case([&](math::CountTrailingZerosOp) {
        return Value(LLVM::CountTrailingZerosOp::create(
            k, v[0].getType(), v[0], /*is_zero_poison=*/false));
      })
      .Default([](Operation *) { return Value(); });
}

Value cpu::emitFunction(KernelBuilder &k, Operation &op,
                        ArrayRef<Value> operands) {
  if (Value result = emitFloat(k, op, operands))
    return result;
  return emitInteger(k, op, operands);
}
