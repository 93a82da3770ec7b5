//===- IndexRanges.cpp - How large indices in a region are ----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static IndexRange rangeOf(Type type) {
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return {llvm::minIntN(bits), llvm::maxIntN(bits)};
}

/// The hull of numbers, all of it where one is beyond 64 bits.
static IndexRange hull(Type type, ArrayRef<__int128> values) {
  auto [low, high] = std::minmax_element(values.begin(), values.end());
  IndexRange all = rangeOf(type);
  if (*low < all.low || *high > all.high)
    return all;
  return {static_cast<int64_t>(*low), static_cast<int64_t>(*high)};
}

IndexRange IndexRanges::get(Value value) {
  if (auto known = ranges.find(value); known != ranges.end())
    return known->second;
  IndexRange range = compute(value);
  ranges[value] = range;
  return range;
}

bool IndexRanges::isNarrow(Value value) {
  IndexRange range = get(value);
  return range.low > std::numeric_limits<int32_t>::min() &&
         range.high < std::numeric_limits<int32_t>::max();
}

using Wide = __int128;

/// Sums, differences and products; null for other ops.
static std::optional<IndexRange> ofArithmetic(Operation *op, IndexRange a,
                                              IndexRange b) {
  Type type = op->getResult(0).getType();
  if (isa<arith::AddIOp>(op))
    return hull(type, {Wide(a.low) + b.low, Wide(a.high) + b.high});
  if (isa<arith::SubIOp>(op))
    return hull(type, {Wide(a.low) - b.high, Wide(a.high) - b.low});
  if (isa<arith::MulIOp>(op))
    return hull(type, {Wide(a.low) * b.low, Wide(a.low) * b.high,
                       Wide(a.high) * b.low, Wide(a.high) * b.high});
  return std::nullopt;
}

/// Quotients, no larger than their dividend, remainders and bits.
static std::optional<IndexRange> ofDivision(Operation *op, IndexRange a,
                                            IndexRange b) {
  if (isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
    return hull(op->getResult(0).getType(),
                {Wide(a.low), Wide(a.high), -Wide(a.low), -Wide(a.high)});
  if (isa<arith::DivUIOp>(op) && a.low >= 0)
    return a;
  if (isa<arith::RemUIOp>(op) && a.low >= 0 && b.low > 0)
    return IndexRange{0, b.high - 1};
  if (isa<arith::RemSIOp>(op) && b.low > 0)
    return IndexRange{a.low < 0 ? 1 - b.high : 0, b.high - 1};
  if (isa<arith::AndIOp>(op) && (a.low >= 0 || b.low >= 0))
    return IndexRange{0, a.low < 0   ? b.high
                         : b.low < 0 ? a.high
                                     : std::min(a.high, b.high)};
  return std::nullopt;
}

/// One of two numbers.
static std::optional<IndexRange> ofChoice(Operation *op, IndexRange a,
                                          IndexRange b) {
  if (isa<arith::MinSIOp>(op))
    return IndexRange{std::min(a.low, b.low), std::min(a.high, b.high)};
  if (isa<arith::MaxSIOp>(op))
    return IndexRange{std::max(a.low, b.low), std::max(a.high, b.high)};
  if (isa<arith::SelectOp>(op))
    return IndexRange{std::min(a.low, b.low), std::max(a.high, b.high)};
  return std::nullopt;
}

IndexRange IndexRanges::compute(Value value) {
  Type type = value.getType();
  IndexRange all = rangeOf(type);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  Operation *op = value.getDefiningOp();
  if (!op)
    return all;
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op)) {
    IndexRange a = get(op->getOperand(0));
    return hull(type, {Wide(a.low), Wide(a.high)});
  }
  unsigned count = op->getNumOperands();
  bool known = isa<arith::SelectOp>(op) ||
               (isa<arith::ArithDialect>(op->getDialect()) && count == 2);
  if (!known || !op->getOperand(count - 2).getType().isIntOrIndex())
    return all;
  IndexRange a = get(op->getOperand(count - 2)),
             b = get(op->getOperand(count - 1));
  for (auto of : {ofArithmetic, ofDivision, ofChoice})
    if (std::optional<IndexRange> range = of(op, a, b))
      return *range;
  return all;
}
