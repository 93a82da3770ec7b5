//===- RecurrenceTask.h - All steps of a few batch rows ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCETASK_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCETASK_H

#include "RecurrencePlan.h"

#include "llvm/ADT/SetVector.h"

namespace sinter::cpu {

/// Operands of a recurrence in the function that is being written.
struct RecurrenceOperands {
  std::optional<TensorView> input, lengths;
  llvm::SmallVector<TensorView> weights, vectors, states, outs;
  /// Of all phases, one after the other.
  llvm::SmallVector<TensorView> matrices, captures;
  /// b, t, u, k.
  llvm::SmallVector<mlir::Value> extents;
  /// Where clamped reads are told; null where none tells.
  mlir::Value notice;

  static RecurrenceOperands get(KernelBuilder &k, KernelLowering &lowering,
                                fused::RecurrenceOp op, mlir::Value args);
};

/// Emits a task: all steps of `rows` batch rows from `firstRow` on. Rows past
/// the batch repeat the last one, with the same results.
class RecurrenceTask {
public:
  RecurrenceTask(KernelLowering &lowering, KernelBuilder &k,
                 fused::RecurrenceOp op, const RecurrencePlan &plan,
                 const RecurrenceOperands &at, unsigned rows,
                 mlir::Value firstRow, mlir::Value scratch);

  mlir::LogicalResult emit();

  /// A vector of columns of a product: of the 16 in a panel.
  struct ProductColumn {
    unsigned product, vector;
  };
  /// What one register tile sums up: products of one factor.
  struct ProductTilePlan {
    llvm::SmallVector<ProductColumn> columns;
    /// Their matrices, each once.
    llvm::SmallSetVector<unsigned, 4> matrices;
    /// Whether other tiles read the rest of the factor's matrices.
    bool isPart;
  };

private:
  /// A batch row.
  struct Row {
    mlir::Value batch;
    /// Steps that it takes: the extent of t, or less.
    mlir::Value length;
  };
  /// The row in a step.
  struct RowStep {
    /// Where it reads and writes: b and t of the recurrence's dimensions.
    llvm::SmallVector<LaneIndex> dims;
    /// i1, null: always. A row that is past its length keeps its state.
    mlir::Value active;
    /// Its numbers in scratch memory.
    mlir::Value projections, states, nextStates, results, products;
  };
  /// Rows [first, first + rows) of the projection buffer, of which `count` are
  /// needed in a chunk that starts with step `firstStep`.
  struct ProjectionRows {
    mlir::Value firstStep, count, first;
    unsigned rows;
  };
  /// Matrices [gate, gate + gates) of a stack in `panels` panels of 16 columns.
  struct WeightTile {
    unsigned weight;
    int64_t gate, gates, panels;
  };
  /// Units [first, first + lanes) of a row, of which `active` (i64) exist;
  /// null: all.
  struct Lanes {
    mlir::Value first, active;
  };

  /// Gets the first of 16 units, how many are left where there are fewer, and
  /// the sums if they are in registers: of each product, its vectors.
  using PanelUse =
      llvm::function_ref<void(mlir::Value first, std::optional<int64_t> left,
                              llvm::ArrayRef<mlir::Value> sums)>;

  Row rowAt(mlir::Value number);
  mlir::Value timeOf(const Row &row, mlir::Value step);
  llvm::SmallVector<LaneIndex> point(const Row &row, mlir::Value time);
  mlir::Value stateRow(mlir::Value stepNumber, unsigned row);
  mlir::Value gepF32(mlir::Value base, int64_t offset) {
    return k.gep(f32, base, k.i64(offset));
  }
  /// Calls `body` for pieces of [0, count).
  void forUnits(int64_t count, llvm::function_ref<void(Lanes)> body);

  // Projections (RecurrenceProjection.cpp).
  void project(mlir::Value firstStep, mlir::Value steps);
  void projectRows(unsigned rows, mlir::Value firstStep, mlir::Value count);
  llvm::SmallVector<mlir::Value> inputRows(const ProjectionRows &tile);
  void projectTile(const ProjectionRows &rows, const WeightTile &tile,
                   mlir::Value panel);

  // Both ends (RecurrenceTask.cpp).
  void loadStates();
  void storeStates(mlir::Value steps);
  void clearOutputs(mlir::Value steps);

  // Steps (RecurrenceStep.cpp).
  RowStep rowStep(unsigned row, mlir::Value number, mlir::Value inChunk);
  void step(mlir::Value number, mlir::Value inChunk);
  void phase(const PhasePlan &phase);
  void prefetchOperands(const PhasePlan &phase, mlir::Value first);
  void forPanels(const PhasePlan &phase, PanelUse use);
  llvm::SmallVector<ProductTilePlan> tilesOf(const PhasePlan &phase) const;
  unsigned columnsPerTile(unsigned columns) const;
  llvm::SmallVector<mlir::Value> tileOperands(const PhasePlan &phase,
                                              const ProductTilePlan &tile,
                                              mlir::Value first);
  mlir::LLVM::LLVMFuncOp tileFunction(const PhasePlan &phase,
                                      const ProductTilePlan &tile);
  llvm::SmallVector<mlir::Value>
  keptProducts(const PhasePlan &phase, const RowStep &row, mlir::Value at);
  mlir::Value factorRow(const RowStep &row, const UnitsPlace &place);
  mlir::Value numbersOf(const RowStep &row, const UnitsPlace &place);
  mlir::Value load(const RowStep &row, mlir::Value units, Lanes lanes);
  void mapUnits(const PhasePlan &phase, const RowStep &row, Lanes lanes,
                llvm::ArrayRef<mlir::Value> products,
                llvm::ArrayRef<mlir::Value> reductions);
  llvm::SmallVector<mlir::Value> run(mlir::Block &block, const PhasePlan &phase,
                                     const RowStep &row, Lanes lanes,
                                     llvm::ArrayRef<mlir::Value> products,
                                     llvm::ArrayRef<mlir::Value> reductions);
  void store(const RowStep &row, mlir::Value units, mlir::Value value,
             Lanes lanes);
  void storeArguments(const RowStep &row);

  // Reductions (RecurrenceReduce.cpp).
  void reducingPhase(const PhasePlan &phase);
  void reduce(const PhasePlan &phase, const RowStep &row, unsigned first,
              unsigned last, llvm::SmallVectorImpl<mlir::Value> &reductions);
  void accumulate(const PhasePlan &phase, const RowStep &row, unsigned first,
                  llvm::MutableArrayRef<mlir::Value> sums, Lanes lanes,
                  llvm::ArrayRef<mlir::Value> reductions);

  KernelLowering &lowering;
  KernelBuilder &k;
  fused::RecurrenceOp op;
  const RecurrencePlan &plan;
  const RecurrenceOperands &at;
  unsigned rows, lanes;
  mlir::Type f32, vector;
  mlir::Value firstRow, projectionBase, stateBase, resultBase, productBase;
  llvm::SmallVector<Row> batchRows;
  /// The rows in the step that is being emitted.
  llvm::SmallVector<RowStep> steps;
  unsigned tileFunctions = 0;
  mlir::LogicalResult status = mlir::success();
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCETASK_H
