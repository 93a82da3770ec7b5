//===- Expectation.h - What a value should be, and how closely -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_EXPECTATION_H
#define SINTER_EXECUTION_EXPECTATION_H

#include "sinter/Reference/Interpreter.h"

namespace sinter::execution {

/// A value of the reference and how far each element of the compiled value may
/// be from it.
struct Expectation {
  std::string name;
  Tensor value;
  std::vector<double> tolerances; ///< per element; infinity: not compared
  Validity validity;              ///< elements outside are not compared
};

/// A value under the same tolerance everywhere: |actual - value| <= absolute +
/// relative |value|, or at most `ulps` numbers of the type apart.
struct FixedTolerance {
  double relative = 0;
  double absolute = 0;
  double ulps = 0;
};
Expectation expectWithin(std::string name, Tensor value,
                         const FixedTolerance &tolerance);

/// Collects results of disturbed runs (sinter/Reference/Noise.h) and derives
/// tolerances from them, as docs/numerics.md says.
class ToleranceBuilder {
public:
  /// `exact`: the undisturbed values.
  explicit ToleranceBuilder(const ReferenceValue &exact);
  void add(const ReferenceValue &disturbed);
  Expectation take();

private:
  Expectation expectation;
  std::vector<double> squares;
  unsigned count = 0;
};

struct Comparison {
  int64_t compared = 0;
  int64_t differing = 0;
  double worstRatio = 0; ///< the largest error over its tolerance
  Shape worst;           ///< where that is
  double expected = 0, actual = 0, tolerance = 0; ///< there

  bool agrees() const { return differing == 0; }
  /// "2 of 12 elements differ, most at [1, 0]: 3.5, expected 1.25 +- 2e-6".
  std::string describe() const;
};

/// Compares a value of the same shape.
Comparison compare(const Expectation &expectation, const Tensor &actual);

} // namespace sinter::execution

#endif // SINTER_EXECUTION_EXPECTATION_H
