//===- Activations.cpp - Scalar code of element-wise operations -----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace sinter;

namespace {
/// Scalar float arithmetic without the noise.
struct Scalar {
  OpBuilder &b;
  Location loc;

  Value number(Type type, double value) {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value mul(Value x, double y) { return mul(x, number(x.getType(), y)); }
  Value add(Value x, double y) { return add(x, number(x.getType(), y)); }

  Value sigmoid(Value x) { return fused::SigmoidOp::create(b, loc, x); }

  Value select(arith::CmpFPredicate predicate, Value x, double limit, Value yes,
               Value no) {
    Value holds =
        arith::CmpFOp::create(b, loc, predicate, x, number(x.getType(), limit));
    return arith::SelectOp::create(b, loc, holds, yes, no);
  }

  /// x < limit ? limit : x, so that NaN stays NaN.
  Value atLeast(Value x, double limit) {
    return select(arith::CmpFPredicate::OLT, x, limit,
                  number(x.getType(), limit), x);
  }

  /// x > limit ? limit : x, so that NaN stays NaN.
  Value atMost(Value x, double limit) {
    return select(arith::CmpFPredicate::OGT, x, limit,
                  number(x.getType(), limit), x);
  }

  Value relu(Value x) { return atLeast(x, 0.0); }

  /// The least finite number for minus infinity: times 0 it is 0, not NaN.
  Value finiteBelow(Value x) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(x.getType()).getFloatSemantics();
    llvm::APFloat least = llvm::APFloat::getLargest(semantics, true);
    return atLeast(x, least.convertToDouble());
  }

  /// x / (1 + exp(-slope x)).
  Value silu(Value x, double slope = 1.0) {
    x = finiteBelow(x);
    return mul(x, sigmoid(slope == 1.0 ? x : mul(x, slope)));
  }

  /// x/2 (1 + erf(x / sqrt 2)) (Hendrycks and Gimpel 2016).
  Value gelu(Value x) {
    x = finiteBelow(x);
    Value e = math::ErfOp::create(b, loc, mul(x, 1.0 / std::numbers::sqrt2));
    return mul(mul(x, 0.5), add(e, 1.0));
  }

  /// x/2 (1 + tanh(u)) with u = sqrt(2/pi) (x + 0.044715 x^3) is
  /// x / (1 + exp(-2 u)), which does not cancel.
  Value geluTanh(Value x) {
    x = finiteBelow(x);
    Value cube = mul(mul(x, x), x);
    double slope = 2.0 * std::sqrt(2.0 / std::numbers::pi);
    return mul(x, sigmoid(mul(add(x, mul(cube, 0.044715)), slope)));
  }

  /// x tanh(log(1 + e^x)) is x n / (n + 2) with n = e^x (e^x + 2). From 20 on
  /// the quotient is 1, and n stays finite.
  Value mish(Value x) {
    x = finiteBelow(x);
    Value e = math::ExpOp::create(b, loc, atMost(x, 20.0));
    Value n = mul(e, add(e, 2.0));
    return mul(x, arith::DivFOp::create(b, loc, n, add(n, 2.0)));
  }

  Value elu(Value x, double alpha) {
    Value below = mul(math::ExpM1Op::create(b, loc, x), alpha);
    return select(arith::CmpFPredicate::OGT, x, 0.0, x, below);
  }

  Value hardSigmoid(Value x, double alpha, double beta) {
    return atMost(atLeast(add(mul(x, alpha), beta), 0.0), 1.0);
  }

  Value hardSwish(Value x) {
    x = finiteBelow(x);
    return mul(x, hardSigmoid(x, 1.0 / 6, 0.5));
  }

  /// max(x, 0) + log(1 + exp(-|x|)): the exponential does not overflow.
  Value softplus(Value x) {
    Value e =
        math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, absolute(x)));
    return add(relu(x), math::Log1pOp::create(b, loc, e));
  }

  Value softsign(Value x) {
    return arith::DivFOp::create(b, loc, x, add(absolute(x), 1.0));
  }

  Value absolute(Value x) { return math::AbsFOp::create(b, loc, x); }
};
} // namespace

bool sinter::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() &&
         op->hasTrait<OpTrait::Scalarizable>() && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

Value sinter::emitScalar(OpBuilder &builder, Operation *op,
                         ValueRange operands) {
  Scalar s{builder, op->getLoc()};
  auto alphaOf = [](auto op) { return op.getAlpha().convertToDouble(); };
  auto x = [&] { return operands[0]; };
  using P = arith::CmpFPredicate;
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](ReluOp) { return s.relu(x()); })
      .Case([&](ReluSquaredOp) {
        Value y = s.relu(x());
        return s.mul(y, y);
      })
      .Case([&](SigmoidOp) { return s.sigmoid(x()); })
      .Case([&](SiluOp) { return s.silu(x()); })
      .Case([&](QuickGeluOp) { return s.silu(x(), 1.702); })
      .Case([&](GeluOp gelu) {
        return gelu.getTanh() ? s.geluTanh(x()) : s.gelu(x());
      })
      .Case([&](MishOp) { return s.mish(x()); })
      .Case([&](LeakyReluOp op) {
        return s.select(P::OLT, x(), 0.0, s.mul(x(), alphaOf(op)), x());
      })
      .Case([&](ThresholdedReluOp op) {
        return s.select(P::OLE, x(), alphaOf(op), s.number(x().getType(), 0.0),
                        x());
      })
      .Case([&](EluOp op) { return s.elu(x(), alphaOf(op)); })
      .Case([&](HardSigmoidOp op) {
        return s.hardSigmoid(x(), alphaOf(op), op.getBeta().convertToDouble());
      })
      .Case([&](HardSwishOp) { return s.hardSwish(x()); })
      .Case([&](SoftplusOp) { return s.softplus(x()); })
      .Case([&](SoftsignOp) { return s.softsign(x()); })
      .Default([&](Operation *) {
        OperationState state(op->getLoc(), op->getName());
        state.addOperands(operands);
        state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
        state.addAttributes(op->getAttrs());
        return builder.create(state)->getResult(0);
      });
}
