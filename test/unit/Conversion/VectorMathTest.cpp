//===- VectorMathTest.cpp - Functions keep to docs/numerics.md ------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace sinter::test;

namespace {
using Reference = long double (*)(long double);

/// A function with the range and the error that docs/numerics.md states.
struct Function {
  const char *op;
  Reference reference;
  double low, high;
  double ulp;
};

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double rsqrt(long double x) { return 1 / std::sqrt(x); }

// Errors are those without FMA, the larger ones.
constexpr Function singles[] = {
    {"math.exp", std::exp, -87, 88, 1.5},
    {"math.exp2", std::exp2, -126, 127.9, 1.2},
    {"math.expm1", std::expm1, -20, 88, 3.1},
    {"math.log", std::log, 0, 1e38, 2.5},
    {"math.log1p", std::log1p, -0.999, 1e38, 4.0},
    {"math.log2", std::log2, 0, 1e38, 3.3},
    {"math.tanh", std::tanh, -20, 20, 5.7},
    {"math.erf", std::erf, -10, 10, 6.8},
    {"math.sqrt", std::sqrt, 0, 1e38, 0.51},
    {"math.rsqrt", rsqrt, 1e-30, 1e38, 1.5},
    {"math.sin", std::sin, -3e9, 3e9, 0.51},
    {"math.cos", std::cos, -3e9, 3e9, 0.51},
    {"math.tan", std::tan, -3e9, 3e9, 0.51},
    {"math.asin", std::asin, -1, 1, 0.51},
    {"math.acos", std::acos, -1, 1, 0.51},
    {"math.atan", std::atan, -1e30, 1e30, 0.51},
    {"math.sinh", std::sinh, -89, 89, 0.51},
    {"math.cosh", std::cosh, -89, 89, 0.51},
    {"math.asinh", std::asinh, -1e38, 1e38, 0.51},
    {"math.acosh", std::acosh, 1, 1e38, 0.51},
    {"math.atanh", std::atanh, -0.999999, 0.999999, 0.51},
    {"math.cbrt", std::cbrt, -1e38, 1e38, 0.51},
    {"fused.sigmoid", sigmoid, -87, 100, 2.5},
};
constexpr Function doubles[] = {
    {"math.exp", std::exp, -700, 700, 1.4},
    {"math.exp2", std::exp2, -1020, 1020, 1.1},
    {"math.expm1", std::expm1, -40, 700, 3.3},
    {"math.log", std::log, 0, 1e300, 2.2},
    {"math.log1p", std::log1p, -0.999, 1e300, 4.0},
    {"math.log2", std::log2, 0, 1e300, 2.6},
    {"math.tanh", std::tanh, -30, 30, 3.7},
    {"math.erf", std::erf, -10, 10, 1.5},
    {"math.rsqrt", rsqrt, 1e-300, 1e300, 1.5},
    {"math.sin", std::sin, -3e9, 3e9, 2.4},
    {"math.cos", std::cos, -3e9, 3e9, 2.4},
    {"math.asin", std::asin, -1, 1, 3},
    {"math.acos", std::acos, -1, 1, 3},
    {"math.atan", std::atan, -1e300, 1e300, 3},
    {"math.sinh", std::sinh, -710, 710, 5},
    {"math.cosh", std::cosh, -710, 710, 5},
    {"math.asinh", std::asinh, -1e300, 1e300, 6},
    {"math.acosh", std::acosh, 1, 1e300, 6},
    {"math.atanh", std::atanh, -0.999999, 0.999999, 6},
    {"math.cbrt", std::cbrt, -1e300, 1e300, 2},
    {"fused.sigmoid", sigmoid, -700, 700, 2.3},
};

std::string kernelText(const Function &function, const char *type) {
  return llvm::formatv(R"(
fused.kernel @f {
^bb0(%x: memref<?x{1}>, %y: memref<?x{1}>):
  fused.map dims(i) ins(%x by (i) : memref<?x{1}>) outs(%y by (i) : memref<?x{1}>) {{
  ^bb0(%a: {1}):
    %r = {0} %a : {1}
    fused.yield %r : {1}
  }
})",
                       function.op, type);
}

template <typename T> double ulps(long double expected, T got) {
  T rounded = static_cast<T>(expected);
  if (std::isnan(expected))
    return std::isnan(got) ? 0 : 1e9;
  if (rounded == got)
    return 0.5;
  if (!std::isfinite(rounded) || !std::isfinite(got))
    return 1e9;
  T size = std::fabs(rounded);
  T unit = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
  return static_cast<double>(std::fabs(expected - got) / unit);
}

/// Evenly and logarithmically spaced arguments.
template <typename T> std::vector<T> argumentsOf(const Function &function) {
  std::vector<T> arguments;
  constexpr int count = 1 << 15;
  double size = std::max(std::fabs(function.low), std::fabs(function.high));
  for (int i = 0; i < count; ++i) {
    double u = (i + 0.37) / count;
    arguments.push_back(
        static_cast<T>(function.low + (function.high - function.low) * u));
    double magnitude = std::exp2(-30 + u * (30 + std::log2(size)));
    for (double x : {magnitude, -magnitude})
      if (x >= function.low && x <= function.high)
        arguments.push_back(static_cast<T>(x));
  }
  return arguments;
}

template <typename T>
void check(const Function &function, const char *type, const std::string &cpu) {
  KernelRunner runner(kernelText(function, type), cpu);
  ASSERT_TRUE(runner.loaded()) << function.op << " " << type << " " << cpu;
  std::vector<T> x = argumentsOf<T>(function), y(x.size());
  // Where the argument leaves the range: infinities, NaN, zeros.
  constexpr T infinity = std::numeric_limits<T>::infinity();
  for (T special : {T(0), T(-0.0), infinity, -infinity, T(NAN)})
    x.push_back(special);
  y.resize(x.size());
  auto size = static_cast<int64_t>(x.size());
  runner.run("f", {reinterpret_cast<int64_t>(x.data()), size,
                   reinterpret_cast<int64_t>(y.data()), size});
  llvm::StringRef name = llvm::StringRef(function.op).split('.').second;
  bool periodic = name == "sin" || name == "cos" || name == "tan";
  for (size_t i = 0; i < x.size(); ++i) {
    if (periodic && std::isinf(x[i]))
      continue;
    EXPECT_LE(ulps<T>(function.reference(x[i]), y[i]), function.ulp)
        << function.op << " " << type << " " << cpu << " at " << x[i]
        << " gives " << y[i];
    if (::testing::Test::HasFailure())
      return;
  }
}
} // namespace

