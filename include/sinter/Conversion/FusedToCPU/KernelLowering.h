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
#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

namespace sinter::cpu {

/// A kernel while it becomes functions: beside those of KernelFunctions
///   void <name>(ptr args, i64 step, i64 task, ptr scratch)
/// and tiles that it calls.
class KernelLowering : public host::KernelFunctions {
public:
  KernelLowering(fused::KernelOp kernel, const TargetInfo &target)
      : KernelFunctions(kernel), target(target) {}

  const TargetInfo &target;

  /// As in the base; inlining tiles would spill, so every function stays one.
  using Fill =
      llvm::function_ref<mlir::Value(KernelBuilder &, mlir::ValueRange)>;
  mlir::LLVM::LLVMFuncOp function(llvm::StringRef suffix,
                                  llvm::ArrayRef<mlir::Type> arguments,
                                  mlir::Type result, Fill fill);

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

  /// A tensor operand (block argument of the kernel); its pointer and dynamic
  /// extents are loaded from `args`.
  TensorView view(KernelBuilder &k, mlir::Value args, mlir::Value operand);
  /// Where clamped reads are reported, an address in one slot more than the
  /// operands take; null if the kernel reports none.
  mlir::Value notice(KernelBuilder &k, mlir::Value args);

private:
  mlir::LLVM::LLVMFuncOp bodyFunction;
  int64_t scratchBytes = 0;
};

using host::delinearize;
using host::nextIndices;

/// Calls a function made by KernelLowering::function.
mlir::Value callFunction(KernelBuilder &k, mlir::LLVM::LLVMFuncOp function,
                         mlir::ValueRange arguments);

/// A region argument read at a point: a tensor without a map as a table.
RegionArgument readArgument(KernelBuilder &k, const TensorView &view,
                            mlir::AffineMap map, llvm::ArrayRef<LaneIndex> dims,
                            llvm::ArrayRef<LaneIndex> symbols = {},
                            mlir::Value active = nullptr);

/// One per skeleton: writes the functions of a kernel that holds this op.
/// Failures are located errors.
mlir::LogicalResult lowerSkeleton(KernelLowering &lowering,
                                  fused::ContractOp op);
mlir::LogicalResult lowerSkeleton(KernelLowering &lowering,
                                  fused::AttentionOp op);
mlir::LogicalResult lowerSkeleton(KernelLowering &lowering,
                                  fused::NormalizeOp op);
mlir::LogicalResult lowerSkeleton(KernelLowering &lowering,
                                  fused::RecurrenceOp op);
mlir::LogicalResult lowerSkeleton(KernelLowering &lowering, fused::MapOp op);

} // namespace sinter::cpu

#endif // SINTER_CONVERSION_FUSEDTOCPU_KERNELLOWERING_H
