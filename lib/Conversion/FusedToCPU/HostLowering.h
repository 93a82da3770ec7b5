//===- HostLowering.h - Entries become functions ----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOCPU_HOSTLOWERING_H
#define SINTER_LIB_CONVERSION_FUSEDTOCPU_HOSTLOWERING_H

#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Support/TargetInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace sinter::cpu {

/// Turns entries, planned and outlined, into `llvm.func @<entry>_run(ptr)`.
/// The argument is a `struct sinter_call` (CallLayout.h): dimensions are
/// numbered by the entry's `fused.dims`, tensors by its arguments, states by
/// the module's storages and cursors by their first storage.
class HostLowering {
public:
  /// Made while the module still has its kernels.
  HostLowering(mlir::ModuleOp module, const TargetInfo &target);

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
    /// Kernels that report clamped reads.
    llvm::StringSet<> reporting;
  };

private:
  mlir::ModuleOp module;
  const TargetInfo &target;
  Session session;
};

} // namespace sinter::cpu

#endif // SINTER_LIB_CONVERSION_FUSEDTOCPU_HOSTLOWERING_H
