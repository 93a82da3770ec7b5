//===- RecurrenceTask.h - All steps of a few batch rows ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCETASK_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCETASK_H

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

namespace sinter::cpu {

/// Iteration dimensions of the op.
enum RecurrenceDim : unsigned { DimB, DimT, DimU, DimK };

/// What of a recurrence of one phase is decided before anything is emitted.
struct RecurrencePlan {
  fused::PhaseOp phase;
  fused::StepOp step;
  /// Units of every vector of the step.
  int64_t units;
  int64_t inputSize = 0;
  unsigned projections, vectors, states, outputs;
  /// Batch rows of a task, which share every weight that is loaded.
  unsigned rows;
  /// Steps whose projections are made at once.
  int64_t chunk;

  /// Fails with a located error on what is not lowered.
  static mlir::FailureOr<RecurrencePlan> get(fused::RecurrenceOp op,
                                             KernelLowering &lowering);

  int64_t paddedUnits() const { return (units + 15) / 16 * 16; }
  /// Numbers of a row of the projection buffer.
  int64_t projectionStride() const { return projections * paddedUnits(); }
  /// Rows of the projection buffer, with those that fill the last tile.
  int64_t projectionRows() const { return chunk * rows + 8; }
  int64_t stateNumbers() const { return states * rows * paddedUnits(); }
  int64_t scratchBytes() const;
};

/// Operands of a recurrence in the function that is being written.
struct RecurrenceOperands {
  std::optional<TensorView> input, lengths;
  llvm::SmallVector<TensorView> weights, vectors, states, outs;
  llvm::SmallVector<TensorView> matrices, captures;
  /// b, t, u, k.
  llvm::SmallVector<mlir::Value> extents;

  static RecurrenceOperands get(KernelBuilder &k, KernelLowering &lowering,
                                fused::RecurrenceOp op,
                                const RecurrencePlan &plan, mlir::Value args);
};

/// Emits a task: all steps of `rows` batch rows from `firstRow` on. Rows past
/// the batch repeat the last one, with the same results.
class RecurrenceTask {
public:
  RecurrenceTask(KernelBuilder &k, fused::RecurrenceOp op,
                 const RecurrencePlan &plan, const RecurrenceOperands &at,
                 unsigned rows, mlir::Value firstRow, mlir::Value scratch);

  mlir::LogicalResult emit();

private:
  /// A batch row.
  struct Row {
    mlir::Value batch;
    /// Steps that it takes: the extent of t, or less.
    mlir::Value length;
  };
  /// The row in a step: `time` is where it reads and writes.
  struct RowStep {
    const Row &row;
    mlir::Value time;
    /// i1, null: always. A row that is past its length keeps its state.
    mlir::Value active;
    llvm::SmallVector<LaneIndex> dims;
  };

  /// Rows [first, first + rows) of the projection buffer, of which `count` are
  /// needed in a chunk that starts with step `firstStep`.
  struct ProjectionRows {
    mlir::Value firstStep, count, first;
    unsigned rows;
  };

  Row rowAt(mlir::Value number);
  mlir::Value timeOf(const Row &row, mlir::Value step);
  llvm::SmallVector<LaneIndex> point(const Row &row, mlir::Value time);
  void project(mlir::Value firstStep, mlir::Value steps);
  llvm::SmallVector<mlir::Value> inputRows(const ProjectionRows &tile);
  void projectTile(const ProjectionRows &rows, unsigned weight,
                   mlir::Value column, unsigned vectors);
  void loadStates();
  void storeStates(mlir::Value steps);
  void clearOutputs(mlir::Value steps);
  void step(mlir::Value number, mlir::Value inChunk);
  /// Where a step stands: its number, its place in the chunk, the vectors of
  /// units at hand.
  struct Units {
    mlir::Value step, inChunk, first;
  };
  void units(llvm::MutableArrayRef<RowStep> steps, const Units &at,
             std::optional<int64_t> fixedFirst);
  void pointwise(RowStep &step, unsigned row, const Units &at,
                 llvm::ArrayRef<mlir::Value> products, mlir::Value active);
  void storeUnits(RowStep &step, unsigned row, const Units &at,
                  llvm::ArrayRef<mlir::Value> made, mlir::Value active);
  llvm::SmallVector<mlir::Value> products(const Units &at);
  unsigned productsPerTile(unsigned products) const;
  mlir::Value factorRow(unsigned argument, unsigned row, const Units &at);
  mlir::Value argument(unsigned number, unsigned row, RowStep &step,
                       const Units &at, mlir::Value active);
  mlir::Value stateRow(mlir::Value stepNumber, unsigned state, unsigned row);
  mlir::Value projectionRow(mlir::Value inChunk, unsigned projection,
                            unsigned row);
  /// Calls `body` for pieces of [0, units): first unit, active lanes (null:
  /// all).
  void forUnits(
      llvm::function_ref<void(mlir::Value first, mlir::Value active)> body);

  KernelBuilder &k;
  fused::RecurrenceOp op;
  const RecurrencePlan &plan;
  const RecurrenceOperands &at;
  unsigned rows, lanes;
  mlir::Type f32, vector;
  mlir::Value firstRow, projectionBase, stateBase;
  llvm::SmallVector<Row> batchRows;
  mlir::LogicalResult status = mlir::success();
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCETASK_H
