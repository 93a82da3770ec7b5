//===- EntryLowering.h - The body of an entry -------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_CONVERSION_FUSEDTOHOST_ENTRYLOWERING_H
#define SINTER_LIB_CONVERSION_FUSEDTOHOST_ENTRYLOWERING_H

#include "sinter/Conversion/FusedToHost/HostBuilder.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Target/Package/CallLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace sinter::host {

/// An address and the dynamic extents behind it.
struct HostMemref {
  mlir::Value address;
  llvm::SmallVector<mlir::Value> extents;
};

/// What entries need to know of the module, taken down while it still has its
/// kernels.
struct HostSession {
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

/// Writes what an entry does at the insertion point of `k`: addresses and
/// extents, then launches. `call` is its `struct sinter_call`.
class EntryLowering {
public:
  EntryLowering(mlir::func::FuncOp entry, const HostSession &session,
                HostBuilder &k, mlir::Value call)
      : entry(entry), session(session), k(k), call(call),
        names(entry->getAttrOfType<mlir::ArrayAttr>("fused.dims")) {}

  llvm::LogicalResult lower();

private:
  llvm::LogicalResult lowerOp(mlir::Operation &op);
  llvm::LogicalResult lowerInteger(mlir::Operation &op);
  llvm::LogicalResult lowerCursor(fused::CursorOp op);
  llvm::LogicalResult lowerState(fused::StateOp op);
  llvm::LogicalResult lowerConstant(fused::ConstantOp op);
  llvm::LogicalResult lowerLoop(mlir::scf::ForOp op);
  llvm::LogicalResult launch(fused::LaunchOp op);
  mlir::Value member(int64_t number) {
    return k.load(k.ptr(), k.gep(k.getI64Type(), call, k.i64(number)), 8);
  }
  mlir::Value element(int64_t member, int64_t number, mlir::Type type) {
    return k.load(
        type, k.gep(k.getI64Type(), this->member(member), k.i64(number)), 8);
  }
  mlir::FailureOr<mlir::Value> dim(llvm::StringRef name, mlir::Location loc);
  mlir::FailureOr<mlir::Value> capacity(llvm::StringRef name,
                                        mlir::Location loc);
  mlir::FailureOr<HostMemref>
  withDims(mlir::Value address, fused::StorageOp storage, mlir::Location loc);
  llvm::LogicalResult commit(fused::CommitOp op);
  HostMemref withExtents(mlir::Value address, mlir::ValueRange extents);
  llvm::LogicalResult bindMemref(mlir::Value result,
                                 mlir::FailureOr<HostMemref> memref);
  mlir::Value argumentArray();

  mlir::func::FuncOp entry;
  const HostSession &session;
  HostBuilder &k;
  mlir::Value call;
  mlir::ArrayAttr names;
  mlir::Value array;
  llvm::DenseMap<mlir::Value, HostMemref> memrefs;
  llvm::DenseMap<mlir::Value, mlir::Value> integers;
};

} // namespace sinter::host

#endif // SINTER_LIB_CONVERSION_FUSEDTOHOST_ENTRYLOWERING_H
