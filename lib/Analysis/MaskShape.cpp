//===- MaskShape.cpp - What a mask's operations tell by themselves --------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "sinter/Analysis/MaskTiles.h"
#include "llvm/ADT/DenseSet.h"
#include <numeric>

using namespace mlir;
using namespace sinter;

namespace {
/// How a value depends on q (argument 2) and k (argument 3), or on captures
/// that vary with them.
struct Dependence {
  llvm::DenseSet<Value> onQueries, onKeys, notAffine;

  bool varies(Value v) const {
    return onQueries.contains(v) || onKeys.contains(v);
  }
};
} // namespace

static bool keepsAffine(Operation &op) {
  if (isa<arith::AddIOp, arith::SubIOp, arith::IndexCastOp, arith::ExtSIOp>(op))
    return true;
  // By a constant only; constants are on the right after canonicalisation.
  APInt factor;
  return isa<arith::MulIOp>(op) &&
         matchPattern(op.getOperand(1), m_ConstantInt(&factor));
}

static Dependence findDependence(Block &body) {
  Dependence result;
  result.onQueries.insert(body.getArgument(2));
  result.onKeys.insert(body.getArgument(3));
  for (Operation &op : body.without_terminator()) {
    auto any = [&](const llvm::DenseSet<Value> &set) {
      return llvm::any_of(op.getOperands(),
                          [&](Value v) { return set.contains(v); });
    };
    bool queries = any(result.onQueries), keys = any(result.onKeys);
    bool nonAffine =
        any(result.notAffine) || ((queries || keys) && !keepsAffine(op));
    for (Value v : op.getResults()) {
      if (queries)
        result.onQueries.insert(v);
      if (keys)
        result.onKeys.insert(v);
      if (nonAffine)
        result.notAffine.insert(v);
    }
  }
  return result;
}

/// Whether `value` is a conjunction of affine comparisons.
static bool isAffineConjunction(Value value, const Dependence &dependence) {
  // A capture: it may vary with q or k in ways the region does not show.
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto both = dyn_cast<arith::AndIOp>(op))
    return isAffineConjunction(both.getLhs(), dependence) &&
           isAffineConjunction(both.getRhs(), dependence);
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return cmp.getPredicate() != arith::CmpIPredicate::ne &&
           !dependence.notAffine.contains(cmp.getLhs()) &&
           !dependence.notAffine.contains(cmp.getRhs());
  return !dependence.varies(value) && isa<arith::ConstantOp>(op);
}

/// Common multiple of the constants by which members of `numbers` are divided.
static std::optional<int64_t>
commonBlock(Block &body, const llvm::DenseSet<Value> &numbers) {
  constexpr int64_t largestBlock = 4096;
  int64_t block = 1;
  for (Operation &op : body.without_terminator()) {
    APInt divisor;
    if (!isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
             arith::RemSIOp, arith::RemUIOp>(op) ||
        !numbers.contains(op.getOperand(0)) ||
        !matchPattern(op.getOperand(1), m_ConstantInt(&divisor)))
      continue;
    int64_t multiple = std::lcm(block, divisor.getSExtValue());
    if (multiple > 0 && multiple <= largestBlock)
      block = multiple;
  }
  return block > 1 ? std::optional(block) : std::nullopt;
}

MaskShape sinter::examineMask(Region &mask) {
  MaskShape shape;
  if (mask.empty()) {
    shape.alwaysTrue = shape.isKeyRangeExact = true;
    return shape;
  }
  Block &body = mask.front();
  Value result = body.getTerminator()->getOperand(0);
  shape.alwaysTrue = matchPattern(result, m_One());
  Dependence dependence = findDependence(body);
  shape.isKeyRangeExact = isAffineConjunction(result, dependence);
  shape.keyBlock = commonBlock(body, dependence.onKeys);
  shape.queryBlock = commonBlock(body, dependence.onQueries);
  return shape;
}
