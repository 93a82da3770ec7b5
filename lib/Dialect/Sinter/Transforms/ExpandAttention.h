//===- ExpandAttention.h - named forms of attention -------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_SINTER_TRANSFORMS_EXPANDATTENTION_H
#define SINTER_LIB_DIALECT_SINTER_TRANSFORMS_EXPANDATTENTION_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// Writes the clauses `scale`, `softcap`, `alibi`, `causal` and `window` into
/// the regions of `op`; what is left is `scale(1.0)`.
void expandAttention(AttentionOp op);

/// Replaces `op` by an attention of one head whose `combine` region is
/// v[d] tanh(q[d] + k[d]).
void expandAdditiveAttention(AdditiveAttentionOp op);

} // namespace sinter

#endif // SINTER_LIB_DIALECT_SINTER_TRANSFORMS_EXPANDATTENTION_H