namespace {
struct Binary {
  const char *op;
  double (*reference)(double, double);
};

/// Pairs of these, the ends of what there is among them.
template <typename T>
void checkPairs(const Binary &function, const char *type,
                const std::string &cpu, double ulp) {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  std::vector<T> values = {T(0),    T(-0.0), 1,         -1,       T(0.3),
                           T(-2.7), 1000,    T(1e6),    T(-77.1), T(1e-3),
                           T(3.25), 16,      -infinity, infinity, T(NAN)};
  std::vector<T> result = runPairs<T>(function.op, type, values, cpu);
  ASSERT_FALSE(result.empty()) << function.op << " " << type << " " << cpu;
  auto n = static_cast<int64_t>(values.size());
  for (int64_t i = 0; i < n * n; ++i) {
    T a = values[i / n], b = values[i % n];
    auto expected = static_cast<T>(function.reference(a, b));
    EXPECT_LE(ulps<T>(expected, result[i]), ulp)
        << function.op << " " << type << " " << cpu << " of " << a << ", " << b
        << " gives " << result[i];
    if (expected == 0)
      EXPECT_EQ(std::signbit(expected), std::signbit(result[i]))
          << a << " " << b;
  }
}
} // namespace

TEST(VectorMath, FunctionsOfTwoNumbers) {
  for (const std::string &cpu : runnableLevels())
    for (const Binary &function :
         {Binary{"math.atan2", std::atan2}, Binary{"arith.remf", std::fmod}}) {
      checkPairs<float>(function, "f32", cpu, 1);
      checkPairs<double>(function, "f64", cpu, 4);
    }
}

TEST(VectorMath, SinglesKeepTheirErrors) {
  for (const std::string &cpu : runnableLevels())
    for (const Function &function : singles)
      check<float>(function, "f32", cpu);
}

TEST(VectorMath, DoublesKeepTheirErrors) {
  for (const std::string &cpu : runnableLevels())
    for (const Function &function : doubles)
      check<double>(function, "f64", cpu);
}
