//===- AttentionAccess.h - How attention reads its operands -----*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_ANALYSIS_ATTENTIONACCESS_H
#define SINTER_ANALYSIS_ATTENTIONACCESS_H

#include "sinter/Dialect/Fused/IR/Fused.h"

#include <optional>

namespace sinter {

/// Iteration dimensions of fused.attention.
enum AttentionDim : unsigned { DimB, DimH, DimQ, DimK, DimD, DimE };

/// Whether an affine expression is just a dimension.
bool isDimension(mlir::AffineExpr expr, unsigned dim);

/// Whether keys lie in panels of 16, [.., k floordiv 16, d, k mod 16].
bool hasKeyPanels(fused::AttentionOp op);

/// How many query heads, of `heads` (kDynamic: not known), share keys and
/// values: consecutive ones, a divisor of `heads`.
int64_t headsPerKeyHead(fused::AttentionOp op, int64_t heads);

/// The largest divisor of `block` that is a multiple of `unit` and at most
/// `limit`; `otherwise` where there is none. It cuts tiles such that none
/// straddles two blocks of a mask's rule.
int64_t divisorUpTo(std::optional<int64_t> block, int64_t unit, int64_t limit,
                    int64_t otherwise);

} // namespace sinter

#endif // SINTER_ANALYSIS_ATTENTIONACCESS_H
