//===- KernelLowering.h - From a fused.kernel to functions ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCPU_KERNELLOWERING_H
#define SINTER_CONVERSION_FUSEDTOCPU_KERNELLOWERING_H

#include "sinter/Conversion/FusedToCPU/Memory.h"
#include "sinter/Conversion/FusedToCPU/RegionToVector.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace sinter::cpu {

/// A kernel while it becomes functions, all of internal linkage:
///   void <name>(ptr args, i64 step, i64 task, ptr scratch)
///   i64 <name>_tasks(ptr args, i64 step)   independent tasks of a step
///   i64 <name>_steps(ptr args)             steps, one after the other
/// and tiles that these call. Functions are put before the kernel.
class KernelLowering {
public:
  KernelLowering(fused::KernelOp kernel, const TargetInfo &target)
      : target(target), kernel(kernel) {}

  const TargetInfo &target;

  /// The kernel's one operation, a skeleton.
  mlir::Operation *getSkeleton();
  llvm::StringRef getName() { return kernel.getName(); }
  mlir::Location getLoc() { return getSkeleton()->getLoc(); }

  /// Writes a function `<name><suffix>` and returns it. `fill` gets its
  /// arguments and returns the result (null: void). Inlining tiles would spill,
  /// so every function stays one.
  using Fill =
      llvm::function_ref<mlir::Value(KernelBuilder &, mlir::ValueRange)>;
  mlir::LLVM::LLVMFuncOp function(llvm::StringRef suffix,
                                  llvm::ArrayRef<mlir::Type> arguments,
                                  mlir::Type result, Fill fill);

  /// The body and the number of tasks of the ABI's three functions.
  void body(llvm::function_ref<void(KernelBuilder &, mlir::Value args,
                                    mlir::Value step, mlir::Value task,
                                    mlir::Value scratch)>
                fill);
  void tasks(llvm::function_ref<mlir::Value(KernelBuilder &, mlir::Value args,
                                            mlir::Value step)>
                 fill);
  /// Bytes that the body uses at `scratch`.
  void setScratch(int64_t bytes) { scratchBytes = bytes; }
  /// Adds the number of steps, 1, and attributes. Called once, at the end.
  void finish();

  /// A kernel operand (block argument of the kernel) as a tensor or integer;
  /// its pointer and dynamic extents are loaded from `args`.
  TensorView view(KernelBuilder &k, mlir::Value args, mlir::Value operand);
  mlir::Value integer(KernelBuilder &k, mlir::Value args, mlir::Value operand);
  /// Where clamped reads are reported; null if the kernel has none.
  mlir::Value notice(KernelBuilder &k, mlir::Value args);
  /// Extents of the skeleton's iteration dimensions, i64; null where no operand
  /// tells and no number fixes it.
  llvm::SmallVector<mlir::Value> extents(KernelBuilder &k, mlir::Value args);
  /// The extent of an iteration dimension if it is known now, else kDynamic.
  int64_t staticExtent(unsigned dim);

private:
  int64_t slot(mlir::Value operand);
  mlir::Value loadSlot(KernelBuilder &k, mlir::Value args, int64_t slot,
                       mlir::Type type);

  fused::KernelOp kernel;
  mlir::LLVM::LLVMFuncOp bodyFunction;
  int64_t scratchBytes = 0;
};

/// Slots that an operand of a launch takes: a memref its address and its
/// dynamic extents, a number one.
int64_t launchSlots(mlir::Type type);
/// Whether a kernel has reads that report clamping. It is then launched with
/// one slot more than its operands take: the address of the notice.
bool reportsClamps(fused::KernelOp kernel);

/// Whether a kernel holds what the lowerings rely on: one skeleton on planned
/// memrefs of known layouts and element types, affine maps, known extents. If
/// not, says so where it stands.
mlir::LogicalResult checkKernel(fused::KernelOp kernel);

/// Calls a function made by KernelLowering::function.
mlir::Value callFunction(KernelBuilder &k, mlir::LLVM::LLVMFuncOp function,
                         mlir::ValueRange arguments);

/// Splits `flat` into the indices of a space of these extents, the last one
/// running fastest.
llvm::SmallVector<mlir::Value> delinearize(KernelBuilder &k, mlir::Value flat,
                                           mlir::ValueRange extents);

/// The indices after `indices` in the same order, without a division.
llvm::SmallVector<mlir::Value> nextIndices(KernelBuilder &k,
                                           mlir::ValueRange indices,
                                           mlir::ValueRange extents);

/// A region argument read at a point: a tensor without a map as a table.
RegionArgument readArgument(KernelBuilder &k, const TensorView &view,
                            mlir::AffineMap map, llvm::ArrayRef<LaneIndex> dims,
                            llvm::ArrayRef<LaneIndex> symbols = {},
                            mlir::Value active = nullptr);

/// One per skeleton: writes the functions of a kernel that holds this op.
/// Failures are located errors.
mlir::LogicalResult lowerContract(KernelLowering &lowering,
                                  fused::ContractOp op);
mlir::LogicalResult lowerAttention(KernelLowering &lowering,
                                   fused::AttentionOp op);
mlir::LogicalResult lowerNormalize(KernelLowering &lowering,
                                   fused::NormalizeOp op);
mlir::LogicalResult lowerRecurrence(KernelLowering &lowering,
                                    fused::RecurrenceOp op);
mlir::LogicalResult lowerMap(KernelLowering &lowering, fused::MapOp op);

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_KERNELLOWERING_H
