//===- DeviceKernel.h - A kernel as text for a GPU --------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--convert-fused-to-cuda` leaves the records of its kernels on the module, as
// attribute `fused.device_kernels`: an array with a dictionary per kernel, in
// the order of the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOCUDA_DEVICEKERNEL_H
#define SINTER_CONVERSION_FUSEDTOCUDA_DEVICEKERNEL_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinOps.h"

namespace sinter::cuda {

/// What a kernel does with the memory of one operand.
struct OperandAccess {
  /// The first access of it that the Spec has.
  std::string name;
  /// Its launch slot with the address.
  int64_t slot = 0;
  /// In the template's loops every access of it moves 16 bytes, where its
  /// address is a multiple of 16.
  bool isWide = false;
};

/// A kernel of the module: its symbol on the device is `name`, its parameters
/// are (Arguments<slots> by value, i64 step, Status *, u8 *scratch), its grid
/// has as many blocks as the host function `<name>_tasks(args, step)` says and
/// it is launched `<name>_steps(args)` times.
struct DeviceKernel {
  std::string name;
  /// The Spec and the SINTER_KERNEL line.
  std::string text;
  /// The file of device/ whose function the kernel runs: "map", "contract" ...
  std::string templateName;
  /// Launch slots, one i64 each (sinter/Target/Package/CallLayout.h).
  int64_t slots = 0;
  /// Threads of a block, and the blocks of a multiprocessor at once for which
  /// registers are kept free.
  int64_t threads = 128, blocksPerSM = 1;
  /// Bytes of dynamic shared memory of a block.
  int64_t sharedBytes = 0;
  /// Bytes of device memory the kernel needs beside its operands: one result,
  /// symbols are the launch slots. Null: none.
  mlir::AffineMap scratch;
  /// Of memory operands that the Spec accesses, in the order of their slots.
  llvm::SmallVector<OperandAccess> operands;
  /// As `isWide`, of the scratch.
  bool hasWideScratch = false;

  /// The complete text for NVRTC: common device files, the template's, `text`.
  std::string getSource() const;
  /// The macro that stands for `blocksPerSM` in `text`, so that the kernel can
  /// be compiled for fewer blocks with more registers.
  std::string getBlocksMacro() const { return "SINTER_BLOCKS_" + name; }
};

void setDeviceKernels(mlir::ModuleOp module,
                      llvm::ArrayRef<DeviceKernel> kernels);
/// What setDeviceKernels left; empty if there is nothing.
llvm::SmallVector<DeviceKernel> getDeviceKernels(mlir::ModuleOp module);

/// The kernel that starts and ends entries, the same for all models
/// (device/session.cuh).
DeviceKernel getSessionKernel();

/// The files of device/ that every kernel's source starts with, in order.
llvm::ArrayRef<llvm::StringRef> getCommonDeviceFiles();

/// A file of device/ by its name without suffix ("views"); empty if there is
/// none.
llvm::StringRef getDeviceFile(llvm::StringRef name);

/// The files of a template: what it shares with others, its parts,
/// `<template>_<part>` in the order of their names, then the template's own.
llvm::SmallVector<llvm::StringRef>
getTemplateFiles(llvm::StringRef templateName);

} // namespace sinter::cuda

#endif // SINTER_CONVERSION_FUSEDTOCUDA_DEVICEKERNEL_H
