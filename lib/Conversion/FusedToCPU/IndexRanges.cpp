//===- IndexRanges.cpp - How large indices in a region are ----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexRanges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
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

IndexRange IndexRanges::compute(Value value) {
  Type type = value.getType();
  IndexRange all = rangeOf(type);
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return {constant.getSExtValue(), constant.getSExtValue()};
  Operation *op = value.getDefiningOp();
  if (!op)
    return all;
  auto at = [&](unsigned i) { return get(op->getOperand(i)); };
  using Wide = __int128;
  return llvm::TypeSwitch<Operation *, IndexRange>(op)
      .Case([&](arith::AddIOp) {
        IndexRange a = at(0), b = at(1);
        return hull(type, {Wide(a.low) + b.low, Wide(a.high) + b.high});
      })
      .Case([&](arith::SubIOp) {
        IndexRange a = at(0), b = at(1);
        return hull(type, {Wide(a.low) - b.high, Wide(a.high) - b.low});
      })
      .Case([&](arith::MulIOp) {
        IndexRange a = at(0), b = at(1);
        return hull(type, {Wide(a.low) * b.low, Wide(a.low) * b.high,
                           Wide(a.high) * b.low, Wide(a.high) * b.high});
      })
      .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>([&](auto) {
        // A quotient is no larger than its dividend.
        IndexRange a = at(0);
        return hull(type,
                    {Wide(a.low), Wide(a.high), -Wide(a.low), -Wide(a.high)});
      })
      .Case([&](arith::DivUIOp) { return at(0).low < 0 ? all : at(0); })
      .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) {
        IndexRange a = at(0), b = at(1);
        if (b.low <= 0 || (isa<arith::RemUIOp>(op) && a.low < 0))
          return all;
        return IndexRange{a.low < 0 ? 1 - b.high : 0, b.high - 1};
      })
      .Case([&](arith::AndIOp) {
        IndexRange a = at(0), b = at(1);
        if (a.low < 0 && b.low < 0)
          return all;
        return IndexRange{0, a.low < 0   ? b.high
                             : b.low < 0 ? a.high
                                         : std::min(a.high, b.high)};
      })
      .Case([&](arith::MinSIOp) {
        IndexRange a = at(0), b = at(1);
        return IndexRange{std::min(a.low, b.low), std::min(a.high, b.high)};
      })
      .Case([&](arith::MaxSIOp) {
        IndexRange a = at(0), b = at(1);
        return IndexRange{std::max(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case([&](arith::SelectOp) {
        IndexRange a = at(1), b = at(2);
        return IndexRange{std::min(a.low, b.low), std::max(a.high, b.high)};
      })
      .Case<arith::IndexCastOp, arith::ExtSIOp>([&](auto) {
        IndexRange a = at(0);
        return hull(type, {Wide(a.low), Wide(a.high)});
      })
      .Default(all);
}
