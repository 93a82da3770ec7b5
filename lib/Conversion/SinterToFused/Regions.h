//===- Regions.h - Regions of model operations as scalar regions *- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_REGIONS_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_REGIONS_H

#include "EntryLowering.h"

namespace sinter {

/// What a region's argument is to the op that will own the region: a dimension
/// of it, with its extent; or nothing that a map can name. A dimension that is
/// not passed on reaches the isolated region as a captured number.
struct RegionArgument {
  std::optional<unsigned> dim = std::nullopt;
  mlir::Value extent = {};
  bool isPassed = true;
};

/// Prepares `region` (of `sinter.attention`) for an isolated scalar region:
/// reads of outside tensors become captures, through a map over `rank`
/// dimensions where the indices are dimensions that stay within the tensor,
/// else as a table for `fused.read`; outside constants are copied in. The body
/// expects the region's own arguments that are passed, then the captures.
mlir::FailureOr<fused::AttentionRegion>
isolateRegion(EntryLowering &lowering, mlir::Region &region, unsigned rank,
              mlir::ArrayRef<RegionArgument> arguments);

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_REGIONS_H
