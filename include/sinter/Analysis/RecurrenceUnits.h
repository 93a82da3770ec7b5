//===- RecurrenceUnits.h - What all lowerings of recurrences know -*- C++ -*-=//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_ANALYSIS_RECURRENCEUNITS_H
#define SINTER_ANALYSIS_RECURRENCEUNITS_H

#include <cstdint>

namespace sinter {

/// Iteration dimensions of `fused.recurrence`.
enum RecurrenceDim : unsigned { DimB, DimT, DimU, DimK };

/// Where a `!fused.units` value of a step lies: in one of the rows of scratch
/// memory, from number `offset` on, or in input number `offset` of `vectors`.
struct UnitsPlace {
  enum Kind { Projection, Input, State, Result } kind;
  int64_t offset;
};

} // namespace sinter

#endif // SINTER_ANALYSIS_RECURRENCEUNITS_H
