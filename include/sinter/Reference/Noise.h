//===- Noise.h - Rounding errors as random numbers -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How far may compiled code be from the reference? Monte Carlo arithmetic
// (Parker 1997) answers for any graph: run the reference again with random
// errors of the size that each op may make, and see how far its results move.
// docs/numerics.md states the sizes.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_NOISE_H
#define SINTER_REFERENCE_NOISE_H

#include "sinter/Reference/Tensor.h"

namespace mlir {
class Operation;
} // namespace mlir

namespace sinter {

/// The largest relative error of rounding to float type `type`: 2^-24 for f32.
double unitRoundoff(mlir::Type type);

/// What an op may err by, in unit roundoffs of its result's type.
struct ErrorBound {
  double operands = 0; ///< relative to each operand's elements
  double result = 0;   ///< relative to each element of a result
  double absolute = 0; ///< of each element of a result
  double input = 0;    ///< relative to the first operand's same element
};

/// What one application of an element-wise op may err by, in unit roundoffs: 1
/// for basic arithmetic, 16 for a function, 0 where the result is exact.
struct ScalarErrorBound {
  double bound = 0;
  /// Relative to |x y| + |z|, not to the result: a fused multiply-add that may
  /// be two ops.
  bool isOfTerms = false;

  static ScalarErrorBound get(mlir::Operation *op);
};

/// A seeded source of errors: uniform in [-1, 1] times the bound.
class Noise {
public:
  explicit Noise(uint64_t seed) : state(seed * 2 + 1) {}

  /// A number of `type`.
  double disturb(double value, mlir::Type type, double bound);
  /// The result of an element-wise op.
  ScalarValue disturb(ScalarValue result, const ScalarErrorBound &bound,
                      llvm::ArrayRef<ScalarValue> operands);
  /// Each element by itself; integers stay as they are.
  Tensor disturb(const Tensor &tensor, double relative, double absolute = 0);
  /// Errors relative to the same elements of another tensor.
  Tensor disturb(const Tensor &tensor, double bound, const Tensor &magnitudes);

private:
  double next();
  uint64_t state;
};

} // namespace sinter

#endif // SINTER_REFERENCE_NOISE_H
