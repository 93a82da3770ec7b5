//===- HostLowering.cpp - Modules become functions ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToHost/HostLowering.h"
#include "EntryLowering.h"
#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::host;

static HostSession describeSession(ModuleOp module, Notice notice) {
  HostSession session;
  for (auto storage : module.getOps<fused::StorageOp>()) {
    StringRef name = storage.getSymName();
    session.states.insert({name, int64_t(session.states.size())});
    session.storages[name] = storage;
    if (!storage.getValuesOf())
      session.numbers.insert({name, int64_t(session.numbers.size())});
    if (!storage.getDims().empty())
      session.rows = cast<StringAttr>(storage.getDims()[0]).getValue();
    // A cursor has two entries: its start and its end.
    if (std::optional<StringRef> cursor = storage.getCursor())
      session.cursors.insert({*cursor, 2 * int64_t(session.cursors.size())});
  }
  for (auto packed : module.getOps<fused::PackedOp>())
    session.weights[packed.getSymName()] = packed.getOffset();
  for (auto kernel : module.getOps<fused::KernelOp>())
    if (notice == Notice::Slot && reportsClamps(kernel))
      session.reporting.insert(kernel.getName());
  return session;
}

/// Declares what the package defines: the launch loop and kernels' records.
static void declareExternals(ModuleOp module, func::FuncOp entry) {
  OpBuilder builder(entry);
  MLIRContext *context = builder.getContext();
  Location loc = module.getLoc();
  Type ptr = LLVM::LLVMPointerType::get(context);
  Type i64 = builder.getI64Type();
  // Only its address is taken; what it holds is the target's.
  auto record =
      LLVM::LLVMStructType::getLiteral(context, {ptr, ptr, ptr, ptr, i64});
  entry.walk([&](fused::LaunchOp op) {
    std::string name = (op.getKernel() + "_kernel").str();
    if (!module.lookupSymbol(name))
      LLVM::GlobalOp::create(builder, loc, record, /*isConstant=*/true,
                             LLVM::Linkage::External, name, Attribute());
  });
  // First in the module, an entry of that name, which is still to be lowered,
  // is not taken for it.
  builder.setInsertionPointToStart(module.getBody());
  auto declare = [&](StringRef name, ArrayRef<Type> parameters) {
    if (!module.lookupSymbol<LLVM::LLVMFuncOp>(name))
      LLVM::LLVMFuncOp::create(
          builder, loc, name,
          LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context),
                                      parameters));
  };
  declare("sinter_launch", {ptr, ptr, ptr});
  if (!entry.getBody().getOps<fused::CommitOp>().empty())
    declare("sinter_commit_state", {ptr, i64, i64, ptr});
}

/// What the planning passes leave, in every entry.
static LogicalResult checkEntry(func::FuncOp entry) {
  if (entry.isExternal() || !entry.getBody().hasOneBlock())
    return entry.emitError("is not an entry of straight-line code");
  if (!entry->getAttrOfType<ArrayAttr>("fused.dims"))
    return entry.emitError("has no 'fused.dims': its memory is not planned");
  for (BlockArgument argument : entry.getArguments())
    if (!isa<MemRefType>(argument.getType()))
      return emitError(argument.getLoc())
             << "argument " << argument.getArgNumber()
             << " is no memref: memory is not planned";
  return success();
}

/// Replaces `entry`.
static LogicalResult lowerEntry(func::FuncOp entry, ModuleOp module,
                                const HostSession &session) {
  if (failed(checkEntry(entry)))
    return failure();
  declareExternals(module, entry);
  OpBuilder builder(entry);
  MLIRContext *context = builder.getContext();
  auto type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(context), {LLVM::LLVMPointerType::get(context)});
  auto run = LLVM::LLVMFuncOp::create(builder, entry.getLoc(),
                                      (entry.getName() + "_run").str(), type);
  builder.setInsertionPointToStart(run.addEntryBlock(builder));
  HostBuilder k(entry.getLoc(), builder);
  if (failed(EntryLowering(entry, session, k, run.getArgument(0)).lower()))
    return failure();
  LLVM::ReturnOp::create(k, ValueRange());
  entry.erase();
  return success();
}

LogicalResult
host::lowerModule(ModuleOp module, Notice notice,
                  function_ref<LogicalResult(fused::KernelOp)> lowerKernel) {
  HostSession session = describeSession(module, notice);
  for (auto kernel :
       llvm::make_early_inc_range(module.getOps<fused::KernelOp>())) {
    if (failed(lowerKernel(kernel)))
      return failure();
    kernel.erase();
  }
  for (auto entry : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (failed(lowerEntry(entry, module, session)))
      return failure();
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (isa<fused::StorageOp, fused::PackedOp>(op))
      op.erase();
  return success();
}
