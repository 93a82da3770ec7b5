//===- AttentionRun.h - Attention ops on a run -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_REFERENCE_ATTENTIONRUN_H
#define SINTER_LIB_REFERENCE_ATTENTIONRUN_H

#include "EntryRun.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// The results that an op has; all but the mixture may be null.
struct AttentionValues {
  mlir::Value mixture, lse, scores, weights;
};

/// Defines `values`, with the errors of a softmax over `keys` keys where the
/// run is to err.
void defineAttention(EntryRun &run, reference::AttentionResult result,
                     const AttentionValues &values, int64_t keys);

mlir::LogicalResult runAdditiveAttention(AdditiveAttentionOp op, EntryRun &run);

} // namespace sinter

#endif // SINTER_LIB_REFERENCE_ATTENTIONRUN_H
