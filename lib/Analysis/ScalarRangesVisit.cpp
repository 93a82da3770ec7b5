//===- ScalarRangesVisit.cpp - What each operation of a region does -------===//
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
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;

ScalarRanges::Truth ScalarRanges::run(Region &mask, ArrayRef<Value> captures) {
  valid = boolean(true);
  Block &body = mask.front();
  if (box.batch)
    exact[body.getArgument(0)] = box.batch;
  if (box.head)
    exact[body.getArgument(1)] = box.head;
  Value zero = constant(0);
  ranges[body.getArgument(2)] = AffineRange{1, 0, zero, zero, 0, 0};
  ranges[body.getArgument(3)] = AffineRange{0, 1, zero, zero, 0, 0};
  for (auto [argument, value] :
       llvm::zip(body.getArguments().drop_front(4), captures))
    if (value)
      exact[argument] = value;
  for (Operation &op : body.without_terminator())
    visit(op);
  return truthOf(body.getTerminator()->getOperand(0));
}

void ScalarRanges::visit(Operation &op) {
  if (visitUniform(op))
    return;
  if (auto read = dyn_cast<fused::ReadOp>(op))
    return visitRead(read);
  if (op.getNumResults() != 1)
    return;
  Type type = op.getResult(0).getType();
  if (type.isInteger(1)) {
    truths[op.getResult(0)] = visitTruth(op);
  } else if (type.isIntOrIndex()) {
    if (Range range = fit(visitInteger(op), type))
      ranges[op.getResult(0)] = *range;
  }
}

/// An operation whose operands are known exactly is itself emitted.
bool ScalarRanges::visitUniform(Operation &op) {
  IRMapping mapping;
  for (Value operand : op.getOperands()) {
    Value value = exactOf(operand);
    if (!value)
      return false;
    mapping.map(operand, value);
  }
  if (op.getNumRegions() != 0 || !isPure(&op))
    return false;
  Operation *copy = op.clone(mapping);
  SmallVector<Value> results;
  if (succeeded(builder.tryFold(copy, results))) {
    copy->erase();
  } else {
    builder.insert(copy);
    results.assign(copy->result_begin(), copy->result_end());
  }
  for (auto [result, value] : llvm::zip(op.getResults(), results))
    exact[result] = value;
  return true;
}

/// A read at indices that vary with q or k is exact in those boxes in which
/// they turn out to be constant.
void ScalarRanges::visitRead(fused::ReadOp op) {
  Type type = op.getResult().getType();
  if (!read || !type.isIntOrIndex())
    return;
  Value isConstant = boolean(true);
  SmallVector<Value> indices;
  bool isExact = true;
  for (Value index : op.getIndices()) {
    Range range = rangeOf(index);
    if (!range)
      return;
    Interval value = interval(*range);
    isExact &= bool(exactOf(index));
    isConstant = emit<arith::AndIOp>(
        isConstant, compare(arith::CmpIPredicate::eq, value.low, value.high));
    indices.push_back(value.low);
  }
  Value known = read(op, indices);
  if (!known)
    return;
  if (isExact)
    exact[op.getResult()] = known;
  else if (type.isInteger(1))
    truths[op.getResult()] = truthIf(isConstant, known);
  else if (Range range = pointIf(isConstant, known))
    ranges[op.getResult()] = *range;
}

std::optional<AffineRange> ScalarRanges::rangeOf(Value value) {
  if (auto it = ranges.find(value); it != ranges.end())
    return it->second;
  if (!value.getType().isIntOrIndex())
    return std::nullopt;
  Range range;
  if (Value known = exactOf(value)) {
    if (known.getType().isInteger(1))
      known = emit<arith::ExtUIOp>(builder.getI32Type(), known);
    range = point(known);
  } else {
    // Anything that fits in a narrow type.
    Type type = value.getType();
    if (type.isIndex() || type.getIntOrFloatBitWidth() >= 64)
      return std::nullopt;
    unsigned width = type.getIntOrFloatBitWidth();
    int64_t min = width == 1 ? 0 : llvm::minIntN(width);
    int64_t max = width == 1 ? 1 : llvm::maxIntN(width);
    range = AffineRange{0, 0, constant(min), constant(max), min, max};
  }
  if (range)
    ranges[value] = *range;
  return range;
}

ScalarRanges::Truth ScalarRanges::truthOf(Value value) {
  if (Value known = exactOf(value))
    return exactTruth(known);
  auto it = truths.find(value);
  return it != truths.end() ? it->second : unknownTruth();
}

