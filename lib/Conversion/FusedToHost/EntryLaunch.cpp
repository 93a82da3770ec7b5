//===- EntryLaunch.cpp - Launches and commits of an entry -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::host;

/// The content and the extents of a tensor state.
LogicalResult EntryLowering::commit(fused::CommitOp op) {
  auto found = session.numbers.find(op.getSymbol());
  if (found == session.numbers.end())
    return op.emitError("no storage is called '") << op.getSymbol() << "'";
  const HostMemref &memref = memrefs.find(op.getValue())->second;
  Value array = argumentArray();
  auto set = [&](int64_t number, Value value) {
    k.store(value, k.gep(k.getI64Type(), array, k.i64(number)), 8);
  };
  set(0, LLVM::PtrToIntOp::create(k, k.getI64Type(), memref.address));
  const auto *dynamic = memref.extents.begin();
  for (auto [dim, extent] :
       llvm::enumerate(cast<MemRefType>(op.getValue().getType()).getShape())) {
    Value value =
        ShapedType::isDynamic(extent) ? *dynamic++ : Value(k.i64(extent));
    if (dim > 0)
      set(dim, value);
  }
  auto idle = entry->getAttrOfType<IntegerAttr>("sinter.idle_rows");
  LLVM::CallOp::create(k, TypeRange(), "sinter_commit_state",
                       ValueRange{call, k.i64(found->second),
                                  k.i64(idle ? idle.getInt() : -1), array});
  return success();
}

/// One array serves all launches: a kernel is done when its launch returns.
Value EntryLowering::argumentArray() {
  if (array)
    return array;
  int64_t most = 1;
  entry.walk([&](fused::CommitOp op) {
    most = std::max(most, cast<MemRefType>(op.getValue().getType()).getRank());
  });
  entry.walk([&](fused::LaunchOp op) {
    int64_t slots = session.reporting.contains(op.getKernel());
    for (Type type : op.getOperandTypes())
      slots += launchSlots(type);
    most = std::max(most, slots);
  });
  OpBuilder::InsertionGuard guard(k);
  k.setInsertionPointAfterValue(k.getBlock()->getArgument(0));
  array = LLVM::AllocaOp::create(k, k.ptr(), k.getI64Type(), k.i64(most),
                                 /*alignment=*/8);
  return array;
}

LogicalResult EntryLowering::launch(fused::LaunchOp op) {
  SmallVector<Value> slots;
  for (Value operand : op.getOperands()) {
    if (!isa<MemRefType>(operand.getType())) {
      slots.push_back(integers.lookup(operand));
      continue;
    }
    const HostMemref &memref = memrefs.find(operand)->second;
    slots.push_back(
        LLVM::PtrToIntOp::create(k, k.getI64Type(), memref.address));
    llvm::append_range(slots, memref.extents);
  }
  if (session.reporting.contains(op.getKernel())) {
    Value notice = k.gep(k.getI64Type(), call, k.i64(SINTER_CALL_NOTICE));
    slots.push_back(LLVM::PtrToIntOp::create(k, k.getI64Type(), notice));
  }
  Value array = argumentArray();
  for (auto [number, value] : llvm::enumerate(slots))
    k.store(value, k.gep(k.getI64Type(), array, k.i64(number)), 8);
  std::string symbol = (op.getKernel() + "_kernel").str();
  Value kernel = LLVM::AddressOfOp::create(k, k.ptr(), symbol);
  LLVM::CallOp::create(k, TypeRange(), "sinter_launch",
                       ValueRange{call, kernel, array});
  return success();
}
