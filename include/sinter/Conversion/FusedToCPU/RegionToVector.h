//===- RegionToVector.h - Scalar regions on lanes ---------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_REGIONTOVECTOR_H
#define SINTER_CONVERSION_FUSEDTOCPU_REGIONTOVECTOR_H

#include "sinter/Conversion/FusedToCPU/Memory.h"

#include "mlir/IR/Block.h"

#include <variant>

namespace sinter::cpu {

/// What an argument of a region is bound to: numbers (a scalar, the same in all
/// lanes, or a vector), a loop index, or a table for fused.read.
using RegionArgument = std::variant<mlir::Value, LaneIndex, TensorView>;

/// Where a clamped read that reports is told: 1 is stored at `address`, an i64
/// that several workers may write. Only the first `active` lanes count; null:
/// all. Without an address nothing is told.
struct ClampReport {
  mlir::Value address;
  mlir::Value active;
};

/// Emits the region's code for `lanes` lanes at the insertion point and returns
/// what it yields: scalars where all lanes agree, else vectors of `lanes`.
/// What depends on scalars alone stays scalar. An index is i64; in vectors i32
/// where its range, which follows from loop indices below 2^31, allows it.
/// Fails with a located error on an op that has no translation.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitRegion(KernelBuilder &k, mlir::Block &block,
           llvm::ArrayRef<RegionArgument> arguments, unsigned lanes,
           ClampReport report = {});

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_REGIONTOVECTOR_H
