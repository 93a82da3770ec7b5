//===- KernelFunctions.cpp - Host functions of a kernel -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToHost/KernelFunctions.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::host;

Operation *KernelFunctions::getSkeleton() {
  return &kernel.getBody().front().front();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp KernelFunctions::function(StringRef suffix,
                                           ArrayRef<Type> arguments,
                                           Type result, Fill fill) {
  OpBuilder builder(kernel);
  Location loc = getLoc();
  Type returned =
      result ? result : LLVM::LLVMVoidType::get(builder.getContext());
  auto op =
      LLVM::LLVMFuncOp::create(builder, loc, (getName() + suffix).str(),
                               LLVM::LLVMFunctionType::get(returned, arguments),
                               LLVM::Linkage::Internal);
  op.setPassthroughAttr(builder.getStrArrayAttr({"noinline", "nounwind"}));
  builder.setInsertionPointToStart(op.addEntryBlock(builder));
  HostBuilder k(loc, builder);
  Value value = fill(k, op.getArguments());
  LLVM::ReturnOp::create(k, value ? ValueRange(value) : ValueRange());
  return op;
}

void KernelFunctions::tasks(
    llvm::function_ref<Value(HostBuilder &, Value, Value)> fill) {
  Builder builder(kernel.getContext());
  Type ptr = LLVM::LLVMPointerType::get(kernel.getContext());
  Type i64 = builder.getI64Type();
  function("_tasks", {ptr, i64}, i64,
           [&](HostBuilder &k, ValueRange v) { return fill(k, v[0], v[1]); });
}

void KernelFunctions::steps(
    llvm::function_ref<Value(HostBuilder &, Value)> fill) {
  Type ptr = LLVM::LLVMPointerType::get(kernel.getContext());
  function("_steps", {ptr}, Builder(kernel.getContext()).getI64Type(),
           [&](HostBuilder &k, ValueRange v) { return fill(k, v[0]); });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

int64_t host::launchSlots(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 1 + memref.getNumDynamicDims() : 1;
}

int64_t KernelFunctions::slot(Value operand) {
  auto argument = cast<BlockArgument>(operand);
  int64_t slot = 0;
  for (BlockArgument before :
       argument.getOwner()->getArguments().take_front(argument.getArgNumber()))
    slot += launchSlots(before.getType());
  return slot;
}

int64_t KernelFunctions::slots() {
  int64_t slots = 0;
  for (Type type : kernel.getBody().front().getArgumentTypes())
    slots += launchSlots(type);
  return slots;
}

Value KernelFunctions::loadSlot(HostBuilder &k, Value args, int64_t slot,
                                Type type) {
  return k.load(type, k.gep(k.getI64Type(), args, k.i64(slot)), 8);
}

Value KernelFunctions::integer(HostBuilder &k, Value args, Value operand) {
  return loadSlot(k, args, slot(operand), k.getI64Type());
}

SmallVector<Value> KernelFunctions::operandExtents(HostBuilder &k, Value args,
                                                   Value operand) {
  int64_t next = slot(operand) + 1;
  SmallVector<Value> extents;
  for (int64_t size : cast<MemRefType>(operand.getType()).getShape())
    extents.push_back(ShapedType::isDynamic(size)
                          ? loadSlot(k, args, next++, k.getI64Type())
                          : k.i64(size));
  return extents;
}

SmallVector<Value> KernelFunctions::extents(HostBuilder &k, Value args) {
  auto skeleton = cast<fused::SkeletonInterface>(getSkeleton());
  SmallVector<Value> extents;
  for (auto [dim, fixed] : llvm::enumerate(skeleton.getExtents())) {
    if (!ShapedType::isDynamic(fixed)) {
      extents.push_back(k.i64(fixed));
      continue;
    }
    auto [operand, index] = skeleton.getExtentSource(dim);
    extents.push_back(operand ? operandExtents(k, args, operand)[index]
                              : Value());
  }
  return extents;
}

int64_t KernelFunctions::staticExtent(unsigned dim) {
  auto skeleton = cast<fused::SkeletonInterface>(getSkeleton());
  if (!ShapedType::isDynamic(skeleton.getExtents()[dim]))
    return skeleton.getExtents()[dim];
  auto [operand, index] = skeleton.getExtentSource(dim);
  return operand ? cast<ShapedType>(operand.getType()).getDimSize(index)
                 : ShapedType::kDynamic;
}

bool host::reportsClamps(fused::KernelOp kernel) {
  return kernel
      .walk([](fused::ReadOp read) {
        return read.getReports() ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

SmallVector<Value> host::delinearize(HostBuilder &k, Value flat,
                                     ValueRange extents) {
  SmallVector<Value> indices(extents.size());
  for (unsigned i = extents.size(); i-- > 1;) {
    Value quotient = k.div(flat, extents[i]);
    indices[i] = k.sub(flat, k.mul(quotient, extents[i]));
    flat = quotient;
  }
  if (!extents.empty())
    indices[0] = flat;
  return indices;
}

SmallVector<Value> host::nextIndices(HostBuilder &k, ValueRange indices,
                                     ValueRange extents) {
  SmallVector<Value> result(indices);
  Value carry;
  for (unsigned d = result.size(); d-- > 0;) {
    Value next = k.add(result[d], k.i64(1));
    if (carry)
      next = k.select(carry, next, result[d]);
    result[d] = next;
    if (d == 0)
      break;
    carry = k.eq(next, extents[d]);
    result[d] = k.select(carry, k.i64(0), next);
  }
  return result;
}
