//===- Floats.h - Scalar arithmetic of regions ------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_FLOATS_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_FLOATS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include <cmath>

namespace sinter {

/// Scalar f32 arithmetic of the regions.
struct Floats {
  mlir::OpBuilder &b;
  mlir::Location loc;

  using Value = mlir::Value;

  Value number(double value) {
    return mlir::arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value add(Value x, Value y) {
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  Value sub(Value x, Value y) {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  Value mul(Value x, Value y) {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  Value div(Value x, Value y) {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  Value maximum(Value x, Value y) {
    return mlir::arith::MaximumFOp::create(b, loc, x, y);
  }
  Value exp(Value x) { return mlir::math::ExpOp::create(b, loc, x); }
  Value log(Value x) { return mlir::math::LogOp::create(b, loc, x); }
  /// `x`, or `other` where x is `number`.
  Value replace(Value x, double number, double other) {
    Value isNumber = mlir::arith::CmpFOp::create(
        b, loc, mlir::arith::CmpFPredicate::OEQ, x, this->number(number));
    return mlir::arith::SelectOp::create(b, loc, isNumber, this->number(other),
                                         x);
  }
  /// 1 / sqrt(sum / count + eps).
  Value inverseDeviation(Value sum, int64_t count, double eps) {
    Value mean = div(sum, number(double(count)));
    return mlir::math::RsqrtOp::create(b, loc, add(mean, number(eps)));
  }
  /// x minus the mean of `count` numbers that add up to `sum`.
  Value centred(Value x, Value sum, int64_t count) {
    return sub(x, div(sum, number(double(count))));
  }
  /// x minus the row's maximum. In a row of -inf that is x: inf - inf would be
  /// NaN, where the softmax is 0.
  Value shiftByMaximum(Value x, Value maximum) {
    return sub(x, replace(maximum, -HUGE_VAL, 0));
  }
  /// exp(shifted) / sum, with one division for a row, or shifted - log(sum).
  Value softmax(Value shifted, Value sum, bool isLog) {
    Value safe = replace(sum, 0, 1);
    return isLog ? sub(shifted, log(safe))
                 : mul(exp(shifted), div(number(1), safe));
  }
};

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_FLOATS_H
