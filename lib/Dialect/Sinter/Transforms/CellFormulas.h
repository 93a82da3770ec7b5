//===- CellFormulas.h - recurrent cells in simpler ops ----------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_SINTER_TRANSFORMS_CELLFORMULAS_H
#define SINTER_LIB_DIALECT_SINTER_TRANSFORMS_CELLFORMULAS_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace sinter {

/// What all cells have.
struct CellOperands {
  mlir::Value weight, recurrence, inputBias, recurrentBias;
  bool inOut;
  llvm::SmallVector<CellActivation> activations;
  std::optional<double> clip;

  template <typename OpT> static CellOperands get(OpT op) {
    return {op.getWeight(),        op.getRecurrence(), op.getInputBias(),
            op.getRecurrentBias(), op.getInOut(),      op.getCellActivations(),
            op.getClipValue()};
  }
};

/// Writes one step of a cell at the builder's insertion point, as the ops'
/// descriptions have it. x: [B, K], states: [B, H]; gives the next states.
class CellFormulas {
public:
  CellFormulas(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  using Values = llvm::SmallVector<mlir::Value>;

  Values rnn(const CellOperands &cell, mlir::Value x, mlir::ValueRange states);
  Values gru(const CellOperands &cell, llvm::StringRef gates, Reset reset,
             mlir::Value x, mlir::ValueRange states);
  Values lstm(const CellOperands &cell, llvm::StringRef gates,
              mlir::Value peephole, bool coupled, mlir::Value x,
              mlir::ValueRange states);

private:
  mlir::Value input(const CellOperands &cell, mlir::Value x);
  mlir::Value recurrent(const CellOperands &cell, mlir::Value h);
  Values split(mlir::Value z, size_t parts);
  /// Activation `number` of the clipped z.
  mlir::Value gate(const CellOperands &cell, unsigned number, mlir::Value z);
  mlir::Value apply(const CellActivation &activation, mlir::Value x);

  /// `value` in every element of a tensor like `like`.
  mlir::Value constant(double value, mlir::Value like);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value x, double least);
  mlir::Value min(mlir::Value x, double greatest);
  /// x where x >= least or x is NaN, else `otherwise`.
  mlir::Value selectFrom(mlir::Value x, double least, mlir::Value otherwise);

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace sinter

#endif // SINTER_LIB_DIALECT_SINTER_TRANSFORMS_CELLFORMULAS_H
