//===- KeptReduction.h - Reduced values that post needs ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_KEPTREDUCTION_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_KEPTREDUCTION_H

#include "sinter/Dialect/Fused/IR/Fused.h"
#include <memory>

namespace sinter::cpu {

/// The last reduction of a row sums values of which `post` needs each again,
/// and they are worth more than a store and a load (the exponentials of a
/// softmax). They wait where the result will stand.
struct KeptReduction {
  /// The store of `post` whose place holds the values meanwhile.
  unsigned store;
  /// `post` without the computation: one more argument, at the end, is the
  /// value.
  std::unique_ptr<mlir::Region> post;
};

/// The values that `op` should keep, if any. Then `post` does not need the
/// row's inputs, so that they may share their memory with the result.
std::optional<KeptReduction> findKeptReduction(fused::NormalizeOp op);

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_KEPTREDUCTION_H
