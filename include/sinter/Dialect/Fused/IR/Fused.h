//===- Fused.h - The fused dialect ------------------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as loop nests with scalar regions: types, attributes, interface and
// ops of the `fused` dialect.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSED_H
#define SINTER_DIALECT_FUSED_IR_FUSED_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace sinter::fused::detail {
/// Behind SkeletonInterface::getExtentSource.
std::pair<mlir::Value, unsigned> getExtentSource(mlir::Operation *op,
                                                 unsigned dim);
} // namespace sinter::fused::detail

namespace sinter::fused {
/// Positions that lie side by side in a panel of a layout: columns of a weight,
/// keys of a cache.
inline constexpr int64_t panelWidth = 16;
} // namespace sinter::fused

#include "sinter/Dialect/Fused/IR/FusedEnums.h.inc"
#include "sinter/Dialect/Fused/IR/FusedInterfaces.h.inc"
#include "sinter/Dialect/Fused/IR/FusedOpsDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "sinter/Dialect/Fused/IR/FusedAttributes.h.inc"
#define GET_TYPEDEF_CLASSES
#include "sinter/Dialect/Fused/IR/FusedOpsTypes.h.inc"
#define GET_OP_CLASSES
#include "sinter/Dialect/Fused/IR/FusedOps.h.inc"

namespace sinter::fused {

/// The type by which an element reaches a scalar region: f64 and integers as
/// they are, every other float as f32.
mlir::Type getScalarType(mlir::Type elementType);

/// The type by which `operand` (tensor or memref) reaches a region when it is
/// accessed through `map`: a scalar, or the operand's own type where `map` is
/// null.
mlir::Type getRegionArgumentType(mlir::Type operand, mlir::AffineMap map);

/// The layout attribute of a tensor or memref type, null where it is row-major.
LayoutAttr getLayout(mlir::Type shaped);

/// A constant matrix [k, u] of a recurrence, or a stack [g, k, u] of them.
struct MatrixStack {
  int64_t count, rows, columns;
};
/// The stack in a tensor or memref type; nothing unless its extents are static,
/// two or three, with at least one matrix.
std::optional<MatrixStack> getMatrixStack(mlir::Type shaped);

/// The map in one entry of a list of optional maps (`input_maps`,
/// `capture_maps`, ...): null where the operand is captured as a whole.
mlir::AffineMap getOptionalMap(mlir::Attribute entry);

} // namespace sinter::fused

#endif // SINTER_DIALECT_FUSED_IR_FUSED_H
