//===- EntryArguments.h - What belongs to rows of the caller -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_REFERENCE_ENTRYARGUMENTS_H
#define SINTER_LIB_REFERENCE_ENTRYARGUMENTS_H

#include "EntryRun.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

namespace sinter {

/// The argument [B, T, ...] whose rows a value has.
struct RowSource {
  mlir::BlockArgument argument;
  bool hasTime; ///< the value is [B, T, ...], else [B, ...]
};

/// Relates the values of an entry to the arguments that hold its rows, and to
/// the arguments that give those rows' lengths.
///
/// A value has the rows of its first operand that has any: every op of the
/// dialect passes batch and time on from there, and so do element-wise ops.
class RowAnalysis {
public:
  explicit RowAnalysis(mlir::func::FuncOp function);

  /// Null if the value has no rows of an argument, or not in its first
  /// dimensions, batch before time.
  std::optional<RowSource> rowsOf(mlir::Value value);

  /// Arguments that lengths(...) clauses name, each with the argument whose
  /// rows they measure (null if that is unknown), in the order of the function.
  struct Lengths {
    mlir::BlockArgument lengths, rows;
    bool isTimeMajor = false; ///< rows is [T, B, ...]

    int64_t batchDim() const { return isTimeMajor ? 1 : 0; }
    int64_t timeDim() const { return isTimeMajor ? 0 : 1; }
  };
  llvm::ArrayRef<Lengths> lengths() const { return lengthsArguments; }

  /// The lengths of an argument's rows, [B, T, ...]; null if there are none.
  mlir::BlockArgument lengthsOf(mlir::BlockArgument rows) const;

private:
  std::optional<RowSource> rowsOfResult(mlir::OpResult result);
  std::optional<RowSource> rowsOfState(mlir::Value initial);
  std::optional<RowSource> rowsOfNest(mlir::linalg::LinalgOp op,
                                      mlir::OpResult result);
  std::optional<RowSource> rowsOfGenerated(mlir::tensor::GenerateOp op);

  llvm::SmallVector<Lengths> lengthsArguments;
  llvm::DenseMap<mlir::Value, std::optional<RowSource>> known;
};

/// The sinter.name of an argument or result; empty without one.
llvm::StringRef argumentName(mlir::BlockArgument argument);
llvm::StringRef resultName(mlir::func::FuncOp function, unsigned index);

/// Defines the arguments of `function` in `run` from inputs by name: checks
/// their types, extents and lengths, rounds floats, replaces missing lengths by
/// the full extent and integers past a row's length by 0, and finds the rows
/// that are idle. Emits located errors.
mlir::LogicalResult bindArguments(mlir::func::FuncOp function,
                                  const llvm::StringMap<Tensor> &inputs,
                                  RowAnalysis &rows, EntryRun &run);

} // namespace sinter

#endif // SINTER_LIB_REFERENCE_ENTRYARGUMENTS_H
