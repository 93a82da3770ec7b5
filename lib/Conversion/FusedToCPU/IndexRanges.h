//===- IndexRanges.h - How large indices in a region are --------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_INDEXRANGES_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_INDEXRANGES_H

#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace sinter::cpu {

/// Integers from `low` to `high`, both included.
struct IndexRange {
  int64_t low, high;
};

/// Bounds of the integers of a region, so that its vectors take 32 bits where
/// nothing is lost.
class IndexRanges {
public:
  /// `value` is a loop index; one that is the same in all lanes may be that of
  /// a query, which is negative before the first key.
  void setLoopIndex(mlir::Value value, bool mayBeNegative) {
    ranges[value] = {mayBeNegative ? -host::largestExtent : 0,
                     host::largestExtent - 1};
  }
  /// Of an integer or index; what is not known has its type's range.
  IndexRange get(mlir::Value value);
  /// Whether the value fits 32 bits with one number to spare at both ends, so
  /// that it compares with saturated numbers as with exact ones.
  bool isNarrow(mlir::Value value);

private:
  IndexRange compute(mlir::Value value);

  llvm::DenseMap<mlir::Value, IndexRange> ranges;
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_INDEXRANGES_H
