//===- SpecGather.h - Neighbours in a table ---------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECGATHER_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECGATHER_H

#include "SpecPrinter.h"

namespace sinter::cuda {

/// A fused.read whose last index counts with the lanes and whose others are the
/// same in all of them: a row of a table, an embedding's. It needs no lane's
/// region, so it is read before, as wide as memory allows.
struct Gather {
  mlir::Value operand;
  bool reports;
  /// Yields the indices but the last; its arguments are those of the point
  /// function with these numbers.
  std::unique_ptr<mlir::Region> place;
  llvm::SmallVector<unsigned> arguments;
};

/// Takes such reads out of a point function: afterwards their values are
/// arguments at the end of its block, bound as `Gathered`. `isUniform` says
/// whether an access is the same in all lanes.
class GatherPlan {
public:
  GatherPlan(PointFunction function,
             llvm::function_ref<bool(const RegionBinding &)> isUniform);

  PointFunction function;
  llvm::SmallVector<Gather> gathers;

private:
  /// The block of `function` where there are gathers.
  std::unique_ptr<mlir::Region> region;
};

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_SPECGATHER_H
