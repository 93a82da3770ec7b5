//===- Noise.cpp - Rounding errors as random numbers ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Noise.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace mlir;

namespace sinter {

double unitRoundoff(Type type) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 0;
  return std::ldexp(1.0, -static_cast<int>(floatType.getFPMantissaWidth()));
}

ScalarErrorBound ScalarErrorBound::get(Operation *op) {
  StringRef name = op->getName().getStringRef();
  if (op->getNumResults() != 1 ||
      !isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
    return {};
  if (name == "math.fma")
    return {2, /*isOfTerms=*/true};
  double bound =
      llvm::StringSwitch<double>(name)
          .Cases({"arith.negf", "arith.select", "arith.maximumf",
                  "arith.minimumf", "arith.maxnumf", "arith.minnumf",
                  "arith.extf", "arith.constant"},
                 0)
          .Cases({"math.absf", "math.copysign", "math.floor", "math.ceil",
                  "math.round", "math.roundeven", "math.trunc", "sinter.relu",
                  "fused.read", "tensor.extract", "sinter.thresholded_relu"},
                 0)
          // Its errors are those of its input, see NoisyRun.cpp.
          .Case("sinter.gelu", 0)
          .Case("math.sqrt", 1)
          .StartsWith("arith.", 1)
          .StartsWith("math.", 16)
          .StartsWith("sinter.", 16)
          .StartsWith("fused.", 16)
          .Default(0);
  return {bound, /*isOfTerms=*/false};
}

/// Steele, Lea and Flood 2014, "Fast splittable pseudorandom number
/// generators" (SplitMix64).
double Noise::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  z ^= z >> 31;
  return std::ldexp(static_cast<double>(z >> 11), -52) - 1;
}

double Noise::disturb(double value, Type type, double bound) {
  return value + next() * bound * unitRoundoff(type) * value;
}

ScalarValue Noise::disturb(ScalarValue result, const ScalarErrorBound &bound,
                           ArrayRef<ScalarValue> operands) {
  if (!result.isFloat() || bound.bound == 0 || !std::isfinite(result.real))
    return result;
  double magnitude = result.real;
  if (bound.isOfTerms)
    magnitude = std::abs(operands[0].real * operands[1].real) +
                std::abs(operands[2].real);
  if (std::isfinite(magnitude))
    result.real += next() * bound.bound * magnitude * unitRoundoff(result.type);
  return result;
}

Tensor Noise::disturb(const Tensor &tensor, double relative, double absolute) {
  Tensor result = tensor;
  if (!tensor.isFloat() || (relative == 0 && absolute == 0))
    return result;
  double unit = unitRoundoff(tensor.elementType());
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    double &value = result.real(i);
    if (std::isfinite(value))
      value += next() * (relative * std::abs(value) + absolute) * unit;
  }
  return result;
}

Tensor Noise::disturb(const Tensor &tensor, double bound,
                      const Tensor &magnitudes) {
  Tensor result = tensor;
  double unit = unitRoundoff(tensor.elementType());
  for (int64_t i = 0, e = result.size(); i < e; ++i)
    if (std::isfinite(result.real(i)) && std::isfinite(magnitudes.real(i)))
      result.real(i) += next() * bound * unit * magnitudes.real(i);
  return result;
}

} // namespace sinter
