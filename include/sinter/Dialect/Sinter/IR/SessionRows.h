//===- SessionRows.h - how many rows a session has --------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SESSIONROWS_H
#define SINTER_DIALECT_SINTER_IR_SESSIONROWS_H

#include "llvm/ADT/StringRef.h"

namespace sinter {

/// On a state (or what it becomes) whose rows have a name: the number of rows
/// that all entries have.
inline constexpr llvm::StringLiteral sessionRowsAttrName =
    "sinter.session_rows";

} // namespace sinter

#endif // SINTER_DIALECT_SINTER_IR_SESSIONROWS_H
