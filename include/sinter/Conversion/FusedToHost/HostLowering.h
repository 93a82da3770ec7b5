//===- HostLowering.h - Modules become functions ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOHOST_HOSTLOWERING_H
#define SINTER_CONVERSION_FUSEDTOHOST_HOSTLOWERING_H

#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/IR/BuiltinOps.h"

namespace sinter::host {

/// How a kernel that reports clamped reads does so.
enum class Notice {
  /// Through an address, in one launch slot more than its operands take.
  Slot,
  /// By its own means.
  Own
};

/// Turns a module, planned and outlined, into functions of the host. What
/// `lowerKernel` writes replaces each kernel. Then each entry becomes
/// `llvm.func @<entry>_run(ptr)`, whose argument is a `struct sinter_call`
/// (CallLayout.h): dimensions are numbered by the entry's `fused.dims`, tensors
/// by its arguments, states by the module's storages and cursors by their first
/// storage. Fails with a located error where `lowerKernel` does, and on an op
/// of an entry that launches nothing and has no translation.
mlir::LogicalResult lowerModule(
    mlir::ModuleOp module, Notice notice,
    llvm::function_ref<mlir::LogicalResult(fused::KernelOp)> lowerKernel);

} // namespace sinter::host

#endif // SINTER_CONVERSION_FUSEDTOHOST_HOSTLOWERING_H
