//===- CellFormulas.cpp - recurrent cells in simpler ops ------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CellFormulas.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace sinter;

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value CellFormulas::constant(double value, Value like) {
  Value scalar = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(static_cast<float>(value)));
  return BroadcastOp::create(builder, loc, scalar, like);
}

Value CellFormulas::add(Value lhs, Value rhs) {
  return arith::AddFOp::create(builder, loc, lhs, rhs);
}

Value CellFormulas::sub(Value lhs, Value rhs) {
  return arith::SubFOp::create(builder, loc, lhs, rhs);
}

Value CellFormulas::mul(Value lhs, Value rhs) {
  return arith::MulFOp::create(builder, loc, lhs, rhs);
}

Value CellFormulas::max(Value x, double least) {
  return arith::MaximumFOp::create(builder, loc, x, constant(least, x));
}

Value CellFormulas::min(Value x, double greatest) {
  return arith::MinimumFOp::create(builder, loc, x, constant(greatest, x));
}

Value CellFormulas::selectFrom(Value x, double least, Value otherwise) {
  Value isFrom = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UGE,
                                       x, constant(least, x));
  return arith::SelectOp::create(builder, loc, isFrom, x, otherwise);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

Value CellFormulas::apply(const CellActivation &activation, Value x) {
  auto alpha = [&] { return constant(activation.alpha, x); };
  auto beta = [&] { return constant(activation.beta, x); };
  auto tanh = [&](Value v) { return math::TanhOp::create(builder, loc, v); };
  auto abs = [&] { return math::AbsFOp::create(builder, loc, x); };
  switch (activation.function) {
  case CellFunction::Sigmoid:
    return SigmoidOp::create(builder, loc, x);
  case CellFunction::Tanh:
    return tanh(x);
  case CellFunction::Relu:
    return ReluOp::create(builder, loc, x);
  case CellFunction::Affine:
    return add(mul(alpha(), x), beta());
  case CellFunction::LeakyRelu:
    return selectFrom(x, 0, mul(alpha(), x));
  case CellFunction::ThresholdedRelu:
    return selectFrom(x, activation.alpha, constant(0, x));
  case CellFunction::ScaledTanh:
    return mul(alpha(), tanh(mul(beta(), x)));
  case CellFunction::HardSigmoid:
    return min(max(add(mul(alpha(), x), beta()), 0), 1);
  case CellFunction::Elu:
    return selectFrom(x, 0,
                      mul(alpha(), math::ExpM1Op::create(builder, loc, x)));
  case CellFunction::Softsign:
    return arith::DivFOp::create(builder, loc, x, add(abs(), constant(1, x)));
  case CellFunction::Softplus: {
    // log(1 + exp(x)) without overflow.
    Value small = math::ExpOp::create(
        builder, loc, arith::NegFOp::create(builder, loc, abs()));
    return add(max(x, 0), math::Log1pOp::create(builder, loc, small));
  }
  }
  llvm_unreachable("all functions are above");
}

Value CellFormulas::gate(const CellOperands &cell, unsigned number, Value z) {
  if (cell.clip)
    z = min(max(z, -*cell.clip), *cell.clip);
  return apply(cell.activations[number], z);
}

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

Value CellFormulas::input(const CellOperands &cell, Value x) {
  return LinearOp::create(builder, loc, x, cell.weight, cell.inputBias,
                          cell.inOut);
}

Value CellFormulas::recurrent(const CellOperands &cell, Value h) {
  return LinearOp::create(builder, loc, h, cell.recurrence, cell.recurrentBias,
                          cell.inOut);
}

CellFormulas::Values CellFormulas::split(Value z, size_t parts) {
  int64_t size = cast<RankedTensorType>(z.getType()).getShape().back();
  SmallVector<int64_t> sizes(parts, size / static_cast<int64_t>(parts));
  return Values(SplitOp::create(builder, loc, z, sizes).getResults());
}

CellFormulas::Values CellFormulas::rnn(const CellOperands &cell, Value x,
                                       ValueRange states) {
  Value z = add(input(cell, x), recurrent(cell, states[0]));
  return {gate(cell, 0, z)};
}

CellFormulas::Values CellFormulas::gru(const CellOperands &cell,
                                       StringRef gates, Reset reset, Value x,
                                       ValueRange states) {
  Value h = states[0];
  Values ofInput = split(input(cell, x), gates.size());
  Values ofState = split(recurrent(cell, h), gates.size());
  size_t atR = gates.find('r'), atZ = gates.find('z'), atN = gates.find('n');
  Value r = gate(cell, 0, add(ofInput[atR], ofState[atR]));
  Value z = gate(cell, 0, add(ofInput[atZ], ofState[atZ]));
  Value kept = reset == Reset::After
                   ? mul(r, ofState[atN])
                   : split(recurrent(cell, mul(r, h)), gates.size())[atN];
  Value n = gate(cell, 1, add(ofInput[atN], kept));
  return {add(mul(sub(constant(1, z), z), n), mul(z, h))};
}

CellFormulas::Values CellFormulas::lstm(const CellOperands &cell,
                                        StringRef gates, Value peephole,
                                        bool coupled, Value x,
                                        ValueRange states) {
  Value before = states[1];
  Values sums =
      split(add(input(cell, x), recurrent(cell, states[0])), gates.size());
  Values peepholes = peephole ? split(peephole, 3) : Values();
  // Peepholes are those of all gates but g.
  auto named = [&](char name, unsigned activation, Value seen) {
    size_t at = gates.find(name);
    Value z = sums[at];
    if (peephole && seen) {
      Value p = peepholes[at > gates.find('g') ? at - 1 : at];
      z = add(z, mul(BroadcastOp::create(builder, loc, p, seen), seen));
    }
    return gate(cell, activation, z);
  };
  Value i = named('i', 0, before);
  Value f = coupled ? sub(constant(1, i), i) : named('f', 0, before);
  Value g = named('g', 1, Value());
  Value c = add(mul(f, before), mul(i, g));
  Value o = named('o', 0, c);
  return {mul(o, apply(cell.activations[2], c)), c};
}
