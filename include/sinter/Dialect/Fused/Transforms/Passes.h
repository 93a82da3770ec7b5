//===- Passes.h - Passes on the kernel dialect ------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_TRANSFORMS_PASSES_H
#define SINTER_DIALECT_FUSED_TRANSFORMS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace sinter::fused {

#define GEN_PASS_DECL
#include "sinter/Dialect/Fused/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "sinter/Dialect/Fused/Transforms/Passes.h.inc"

} // namespace sinter::fused

#endif // SINTER_DIALECT_FUSED_TRANSFORMS_PASSES_H
