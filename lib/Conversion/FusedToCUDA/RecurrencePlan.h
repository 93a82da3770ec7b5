//===- RecurrencePlan.h - Launches of a recurrence --------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCUDA_RECURRENCEPLAN_H
#define SINTER_LIB_CONVERSION_FUSEDTOCUDA_RECURRENCEPLAN_H

#include "sinter/Analysis/RecurrenceUnits.h"
#include "sinter/Conversion/FusedToHost/KernelFunctions.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

namespace sinter::cuda {

/// A matrix [k, u] or a stack of them, and what it multiplies: units, or the
/// input of the op where that is null.
struct StackPlan {
  mlir::Value factor, matrix;
  fused::MatrixStack stack;
  /// Number of its first product in a phase, or its place in a projection.
  int64_t first;
};

/// What a launch does; the names are those of device/recurrence.cuh.
enum class LaunchKind { Elements, Panels, Products, Reduce };

struct PhasePlan {
  fused::PhaseOp op;
  int64_t units, products = 0;
  llvm::SmallVector<StackPlan> stacks;
};

/// A launch of a step; phase number `phase`, past the last: what of the step's
/// arguments it ends with.
struct LaunchPlan {
  LaunchKind kind;
  unsigned phase;
  int64_t units;
};

/// What of a recurrence is decided before anything is printed.
struct RecurrencePlan : RecurrenceUnits {
  /// Of a block.
  static constexpr int64_t threads = 256;

  llvm::SmallVector<StackPlan> projections;
  llvm::SmallVector<PhasePlan> phases;
  llvm::SmallVector<LaunchPlan> launches;
  /// Batch rows of a block that multiplies, which share what it loads.
  int64_t rows;
  /// Steps whose inputs are multiplied at once.
  int64_t chunk;
  /// Products of a batch row in scratch memory.
  int64_t productStride = 0;

  /// Fails with a located error on what is not lowered.
  static mlir::FailureOr<RecurrencePlan> get(fused::RecurrenceOp op,
                                             host::KernelFunctions &host);

  /// Matrices that a block multiplies at once.
  int64_t gatesAtOnce() const { return 16 / rows; }
  /// Whether all loops over scratch memory read four numbers at a time.
  bool readsScratchWide() const;
  bool hasPrologue() const { return !projections.empty() || stateStride != 0; }
  int64_t sharedBytes() const;
  /// Bytes of device scratch per batch row.
  int64_t scratchBytes() const {
    return 4 * (projectionStride * (projections.empty() ? 0 : chunk) +
                2 * stateStride + resultStride + productStride);
  }

private:
  using RecurrenceUnits::RecurrenceUnits;
  void planProjections();
  void planPhases();
  void planLaunches();
};

/// Writes the functions that count the launches of the kernel and their blocks.
void writeRecurrenceHost(host::KernelFunctions &host,
                         const RecurrencePlan &plan);

} // namespace sinter::cuda

#endif // SINTER_LIB_CONVERSION_FUSEDTOCUDA_RECURRENCEPLAN_H
