//===- Check.h - Results against double precision ---------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every benchmark computes some rows of its result once more, in double
// precision and by the formula, before it times anything.
//
// Tolerances count in f32's unit roundoff u = 2^-24, in proportion to the size
// of what is rounded, with a factor of 8 since the largest of many is looked
// at:
//
//   8 u           a short chain of operations, each of which may be off by 1 or
//                 2 u (division, square root, our exp, tanh and erf), or a mean
//                 of many such results, whose roundings cancel;
//   8 u sqrt(n)   a sum of n terms of either sign: each addition rounds by up
//   to
//                 u of the partial sum, and the roundings behave as
//                 independent.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_BENCH_CHECK_H
#define SINTER_BENCH_CHECK_H

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::bench {

/// For a chain of operations on numbers of size 1.
inline constexpr double kChainTolerance = 8.0 / (1 << 24);

/// For a sum of `terms` terms whose partial sums are of size 1.
inline double sumTolerance(int64_t terms) {
  return kChainTolerance * std::sqrt(double(terms));
}

/// The f32 weight `name` in the archive that bench/models/`model`.mlir names,
/// or nothing if it can't be read (a comparison with it then fails).
std::vector<float> readWeight(const char *model, const char *name);

/// At most eight rows of `count`, among them the first and the last.
std::vector<int64_t> sampleRows(int64_t count);

inline double identity(double x) { return x; }
inline double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}
inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Keeps the largest difference between a result and what is expected.
class Comparison {
public:
  /// Differences up to `tolerance` are rounding.
  explicit Comparison(double tolerance) : tolerance(tolerance) {}

  void row(int64_t row, const float *got, const std::vector<double> &expected);

  /// Empty if all agreed and anything was compared, else a sentence.
  std::string difference() const;

private:
  double tolerance, worst = -1, got = 0, expected = 0;
  int64_t worstRow = 0;
  size_t worstColumn = 0;
};

} // namespace sinter::bench

#endif // SINTER_BENCH_CHECK_H
