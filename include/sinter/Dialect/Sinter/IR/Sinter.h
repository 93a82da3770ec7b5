//===- Sinter.h - the sinter dialect ----------------------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTER_H
#define SINTER_DIALECT_SINTER_IR_SINTER_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "sinter/Dialect/Sinter/IR/Shapes.h"

#include "sinter/Dialect/Sinter/IR/SinterOpsDialect.h.inc"
#include "sinter/Dialect/Sinter/IR/SinterOpsEnums.h.inc"
#define GET_TYPEDEF_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOpsTypes.h.inc"

#include "sinter/Dialect/Sinter/IR/SinterInterfaces.h.inc"

namespace sinter {

/// The effect resource of session state.
struct SessionResource
    : public mlir::SideEffects::Resource::Base<SessionResource> {
  llvm::StringRef getName() override { return "SinterSession"; }
};

/// Names of the dialect's attributes on other dialects' ops.
inline constexpr llvm::StringLiteral archiveAttrName = "sinter.archive";
inline constexpr llvm::StringLiteral nameAttrName = "sinter.name";
inline constexpr llvm::StringLiteral dimsAttrName = "sinter.dims";

} // namespace sinter

#define GET_OP_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOps.h.inc"

namespace sinter {

/// Recomputes the result types of `op` from its operands. Fails, with an error
/// at `op`, if the operands no longer fit. Ops of other dialects: element-wise
/// ones follow their operands; anything else is left as it is.
mlir::LogicalResult refineResultTypes(mlir::Operation *op);

} // namespace sinter

#endif // SINTER_DIALECT_SINTER_IR_SINTER_H
