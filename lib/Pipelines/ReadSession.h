//===- ReadSession.h - Session-wide facts of a module -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_PIPELINES_READSESSION_H
#define SINTER_LIB_PIPELINES_READSESSION_H

#include "sinter/Target/Package/ModelInterface.h"

#include "mlir/IR/BuiltinOps.h"

namespace sinter {

/// The element type that crosses the C interface for `type`; a located error if
/// there is none.
mlir::FailureOr<package::ElementType> elementTypeOf(mlir::Type type,
                                                    mlir::Location loc);

/// Fills rows, session dimensions, cursors and states from the `fused.storage`
/// symbols of `module`, in their order.
mlir::LogicalResult readSession(mlir::ModuleOp module,
                                package::ModelInterface &model);

} // namespace sinter

#endif // SINTER_LIB_PIPELINES_READSESSION_H
