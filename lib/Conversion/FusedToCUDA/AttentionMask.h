//===- AttentionMask.h - What a mask skips, as a region ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_ATTENTIONMASK_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_ATTENTIONMASK_H

#include "SpecPrinter.h"

namespace sinter::cuda {

/// Prints what lib/Analysis says of the mask of `op`, as functions of
/// (args, status, p, queryBegin, queryEnd, keyBegin, keyEnd), where p tells b
/// and h:
///   <prefix>key_range   begin, end, fullBegin, fullEnd as v0 to v3
///   <prefix>tile_state  may, must as v0 and v1
/// With `sharesHead` all queries are of the head of p, else of any.
mlir::LogicalResult printMaskTiles(SpecPrinter &spec, fused::AttentionOp op,
                                   llvm::StringRef prefix, bool sharesHead);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_ATTENTIONMASK_H
