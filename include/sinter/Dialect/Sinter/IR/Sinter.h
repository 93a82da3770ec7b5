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
#define GET_ATTRDEF_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOpsAttributes.h.inc"
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

/// A non-linearity of a recurrent cell; `sinter.rnn` has the formulas.
struct CellActivation {
  CellFunction function;
  double alpha = 0, beta = 0;
};

/// What `activations(...)` says, or `defaults` where it is absent. The clause
/// verifies: known names, two parameters for each.
llvm::SmallVector<CellActivation>
resolveActivations(mlir::ArrayAttr names, mlir::DenseF64ArrayAttr parameters,
                   llvm::ArrayRef<CellActivation> defaults);

} // namespace sinter

#define GET_OP_CLASSES
#include "sinter/Dialect/Sinter/IR/SinterOps.h.inc"

namespace sinter {

/// Recomputes the result types of `op` from its operands. Fails, with an error
/// at `op`, if the operands no longer fit. Ops of other dialects: element-wise
/// ones follow their operands; anything else is left as it is.
mlir::LogicalResult refineResultTypes(mlir::Operation *op);

/// A `lengths(...)` clause.
struct LengthsClause {
  mlir::Value lengths;      ///< [B]; null where it is left out
  mlir::Value sequence;     ///< what it measures
  bool isTimeMajor = false; ///< sequence is [T, B, ...], else [B, T, ...]
};

/// The clause of an op that may have one.
std::optional<LengthsClause> getLengthsClause(mlir::Operation *op);

} // namespace sinter

#endif // SINTER_DIALECT_SINTER_IR_SINTER_H
