//===- NormalizeRows.h - How often a row is read ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_ANALYSIS_NORMALIZEROWS_H
#define SINTER_ANALYSIS_NORMALIZEROWS_H

#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter {

/// The end of the pass over the row that starts with reduction `first`:
/// reductions that do not use one of the pass join it.
unsigned getPassEnd(fused::NormalizeOp op, unsigned first);

/// Whether no store depends on the reduced dimension: post runs once per row.
bool isStatisticsOnly(fused::NormalizeOp op);

} // namespace sinter

#endif // SINTER_ANALYSIS_NORMALIZEROWS_H
