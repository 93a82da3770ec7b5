//===- Activations.cpp - Non-linearities by their formulas ----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarFunctions.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Reference/Functions.h"
#include <cmath>
#include <numbers>

using namespace mlir;

namespace sinter {

static bool isMinusInfinity(double x) { return std::isinf(x) && x < 0; }

double reference::sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

double reference::relu(double x) { return x < 0 ? 0 : x; }

double reference::silu(double x) {
  // The limit at minus infinity, where the product would be -inf * 0.
  return isMinusInfinity(x) ? -0.0 : x * sigmoid(x);
}

double reference::gelu(double x) {
  if (std::isinf(x))
    return x > 0 ? x : -0.0;
  return x * 0.5 * std::erfc(-x / std::numbers::sqrt2);
}

double reference::geluTanh(double x) {
  if (std::isinf(x))
    return x > 0 ? x : -0.0;
  double inner = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
  return 0.5 * x * (1 + std::tanh(inner));
}

double reference::quickGelu(double x) {
  return isMinusInfinity(x) ? -0.0 : x * sigmoid(1.702 * x);
}

double reference::mish(double x) {
  return isMinusInfinity(x) ? -0.0 : x * std::tanh(softplus(x));
}

double reference::reluSquared(double x) { return relu(x) * relu(x); }

double reference::leakyRelu(double x, double alpha) {
  return x < 0 ? alpha * x : x;
}

double reference::thresholdedRelu(double x, double alpha) {
  return x <= alpha ? 0 : x;
}

double reference::elu(double x, double alpha) {
  return x > 0 ? x : alpha * std::expm1(x);
}

double reference::hardSigmoid(double x, double alpha, double beta) {
  double y = alpha * x + beta;
  if (y < 0)
    return 0;
  return y > 1 ? 1 : y;
}

double reference::hardSwish(double x) {
  return isMinusInfinity(x) ? -0.0 : x * hardSigmoid(x, 1.0 / 6, 0.5);
}

double reference::softplus(double x) {
  return relu(x) + std::log1p(std::exp(-std::fabs(x)));
}

double reference::softsign(double x) { return x / (1 + std::fabs(x)); }

//===----------------------------------------------------------------------===//
// As scalar functions
//===----------------------------------------------------------------------===//

template <double (*function)(double)>
static std::optional<ScalarValue> unary(Operation *, Type type,
                                        ArrayRef<ScalarValue> x) {
  return ScalarValue::ofReal(type, function(x[0].real));
}

/// A function with the number `alpha` of the op.
template <typename OpT, double (*function)(double, double)>
static std::optional<ScalarValue> withAlpha(Operation *op, Type type,
                                            ArrayRef<ScalarValue> x) {
  double alpha = cast<OpT>(op).getAlpha().convertToDouble();
  return ScalarValue::ofReal(type, function(x[0].real, alpha));
}

static std::optional<ScalarValue> gelu(Operation *op, Type type,
                                       ArrayRef<ScalarValue> x) {
  double value = x[0].real;
  return ScalarValue::ofReal(type, cast<GeluOp>(op).getTanh()
                                       ? reference::geluTanh(value)
                                       : reference::gelu(value));
}

static std::optional<ScalarValue> hardSigmoid(Operation *op, Type type,
                                              ArrayRef<ScalarValue> x) {
  auto hard = cast<HardSigmoidOp>(op);
  return ScalarValue::ofReal(
      type, reference::hardSigmoid(x[0].real, hard.getAlpha().convertToDouble(),
                                   hard.getBeta().convertToDouble()));
}

void addActivations(ScalarTable &table) {
  using namespace reference;
  table["fused.sigmoid"] = unary<sigmoid>;
  table["sinter.sigmoid"] = unary<sigmoid>;
  table["sinter.relu"] = unary<relu>;
  table["sinter.relu_squared"] = unary<reluSquared>;
  table["sinter.silu"] = unary<silu>;
  table["sinter.gelu"] = sinter::gelu;
  table["sinter.quick_gelu"] = unary<quickGelu>;
  table["sinter.mish"] = unary<mish>;
  table["sinter.leaky_relu"] = withAlpha<LeakyReluOp, leakyRelu>;
  table["sinter.thresholded_relu"] =
      withAlpha<ThresholdedReluOp, thresholdedRelu>;
  table["sinter.elu"] = withAlpha<EluOp, elu>;
  table["sinter.hard_sigmoid"] = sinter::hardSigmoid;
  table["sinter.hard_swish"] = unary<hardSwish>;
  table["sinter.softplus"] = unary<softplus>;
  table["sinter.softsign"] = unary<softsign>;
}

} // namespace sinter
