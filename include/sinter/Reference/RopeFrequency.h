//===- RopeFrequency.h - Frequencies of rotary positions -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_ROPEFREQUENCY_H
#define SINTER_REFERENCE_ROPEFREQUENCY_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter::reference {

/// By how much a pair of columns turns per position, by the formulas of
/// `#sinter.rope_scaling`.
struct RopeFrequency {
  double theta;
  int64_t columns;         ///< of a head that turn
  RopeScalingAttr scaling; ///< optional

  /// That of pair 0 ... columns / 2 - 1 in a row of this length.
  double of(int64_t pair, int64_t length) const;

  /// By how much cosine and sine grow.
  double attentionFactor() const;
};

} // namespace sinter::reference

#endif // SINTER_REFERENCE_ROPEFREQUENCY_H
