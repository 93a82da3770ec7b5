//===- KernelFunctions.h - Host functions of a kernel -----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOHOST_KERNELFUNCTIONS_H
#define SINTER_CONVERSION_FUSEDTOHOST_KERNELFUNCTIONS_H

#include "sinter/Conversion/FusedToHost/HostBuilder.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace sinter::host {

/// A model's entries refuse dimensions above this.
inline constexpr int64_t largestExtent = (int64_t(1) << 31) - 1;

/// A kernel while it gets functions that run on the host, all of internal
/// linkage and put before the kernel:
///   i64 <name>_tasks(ptr args, i64 step)   independent tasks of a step
///   i64 <name>_steps(ptr args)             steps, one after the other
/// `args` holds one i64 per launch slot (sinter/Target/Package/CallLayout.h).
class KernelFunctions {
public:
  explicit KernelFunctions(fused::KernelOp kernel) : kernel(kernel) {}

  /// The kernel's one operation, a skeleton.
  mlir::Operation *getSkeleton();
  llvm::StringRef getName() { return kernel.getName(); }
  mlir::Location getLoc() { return getSkeleton()->getLoc(); }

  /// Writes a function `<name><suffix>` and returns it. `fill` gets its
  /// arguments and returns the result (null: void). The function is never
  /// inlined.
  using Fill = llvm::function_ref<mlir::Value(HostBuilder &, mlir::ValueRange)>;
  mlir::LLVM::LLVMFuncOp function(llvm::StringRef suffix,
                                  llvm::ArrayRef<mlir::Type> arguments,
                                  mlir::Type result, Fill fill);

  /// The number of tasks. A kernel without this function has one.
  void tasks(llvm::function_ref<mlir::Value(HostBuilder &, mlir::Value args,
                                            mlir::Value step)>
                 fill);
  /// The number of steps.
  void
  steps(llvm::function_ref<mlir::Value(HostBuilder &, mlir::Value args)> fill);

  /// The number of a kernel operand's first launch slot.
  int64_t slot(mlir::Value operand);
  /// All launch slots of the kernel's operands.
  int64_t slots();
  mlir::Value loadSlot(HostBuilder &k, mlir::Value args, int64_t slot,
                       mlir::Type type);
  /// An integer operand.
  mlir::Value integer(HostBuilder &k, mlir::Value args, mlir::Value operand);
  /// Logical extents of a tensor operand, i64; constants where static.
  llvm::SmallVector<mlir::Value>
  operandExtents(HostBuilder &k, mlir::Value args, mlir::Value operand);
  /// Extents of the skeleton's iteration dimensions, i64; null where no operand
  /// tells and no number fixes it.
  llvm::SmallVector<mlir::Value> extents(HostBuilder &k, mlir::Value args);
  /// The extent of an iteration dimension if it is known now, else kDynamic.
  int64_t staticExtent(unsigned dim);

protected:
  fused::KernelOp kernel;
};

/// Slots that an operand of a launch takes: a memref its address and its
/// dynamic extents, a number one.
int64_t launchSlots(mlir::Type type);
/// Whether a kernel has reads that report clamping.
bool reportsClamps(fused::KernelOp kernel);

/// Whether a kernel holds what the lowerings rely on: one skeleton on planned
/// memrefs of known layouts and element types, affine maps, known extents. If
/// not, says so where it stands; `where` is "a CPU" or its like.
mlir::LogicalResult checkKernel(fused::KernelOp kernel, llvm::StringRef where);

/// Splits `flat` into the indices of a space of these extents, the last one
/// running fastest.
llvm::SmallVector<mlir::Value> delinearize(HostBuilder &k, mlir::Value flat,
                                           mlir::ValueRange extents);

/// The indices after `indices` in the same order, without a division.
llvm::SmallVector<mlir::Value>
nextIndices(HostBuilder &k, mlir::ValueRange indices, mlir::ValueRange extents);

} // namespace sinter::host

#endif // SINTER_CONVERSION_FUSEDTOHOST_KERNELFUNCTIONS_H
