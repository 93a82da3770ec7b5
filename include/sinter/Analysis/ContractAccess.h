//===- ContractAccess.h - How a contract reads ------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_ANALYSIS_CONTRACTACCESS_H
#define SINTER_ANALYSIS_CONTRACTACCESS_H

#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter {

/// Whether the input's numbers of one row are neighbours along k, also where k
/// is split over two dimensions that lie side by side.
bool isInputContiguous(fused::ContractOp op);

} // namespace sinter

#endif // SINTER_ANALYSIS_CONTRACTACCESS_H
