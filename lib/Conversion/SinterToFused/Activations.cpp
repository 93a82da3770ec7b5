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

  Value sigmoid(Value x) { return fused::SigmoidOp::create(b, loc, x); }

  /// x < 0 ? 0 : x, so that NaN stays NaN.
  Value relu(Value x) {
    Value zero = number(x.getType(), 0.0);
    Value isNegative =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, zero);
    return arith::SelectOp::create(b, loc, isNegative, zero, x);
  }

  /// x/2 (1 + erf(x / sqrt 2)) (Hendrycks and Gimpel 2016).
  Value gelu(Value x) {
    Value e = math::ErfOp::create(b, loc, mul(x, 1.0 / std::numbers::sqrt2));
    return mul(mul(x, 0.5), add(e, number(x.getType(), 1.0)));
  }

  /// x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))).
  Value geluTanh(Value x) {
    Value cube = mul(mul(x, x), x);
    Value inner =
        mul(add(x, mul(cube, 0.044715)), std::sqrt(2.0 / std::numbers::pi));
    Value t = math::TanhOp::create(b, loc, inner);
    return mul(mul(x, 0.5), add(t, number(x.getType(), 1.0)));
  }
};
} // namespace

bool sinter::isElementwise(Operation *op) {
  if (isa<GeluOp, SiluOp, ReluOp, SigmoidOp>(op))
    return true;
  return op->hasTrait<OpTrait::Elementwise>() &&
         op->hasTrait<OpTrait::Scalarizable>() && op->getNumResults() == 1 &&
         isa<RankedTensorType>(op->getResult(0).getType());
}

Value sinter::emitScalar(OpBuilder &builder, Operation *op,
                         ValueRange operands) {
  Scalar s{builder, op->getLoc()};
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](ReluOp) { return s.relu(operands[0]); })
      .Case([&](SigmoidOp) { return s.sigmoid(operands[0]); })
      .Case([&](SiluOp) { return s.mul(operands[0], s.sigmoid(operands[0])); })
      .Case([&](GeluOp gelu) {
        return gelu.getTanh() ? s.geluTanh(operands[0]) : s.gelu(operands[0]);
      })
      .Default([&](Operation *) {
        OperationState state(op->getLoc(), op->getName());
        state.addOperands(operands);
        state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
        state.addAttributes(op->getAttrs());
        return builder.create(state)->getResult(0);
      });
}
