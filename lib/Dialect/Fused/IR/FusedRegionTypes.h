//===- FusedRegionTypes.h - Arguments of scalar regions ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the arguments of each region must be, for builders and verifiers alike.
// An op's own values come first, then captures, then indices.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_FUSED_IR_FUSEDREGIONTYPES_H
#define SINTER_LIB_DIALECT_FUSED_IR_FUSEDREGIONTYPES_H

#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter::fused::regions {

using Types = llvm::SmallVector<mlir::Type>;

Types bodyArguments(MapOp op);
Types epilogueArguments(SegmentOp op);

Types combineArguments(AttentionOp op);
Types scoreArguments(AttentionOp op);
Types maskArguments(AttentionOp op);
Types sinkArguments(AttentionOp op);

Types preArguments(NormalizeOp op);
/// Of reduction number `index`; the regions before it are complete.
Types reduceArguments(NormalizeOp op, unsigned index);
Types postArguments(NormalizeOp op);
/// No store depends on the reduced dimension.
bool isStatisticsOnly(NormalizeOp op);

Types stepArguments(RecurrenceOp op);
/// Of reduction number `index`, or of the map where that is their number.
Types phaseArguments(PhaseOp op, unsigned index);

/// Types that `region` yields; empty where it has no `fused.yield`.
Types yieldedTypes(mlir::Region &region);

} // namespace sinter::fused::regions

#endif // SINTER_LIB_DIALECT_FUSED_IR_FUSEDREGIONTYPES_H
