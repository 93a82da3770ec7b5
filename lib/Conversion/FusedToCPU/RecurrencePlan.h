//===- RecurrencePlan.h - What a recurrence keeps where ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCEPLAN_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCEPLAN_H

#include "sinter/Analysis/RecurrenceUnits.h"
#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

namespace sinter::cpu {

/// One product of a phase: a matrix of a stack.
struct ProductPlan {
  mlir::Value factor;
  /// Number among the matrices of all phases, and in the stack.
  unsigned matrix;
  int64_t gate;
  fused::MatrixStack stack;
};

struct PhasePlan {
  fused::PhaseOp op;
  int64_t units;
  llvm::SmallVector<ProductPlan> products;
  /// Its captures among those of all phases.
  unsigned firstCapture;

  /// Whether its products are needed for one panel of 16 units at a time.
  bool keepsPanel() const {
    fused::PhaseOp phase = op;
    return phase.getReductions().empty();
  }
  /// Numbers from one product of a row to the next in scratch memory.
  int64_t productSpacing() const {
    return keepsPanel() ? 16 : (units + 15) / 16 * 16;
  }
};

/// What of a recurrence is decided before anything is emitted. Scratch memory
/// of a task: rows of projections (one per batch row and step of a chunk), then
/// per batch row states, results, and products: of a panel, or of a phase that
/// reduces.
struct RecurrencePlan : RecurrenceUnits {
  llvm::SmallVector<PhasePlan> phases;
  llvm::SmallVector<fused::MatrixStack> weights;
  /// Offset of the first matrix's numbers in a row of projections, by weight.
  llvm::SmallVector<int64_t> weightOffsets;
  /// Batch rows of a task, which share every weight that is loaded.
  unsigned rows;
  /// Steps whose projections are made at once.
  int64_t chunk;
  /// Products of a batch row in scratch memory.
  int64_t productStride = 0;

  /// Fails with a located error on what is not lowered.
  static mlir::FailureOr<RecurrencePlan> get(fused::RecurrenceOp op,
                                             KernelLowering &lowering);

  /// Rows of the projection buffer, with those that fill the last tile.
  int64_t projectionRows() const { return chunk * rows + 8; }
  int64_t scratchBytes() const;

private:
  using RecurrenceUnits::RecurrenceUnits;
  void planWeights();
  void planPhases();
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_RECURRENCEPLAN_H
