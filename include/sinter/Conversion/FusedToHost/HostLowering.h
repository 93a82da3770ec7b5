//===- HostLowering.h - Entries become functions ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_CONVERSION_FUSEDTOHOST_HOSTLOWERING_H
#define SINTER_CONVERSION_FUSEDTOHOST_HOSTLOWERING_H

#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace sinter::host {

/// Turns entries, planned and outlined, into `llvm.func @<entry>_run(ptr)`.
/// The argument is a `struct sinter_call` (CallLayout.h): dimensions are
/// numbered by the entry's `fused.dims`, tensors by its arguments, states by
/// the module's storages and cursors by their first storage.
class HostLowering {
public:
  /// How a kernel that reports clamped reads does so.
  enum class Notice {
    /// Through an address, in one launch slot more than its operands take.
    Slot,
    /// By its own means.
    Own
  };

  /// Made while the module still has its kernels.
  HostLowering(mlir::ModuleOp module, Notice notice);

  /// Replaces `entry`. Fails with a located error on an op that launches
  /// nothing and has no translation.
  mlir::LogicalResult lower(mlir::func::FuncOp entry);

  struct Session {
    /// Number in sinter_call::states of a storage.
    llvm::StringMap<int64_t> states;
    /// Number in sinter_call::cursors of a cursor's start.
    llvm::StringMap<int64_t> cursors;
    /// Name of the rows dimension.
    llvm::StringRef rows;
    /// Number of a storage's state in the model: a cache has two storages.
    llvm::StringMap<int64_t> numbers;
    /// A storage by its name.
    llvm::StringMap<fused::StorageOp> storages;
    /// Byte offset of a packed tensor in the blob.
    llvm::StringMap<int64_t> weights;
    /// Kernels that are given an address for a notice.
    llvm::StringSet<> reporting;
  };

private:
  mlir::ModuleOp module;
  Session session;
};

} // namespace sinter::host

#endif // SINTER_CONVERSION_FUSEDTOHOST_HOSTLOWERING_H