std::optional<AffineRange> ScalarRanges::visitInteger(Operation &op) {
  auto operand = [&](unsigned i) { return rangeOf(op.getOperand(i)); };
  return TypeSwitch<Operation *, Range>(&op)
      .Case<arith::AddIOp>([&](auto) { return add(operand(0), operand(1)); })
      .Case<arith::SubIOp>(
          [&](auto) { return add(operand(0), scale(operand(1), -1)); })
      .Case<arith::MulIOp>(
          [&](auto) { return multiply(operand(0), operand(1)); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp,
            arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto) { return divide(op, operand(0), operand(1)); })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return remainder(operand(0), operand(1)); })
      .Case<arith::MaxSIOp, arith::MinSIOp>([&](auto) {
        return extremum(isa<arith::MaxSIOp>(op), operand(0), operand(1));
      })
      .Case<arith::MaxUIOp, arith::MinUIOp>([&](auto) {
        return extremum(isa<arith::MaxUIOp>(op), requireNotNegative(operand(0)),
                        requireNotNegative(operand(1)));
      })
      .Case<arith::SelectOp>([&](auto select) { return choose(select); })
      .Case<math::AbsIOp>([&](auto) { return absolute(operand(0)); })
      .Case<arith::ExtUIOp, arith::IndexCastUIOp>(
          [&](auto) { return requireNotNegative(operand(0)); })
      .Case<arith::ExtSIOp>([&](auto) {
        return op.getOperand(0).getType().isInteger(1) ? Range() : operand(0);
      })
      .Case<arith::IndexCastOp, arith::TruncIOp>([&](auto) {
        return op.getOperand(0).getType().isInteger(1) ? Range() : operand(0);
      })
      .Default([](Operation *) { return Range(); });
}

ScalarRanges::Truth ScalarRanges::visitTruth(Operation &op) {
  auto operand = [&](unsigned i) { return truthOf(op.getOperand(i)); };
  if (auto cmp = dyn_cast<arith::CmpIOp>(op))
    return visitCompare(cmp);
  if (isa<arith::AndIOp>(op) || isa<arith::MulIOp>(op))
    return both(operand(0), operand(1));
  if (isa<arith::OrIOp>(op))
    return either(operand(0), operand(1));
  if (isa<arith::XOrIOp, arith::AddIOp, arith::SubIOp>(op)) {
    if (matchPattern(op.getOperand(1), m_One()))
      return negation(operand(0));
    return either(both(operand(0), negation(operand(1))),
                  both(negation(operand(0)), operand(1)));
  }
  if (isa<arith::SelectOp>(op))
    return either(both(operand(0), operand(1)),
                  both(negation(operand(0)), operand(2)));
  return unknownTruth();
}

ScalarRanges::Truth ScalarRanges::visitCompare(arith::CmpIOp op) {
  using P = arith::CmpIPredicate;
  P predicate = op.getPredicate();
  if (op.getLhs().getType().isInteger(1)) {
    Truth a = truthOf(op.getLhs()), b = truthOf(op.getRhs());
    if (predicate != P::eq && predicate != P::ne)
      return unknownTruth();
    Truth differ = either(both(a, negation(b)), both(negation(a), b));
    return predicate == P::ne ? differ : negation(differ);
  }
  Range a = rangeOf(op.getLhs()), b = rangeOf(op.getRhs());
  if (predicate >= P::ult) {
    a = requireNotNegative(a);
    b = requireNotNegative(b);
  }
  Range above = add(a, scale(b, -1)), below = add(b, scale(a, -1));
  auto one = AffineRange{0, 0, constant(1), constant(1), 1, 1};
  Range strictlyAbove = add(above, one), strictlyBelow = add(below, one);
  if (!strictlyAbove || !strictlyBelow)
    return unknownTruth();
  switch (predicate) {
  case P::eq:
    return both(notPositive(*above), notPositive(*below));
  case P::ne:
    return negation(both(notPositive(*above), notPositive(*below)));
  case P::slt:
  case P::ult:
    return notPositive(*strictlyAbove);
  case P::sle:
  case P::ule:
    return notPositive(*above);
  case P::sgt:
  case P::ugt:
    return notPositive(*strictlyBelow);
  case P::sge:
  case P::uge:
    return notPositive(*below);
  }
  return unknownTruth();
}
