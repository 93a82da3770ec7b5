//===- RecurrenceUnits.h - What all lowerings of recurrences know -*- C++ -*-=//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_ANALYSIS_RECURRENCEUNITS_H
#define SINTER_ANALYSIS_RECURRENCEUNITS_H

#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter {

/// Iteration dimensions of `fused.recurrence`.
enum RecurrenceDim : unsigned { DimB, DimT, DimU, DimK };

/// Where a `!fused.units` value of a step lies: in one of the rows of scratch
/// memory, from number `offset` on, or in input number `offset` of `vectors`.
struct UnitsPlace {
  enum Kind { Projection, Input, State, Result } kind;
  int64_t offset;
};

/// Where all units of a recurrence lie. Scratch memory has a row of projections
/// per batch row and step, and per batch row states (in two copies) and those
/// results of phases that later phases use. Units are padded to 16.
struct RecurrenceUnits {
  explicit RecurrenceUnits(fused::RecurrenceOp op);

  fused::RecurrenceOp op;
  fused::StepOp step;
  llvm::DenseMap<mlir::Value, UnitsPlace> places;
  /// Numbers per row.
  int64_t projectionStride = 0, stateStride = 0, resultStride = 0;

  static int64_t padded(int64_t units) { return (units + 15) / 16 * 16; }
  static int64_t unitsOf(mlir::Value units) {
    return mlir::cast<fused::UnitsType>(units.getType()).getSize();
  }
  llvm::SmallVector<fused::PhaseOp> getPhases() const;
  /// Arguments of the step that are states.
  llvm::ArrayRef<mlir::BlockArgument> stateArguments() const;
  /// Arguments with which the step ends as they are.
  llvm::SmallVector<mlir::Value> passedArguments() const;

private:
  void placeArguments();
  void placeResults();
};

/// Checks that operands, results of phases and reductions are f32, as scratch
/// memory and sums are. The located error ends with `consequence`, "is not
/// lowered" or its like.
llvm::LogicalResult checkRecurrenceTypes(fused::RecurrenceOp op,
                                         llvm::StringRef consequence);

} // namespace sinter

#endif // SINTER_ANALYSIS_RECURRENCEUNITS_H
