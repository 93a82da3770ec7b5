//===- LayerShapes.h - shapes that layers share -----------------*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_SINTER_IR_LAYERSHAPES_H
#define SINTER_LIB_DIALECT_SINTER_IR_LAYERSHAPES_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// The extents of a matrix.
struct Matrix {
  Extent out, in;
};

/// Those of `weight`, [out, in], or [in, out] with `inOut`; fails at `check`
/// unless it has two dimensions.
mlir::FailureOr<Matrix> matrixOf(mlir::Value weight, llvm::StringRef name,
                                 bool inOut, const ShapeCheck &check);

/// Checks that `vector`, if there, is a vector of `size` elements.
mlir::LogicalResult checkVector(mlir::Value vector, llvm::StringRef name,
                                int64_t size, const ShapeCheck &check);

/// The one result has the shape and type of `input`.
mlir::LogicalResult likeInput(mlir::Value input, const ShapeCheck &check,
                              llvm::SmallVectorImpl<ResultShape> &results,
                              int64_t minRank = 0);

} // namespace sinter

#endif // SINTER_LIB_DIALECT_SINTER_IR_LAYERSHAPES_H
