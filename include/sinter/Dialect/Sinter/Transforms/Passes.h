//===- Passes.h - passes from sinter to sinter ------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_TRANSFORMS_PASSES_H
#define SINTER_DIALECT_SINTER_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace sinter {

#define GEN_PASS_DECL
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"

} // namespace sinter

#endif // SINTER_DIALECT_SINTER_TRANSFORMS_PASSES_H
