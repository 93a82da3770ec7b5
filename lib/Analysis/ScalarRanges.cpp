//===- ScalarRanges.cpp - Scalar regions over boxes of indices ------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarRanges.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;

/// Indices and 64-bit captures beyond this make an analysis invalid (at run
/// time), so that sums of a few of them can't wrap.
static constexpr int64_t indexBound = int64_t(1) << 40;
static constexpr int64_t valueBound = int64_t(1) << 62;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value ScalarRanges::constant(int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value ScalarRanges::boolean(bool value) {
  return arith::ConstantIntOp::create(builder, loc, value, 1);
}

/// Bounds of the signed integers of `type`.
static std::pair<int64_t, int64_t> boundsOf(Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (width >= 64)
    return {-indexBound, indexBound};
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

std::optional<AffineRange> ScalarRanges::point(Value exactValue) {
  auto [min, max] = boundsOf(exactValue.getType());
  Value value = exactValue;
  if (!value.getType().isIndex())
    value = emit<arith::IndexCastOp>(builder.getIndexType(), value);
  APInt number;
  if (matchPattern(exactValue, m_ConstantInt(&number))) {
    int64_t n = number.getSExtValue();
    return AffineRange{0, 0, value, value, n, n};
  }
  AffineRange range{0, 0, value, value, INT64_MIN, INT64_MAX};
  if (exactValue.getType().isIndex() ||
      exactValue.getType().getIntOrFloatBitWidth() >= 64)
    return require(range, min, max);
  range.min = min;
  range.max = max;
  return range;
}

/// A number that is known where `applies` holds; elsewhere it may be any of its
/// type, which must be narrow enough for that to be of use.
std::optional<AffineRange> ScalarRanges::pointIf(Value applies,
                                                 Value exactValue) {
  Type type = exactValue.getType();
  if (type.isIndex() || type.getIntOrFloatBitWidth() >= 64)
    return std::nullopt;
  auto [min, max] = boundsOf(type);
  Value value = emit<arith::IndexCastOp>(builder.getIndexType(), exactValue);
  return AffineRange{0,
                     0,
                     select(applies, value, constant(min)),
                     select(applies, value, constant(max)),
                     min,
                     max};
}

Interval ScalarRanges::interval(const AffineRange &range, bool withKeys) {
  Interval result{range.low, range.high, range.min, range.max};
  auto addTerm = [&](int64_t factor, Value begin, Value end) {
    if (factor == 0)
      return;
    Value last = emit<arith::SubIOp>(end, constant(1));
    Value atLow = factor > 0 ? begin : last, atHigh = factor > 0 ? last : begin;
    auto scaled = [&](Value v) -> Value {
      return factor == 1 ? v : emit<arith::MulIOp>(v, constant(factor));
    };
    result.low = emit<arith::AddIOp>(scaled(atLow), result.low);
    result.high = emit<arith::AddIOp>(scaled(atHigh), result.high);
    int64_t reach = std::abs(factor) * indexBound;
    result.min -= reach;
    result.max += reach;
  };
  addTerm(range.queries, box.queryBegin, box.queryEnd);
  if (withKeys)
    addTerm(range.keys, box.keyBegin, box.keyEnd);
  return result;
}

std::optional<AffineRange> ScalarRanges::fromInterval(Interval value) {
  return AffineRange{0, 0, value.low, value.high, value.min, value.max};
}

/// Whether the range stays so far from the edge of 64 bits that further sums of
/// its parts don't wrap.
static bool isSmall(const AffineRange &range) {
  constexpr int64_t maxFactor = 1 << 20;
  if (std::abs(range.queries) > maxFactor || std::abs(range.keys) > maxFactor)
    return false;
  int64_t reach = (std::abs(range.queries) + std::abs(range.keys)) * indexBound;
  return range.min >= -valueBound + reach && range.max <= valueBound - reach;
}

std::optional<AffineRange> ScalarRanges::add(const Range &a, const Range &b) {
  if (!a || !b)
    return std::nullopt;
  AffineRange sum{a->queries + b->queries, a->keys + b->keys, Value(), Value(),
                  a->min + b->min,         a->max + b->max};
  if (!isSmall(sum))
    return std::nullopt;
  sum.low = emit<arith::AddIOp>(a->low, b->low);
  sum.high = a->low == a->high && b->low == b->high
                 ? sum.low
                 : emit<arith::AddIOp>(a->high, b->high);
  return sum;
}

std::optional<AffineRange> ScalarRanges::scale(const Range &a, int64_t factor) {
  if (!a)
    return std::nullopt;
  AffineRange product;
  if (llvm::MulOverflow(a->queries, factor, product.queries) ||
      llvm::MulOverflow(a->keys, factor, product.keys) ||
      llvm::MulOverflow(a->min, factor, product.min) ||
      llvm::MulOverflow(a->max, factor, product.max))
    return std::nullopt;
  if (factor < 0)
    std::swap(product.min, product.max);
  if (!isSmall(product))
    return std::nullopt;
  Value c = constant(factor);
  product.low = emit<arith::MulIOp>(factor < 0 ? a->high : a->low, c);
  product.high = a->low == a->high
                     ? product.low
                     : emit<arith::MulIOp>(factor < 0 ? a->low : a->high, c);
  return product;
}

std::optional<AffineRange> ScalarRanges::multiply(const Range &a,
                                                  const Range &b) {
  if (!a || !b)
    return std::nullopt;
  auto isNumber = [](const Range &r) {
    return r->queries == 0 && r->keys == 0 && r->min == r->max;
  };
  if (isNumber(b))
    return scale(a, b->min);
  if (isNumber(a))
    return scale(b, a->min);
  Interval x = interval(*a), y = interval(*b);
  Interval product;
  bool first = true;
  for (auto [xValue, xBound] : {std::pair(x.low, x.min), {x.high, x.max}})
    for (auto [yValue, yBound] : {std::pair(y.low, y.min), {y.high, y.max}}) {
      int64_t bound;
      if (llvm::MulOverflow(xBound, yBound, bound) ||
          std::abs(bound / 2) > valueBound / 2)
        return std::nullopt;
      Value v = emit<arith::MulIOp>(xValue, yValue);
      product.low = first ? v : emit<arith::MinSIOp>(product.low, v);
      product.high = first ? v : emit<arith::MaxSIOp>(product.high, v);
      product.min = first ? bound : std::min(product.min, bound);
      product.max = first ? bound : std::max(product.max, bound);
      first = false;
    }
  return fromInterval(product);
}

std::optional<AffineRange> ScalarRanges::require(const Range &a, int64_t min,
                                                 int64_t max) {
  if (!a)
    return std::nullopt;
  Interval value = interval(*a);
  AffineRange result = *a;
  bool isAffine = a->queries != 0 || a->keys != 0;
  if (value.min < min) {
    Value holds = compare(arith::CmpIPredicate::sge, value.low, constant(min));
    valid = emit<arith::AndIOp>(valid, holds);
    if (!isAffine)
      result.min = min;
  }
  if (value.max > max) {
    Value holds = compare(arith::CmpIPredicate::sle, value.high, constant(max));
    valid = emit<arith::AndIOp>(valid, holds);
    if (!isAffine)
      result.max = max;
  }
  return result;
}

std::optional<AffineRange> ScalarRanges::requireNotNegative(const Range &a) {
  return require(a, 0, INT64_MAX);
}

std::optional<AffineRange> ScalarRanges::fit(const Range &a, Type type) {
  if (!a || type.isIndex() || type.getIntOrFloatBitWidth() >= 64)
    return a;
  auto [min, max] = boundsOf(type);
  return require(a, min, max);
}

/// Division by a positive number, rounded as the operation says; all of them
/// are monotone.
std::optional<AffineRange> ScalarRanges::divide(Operation &op, const Range &a,
                                                const Range &b) {
  bool isUnsigned = isa<arith::DivUIOp, arith::CeilDivUIOp>(op);
  Range x = isUnsigned ? requireNotNegative(a) : a;
  Range y = require(b, 1, INT64_MAX);
  if (!x || !y)
    return std::nullopt;
  Interval value = interval(*x), divisor = interval(*y);
  if (divisor.low != divisor.high)
    return std::nullopt;
  // Safe also where the requirement fails.
  Value by = emit<arith::MaxSIOp>(divisor.low, constant(1));
  auto quotient = [&](Value v) -> Value {
    if (isa<arith::FloorDivSIOp>(op))
      return emit<arith::FloorDivSIOp>(v, by);
    if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
      return emit<arith::CeilDivSIOp>(v, by);
    return emit<arith::DivSIOp>(v, by);
  };
  // The magnitude never grows, and rounding keeps 0 and the signs.
  return fromInterval({quotient(value.low), quotient(value.high),
                       std::min<int64_t>(value.min, 0),
                       std::max<int64_t>(value.max, 0)});
}

/// Remainder of a number that is not negative by a positive one.
std::optional<AffineRange> ScalarRanges::remainder(const Range &a,
                                                   const Range &b) {
  Range x = requireNotNegative(a), y = require(b, 1, INT64_MAX);
  if (!x || !y)
    return std::nullopt;
  Interval value = interval(*x), divisor = interval(*y);
  if (divisor.low != divisor.high)
    return std::nullopt;
  Value by = emit<arith::MaxSIOp>(divisor.low, constant(1));
  Value isOneBlock =
      compare(arith::CmpIPredicate::eq, emit<arith::DivSIOp>(value.low, by),
              emit<arith::DivSIOp>(value.high, by));
  Value last = emit<arith::SubIOp>(by, constant(1));
  return fromInterval(
      {select(isOneBlock, emit<arith::RemSIOp>(value.low, by), constant(0)),
       select(isOneBlock, emit<arith::RemSIOp>(value.high, by), last), 0,
       std::max<int64_t>(divisor.max - 1, 0)});
}

std::optional<AffineRange> ScalarRanges::extremum(bool isMax, const Range &a,
                                                  const Range &b) {
  if (!a || !b)
    return std::nullopt;
  Interval x = interval(*a), y = interval(*b);
  if (isMax)
    return fromInterval({emit<arith::MaxSIOp>(x.low, y.low),
                         emit<arith::MaxSIOp>(x.high, y.high),
                         std::max(x.min, y.min), std::max(x.max, y.max)});
  return fromInterval({emit<arith::MinSIOp>(x.low, y.low),
                       emit<arith::MinSIOp>(x.high, y.high),
                       std::min(x.min, y.min), std::min(x.max, y.max)});
}

std::optional<AffineRange> ScalarRanges::choose(arith::SelectOp op) {
  Range a = rangeOf(op.getTrueValue()), b = rangeOf(op.getFalseValue());
  if (!a || !b)
    return std::nullopt;
  Interval x = interval(*a), y = interval(*b);
  return fromInterval({emit<arith::MinSIOp>(x.low, y.low),
                       emit<arith::MaxSIOp>(x.high, y.high),
                       std::min(x.min, y.min), std::max(x.max, y.max)});
}

std::optional<AffineRange> ScalarRanges::absolute(const Range &a) {
  if (!a)
    return std::nullopt;
  Interval x = interval(*a);
  Value zero = constant(0);
  Value mirrored = emit<arith::SubIOp>(zero, x.high);
  Value low = emit<arith::MaxSIOp>(emit<arith::MaxSIOp>(x.low, mirrored), zero);
  Value high = emit<arith::MaxSIOp>(emit<arith::SubIOp>(zero, x.low), x.high);
  return fromInterval({low, high, 0, std::max(-x.min, x.max)});
}
