//===- AttentionMask.h - Mask operands as regions ---------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_SINTERTOFUSED_ATTENTIONMASK_H
#define SINTER_LIB_CONVERSION_SINTERTOFUSED_ATTENTIONMASK_H

#include "sinter/Dialect/Fused/IR/FusedBuilders.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// Adds the mask operand of `op`, if it has one, to the mask and score regions
/// of `spec`, whose offset is set.
void addDenseMask(fused::AttentionSpec &spec, AttentionOp op);

} // namespace sinter

#endif // SINTER_LIB_CONVERSION_SINTERTOFUSED_ATTENTIONMASK_H
