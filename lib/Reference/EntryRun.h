//===- EntryRun.h - One run of one entry -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_REFERENCE_ENTRYRUN_H
#define SINTER_LIB_REFERENCE_ENTRYRUN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sinter/Reference/Interpreter.h"
#include "sinter/Reference/Scalar.h"
#include "llvm/ADT/DenseMap.h"

namespace sinter {

using SharedTensor = std::shared_ptr<const Tensor>;

/// Gives a weight, from the archive the first time.
using WeightLookup = llvm::function_ref<mlir::FailureOr<SharedTensor>(
    llvm::StringRef name, llvm::StringRef file, mlir::RankedTensorType,
    mlir::Location)>;

/// The values of one run, and what it will change in the session. A value that
/// is no tensor is held as a tensor of rank 0.
class EntryRun {
public:
  EntryRun(Session &session, WeightLookup weights)
      : session(session), weights(weights) {}

  const Tensor &get(mlir::Value value) const {
    return *values.find(value)->second;
  }
  /// Null if there is no such operand.
  const Tensor *getOptional(mlir::Value value) const {
    return value ? &get(value) : nullptr;
  }
  ScalarValue getScalar(mlir::Value value) const { return get(value).get(0); }
  RowValues getRows(mlir::Value value) const;
  void define(mlir::Value value, Tensor tensor) {
    values[value] = std::make_shared<const Tensor>(std::move(tensor));
  }
  void define(mlir::Value value, SharedTensor tensor) {
    values[value] = std::move(tensor);
  }
  SharedTensor share(mlir::Value value) const {
    return values.find(value)->second;
  }
  bool has(mlir::Value value) const { return values.contains(value); }

  /// For regions: any value of the function.
  std::optional<ScalarOrTensor> outer(mlir::Value value) const;

  /// Says that `op` moves a cursor, for each row, to `end`; fails if another op
  /// moves it elsewhere.
  mlir::LogicalResult moveCursor(mlir::Operation *op, llvm::StringRef cursor,
                                 RowValues end);

  /// Interprets an op of a region of the op that is being interpreted.
  std::function<mlir::LogicalResult(mlir::Operation *)> runOp;

  const Session &session;
  WeightLookup weights;
  Noise *noise = nullptr; ///< where ops are to err
  SessionUpdate update;

private:
  llvm::DenseMap<mlir::Value, SharedTensor> values;
};

/// Interprets one op: reads its operands from the run and defines its results.
using OpFunction =
    std::function<mlir::LogicalResult(mlir::Operation *, EntryRun &)>;

/// What the interpreter knows, by the ops' full names.
class OpTable {
public:
  template <typename OpT>
  void add(mlir::LogicalResult (*function)(OpT, EntryRun &)) {
    functions[OpT::getOperationName()] = [function](mlir::Operation *op,
                                                    EntryRun &run) {
      return function(llvm::cast<OpT>(op), run);
    };
  }
  const OpFunction *find(llvm::StringRef name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<OpFunction> functions;
};

/// Each adds the ops of its theme.
void addAttentionOps(OpTable &table);
void addLayerOps(OpTable &table);
void addRecurrenceOps(OpTable &table);
void addScanOps(OpTable &table);
void addPositionOps(OpTable &table);
void addShapeOps(OpTable &table);
void addStateOps(OpTable &table);
void addTensorOps(OpTable &table);

/// Whether `op` is a structured op of linalg on tensors, named or generic.
bool isStructuredOp(mlir::Operation *op);

/// Runs its loops in order, calling its region at each point.
mlir::LogicalResult runStructuredOp(mlir::Operation *op, EntryRun &run);

/// Runs `body`, which interprets `op`, with the errors that `op` may make in
/// its operands and results.
mlir::LogicalResult
runWithNoise(mlir::Operation *op, EntryRun &run,
             llvm::function_ref<mlir::LogicalResult()> body);

/// Computes an element-wise op; operands of rank 0 are repeated.
mlir::LogicalResult applyElementwise(mlir::Operation *op,
                                     ScalarFunction function, EntryRun &run);

/// Fails with an error at `op` unless two extents are equal.
mlir::LogicalResult checkSame(mlir::Operation *op, llvm::StringRef what,
                              int64_t expected, int64_t actual);

/// Lengths per row of `tensor` if there is one, else `full` for each of `batch`
/// rows. Fails where one is not in 0 .. full or the rows are not `batch`.
mlir::FailureOr<RowValues> rowLengths(mlir::Operation *op, const Tensor *tensor,
                                      int64_t batch, int64_t full);

} // namespace sinter

#endif // SINTER_LIB_REFERENCE_ENTRYRUN_H
