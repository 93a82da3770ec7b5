//===- Expectation.cpp - What a value should be, and how closely -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/Expectation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace llvm;

namespace sinter::execution {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// Deviations are uniform times a worst case; this many of their root mean
/// square leave a right program no chance to fail.
static constexpr double spreadFactor = 8;

/// Kernels may flush what is smaller than the smallest normal number.
static const double smallestDifference = std::ldexp(1.0, -120);

static double elementAt(const Tensor &tensor, int64_t i) {
  return tensor.isFloat() ? tensor.real(i)
                          : static_cast<double>(tensor.integer(i));
}

Expectation expectWithin(std::string name, Tensor value,
                         const FixedTolerance &tolerance) {
  Expectation result{std::move(name), std::move(value), {}, {}};
  double ulp = 2 * unitRoundoff(result.value.elementType());
  for (int64_t i = 0, e = result.value.size(); i < e; ++i) {
    double size = std::abs(elementAt(result.value, i));
    double exponent = size > 0 && std::isfinite(size) ? std::ilogb(size) : -126;
    double ulps = tolerance.ulps * std::ldexp(ulp, static_cast<int>(exponent));
    double relative = std::isfinite(size) ? tolerance.relative * size : 0;
    result.tolerances.push_back(std::max(tolerance.absolute + relative, ulps));
  }
  return result;
}

/// What is too large for the type is infinite in compiled code.
static double overflowing(double value, const Tensor &tensor) {
  if (!tensor.isFloat() || !std::isfinite(value))
    return value;
  double rounded = roundToType(value, tensor.elementType());
  return std::isfinite(rounded) ? value : rounded;
}

ToleranceBuilder::ToleranceBuilder(const ReferenceValue &exact)
    : expectation{exact.name, exact.tensor, {}, exact.validity},
      squares(exact.tensor.size()) {
  Tensor &value = expectation.value;
  for (int64_t i = 0, e = value.isFloat() ? value.size() : 0; i < e; ++i)
    value.real(i) = overflowing(value.real(i), value);
}

void ToleranceBuilder::add(const ReferenceValue &disturbed) {
  ++count;
  const Tensor &exact = expectation.value, &other = disturbed.tensor;
  for (auto [i, square] : enumerate(squares)) {
    double a = elementAt(exact, i);
    double b = overflowing(elementAt(other, i), exact);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    bool isFinite = std::isfinite(a) && std::isfinite(b);
    square += isFinite ? (a - b) * (a - b) : infinity;
  }
}

Expectation ToleranceBuilder::take() {
  double unit = unitRoundoff(expectation.value.elementType());
  for (auto [i, square] : enumerate(squares)) {
    double size = std::abs(elementAt(expectation.value, i));
    double spread = count ? std::sqrt(square / count) : 0;
    double rounding = std::isfinite(size) ? 2 * unit * size : 0;
    expectation.tolerances.push_back(
        spreadFactor * spread + rounding +
        (expectation.value.isFloat() ? smallestDifference : 0));
  }
  return std::move(expectation);
}

/// The error over the tolerance; at most 1 is right.
static double errorRatio(double expected, double actual, double tolerance) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual)))
    return 0;
  if (std::isnan(expected) || std::isnan(actual))
    return infinity;
  double difference = std::abs(expected - actual);
  return tolerance > 0 ? difference / tolerance : infinity;
}

Comparison compare(const Expectation &expectation, const Tensor &actual) {
  Comparison result;
  int64_t i = -1;
  forEachIndex(actual.shape(), [&](ArrayRef<int64_t> indices) {
    ++i;
    double tolerance = expectation.tolerances[i];
    if (!expectation.validity.contains(indices) || tolerance == infinity)
      return;
    ++result.compared;
    double a = elementAt(expectation.value, i), b = elementAt(actual, i);
    double ratio = errorRatio(a, b, tolerance);
    if (!(ratio <= 1))
      ++result.differing;
    if (result.worst.empty() || ratio > result.worstRatio) {
      result.worstRatio = ratio;
      result.worst = Shape(indices);
      result.expected = a;
      result.actual = b;
      result.tolerance = tolerance;
    }
  });
  return result;
}

std::string Comparison::describe() const {
  std::string text;
  raw_string_ostream os(text);
  os << differing << " of " << compared << " elements differ, most at [";
  interleaveComma(worst, os);
  os << "]: "
     << format("%.9g, expected %.9g +- %.2g", actual, expected, tolerance);
  return text;
}

} // namespace sinter::execution
