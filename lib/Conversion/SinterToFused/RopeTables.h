//===- RopeTables.h - Constants of rotary positions -------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_ROPETABLES_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_ROPETABLES_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// What is known of rotary positions when a model is compiled, in double.
struct RopeTables {
  /// By how much each pair turns per position. For `longrope` in short rows,
  /// for `dynamic` in rows of the length of training.
  llvm::SmallVector<double> frequencies;
  /// For `longrope` the same in long rows. For `dynamic` exponents: frequencies
  /// are to be multiplied by s^exponent in a row of length n, with
  /// s = factor max(n, L) / L - factor + 1.
  llvm::SmallVector<double> second;
  /// A factor of cosine and sine.
  double attentionFactor = 1;
};

/// The tables of `op`, by the formulas of `#sinter.rope_scaling`.
RopeTables ropeTables(RopeOp op);

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_ROPETABLES_H
