//===- KernelLowering.cpp - From a fused.kernel to functions --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

Operation *KernelLowering::getSkeleton() {
  return &kernel.getBody().front().front();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp KernelLowering::function(StringRef suffix,
                                          ArrayRef<Type> arguments, Type result,
                                          Fill fill) {
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
  KernelBuilder k(loc, builder, target);
  Value value = fill(k, op.getArguments());
  LLVM::ReturnOp::create(k, value ? ValueRange(value) : ValueRange());
  return op;
}

void KernelLowering::body(
    llvm::function_ref<void(KernelBuilder &, Value, Value, Value, Value)>
        fill) {
  Builder builder(kernel.getContext());
  Type ptr = LLVM::LLVMPointerType::get(kernel.getContext());
  Type i64 = builder.getI64Type();
  bodyFunction = function("", {ptr, i64, i64, ptr}, Type(),
                          [&](KernelBuilder &k, ValueRange v) {
                            fill(k, v[0], v[1], v[2], v[3]);
                            return Value();
                          });
}

void KernelLowering::tasks(
    llvm::function_ref<Value(KernelBuilder &, Value, Value)> fill) {
  Builder builder(kernel.getContext());
  Type ptr = LLVM::LLVMPointerType::get(kernel.getContext());
  Type i64 = builder.getI64Type();
  function("_tasks", {ptr, i64}, i64,
           [&](KernelBuilder &k, ValueRange v) { return fill(k, v[0], v[1]); });
}

void KernelLowering::finish() {
  Type ptr = LLVM::LLVMPointerType::get(kernel.getContext());
  Builder builder(kernel.getContext());
  function("_steps", {ptr}, builder.getI64Type(),
           [](KernelBuilder &k, ValueRange) { return k.i64(1); });
  bodyFunction->setAttr("fused.scratch",
                        builder.getI64IntegerAttr(scratchBytes));
}

Value cpu::callFunction(KernelBuilder &k, LLVM::LLVMFuncOp function,
                        ValueRange arguments) {
  auto call = LLVM::CallOp::create(k, function, arguments);
  return call.getNumResults() ? call.getResult() : Value();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

int64_t cpu::launchSlots(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref ? 1 + memref.getNumDynamicDims() : 1;
}

int64_t KernelLowering::slot(Value operand) {
  auto argument = cast<BlockArgument>(operand);
  int64_t slot = 0;
  for (BlockArgument before :
       argument.getOwner()->getArguments().take_front(argument.getArgNumber()))
    slot += launchSlots(before.getType());
  return slot;
}

Value KernelLowering::loadSlot(KernelBuilder &k, Value args, int64_t slot,
                               Type type) {
  return k.load(type, k.gep(k.getI64Type(), args, k.i64(slot)), 8);
}

Value KernelLowering::integer(KernelBuilder &k, Value args, Value operand) {
  return loadSlot(k, args, slot(operand), k.getI64Type());
}

TensorView KernelLowering::view(KernelBuilder &k, Value args, Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  TensorView view;
  int64_t next = slot(operand);
  view.pointer = loadSlot(k, args, next++, k.ptr());
  view.element = type.getElementType();
  for (int64_t size : type.getShape())
    view.extents.push_back(ShapedType::isDynamic(size)
                               ? loadSlot(k, args, next++, k.getI64Type())
                               : k.i64(size));
  if (fused::LayoutAttr layout = fused::getLayout(type))
    view.layout = layout.getMap();
  return view;
}

bool cpu::reportsClamps(fused::KernelOp kernel) {
  return kernel
      .walk([](fused::ReadOp read) {
        return read.getReports() ? WalkResult::interrupt()
                                 : WalkResult::advance();
      })
      .wasInterrupted();
}

Value KernelLowering::notice(KernelBuilder &k, Value args) {
  if (!reportsClamps(kernel))
    return nullptr;
  int64_t last = 0;
  for (Type type : kernel.getBody().front().getArgumentTypes())
    last += launchSlots(type);
  return loadSlot(k, args, last, k.ptr());
}

SmallVector<Value> KernelLowering::extents(KernelBuilder &k, Value args) {
  auto skeleton = cast<fused::SkeletonInterface>(getSkeleton());
  SmallVector<Value> extents;
  for (auto [dim, fixed] : llvm::enumerate(skeleton.getExtents())) {
    if (!ShapedType::isDynamic(fixed)) {
      extents.push_back(k.i64(fixed));
      continue;
    }
    auto [operand, index] = skeleton.getExtentSource(dim);
    extents.push_back(operand ? view(k, args, operand).extents[index]
                              : Value());
  }
  return extents;
}

int64_t KernelLowering::staticExtent(unsigned dim) {
  auto skeleton = cast<fused::SkeletonInterface>(getSkeleton());
  if (!ShapedType::isDynamic(skeleton.getExtents()[dim]))
    return skeleton.getExtents()[dim];
  auto [operand, index] = skeleton.getExtentSource(dim);
  return operand ? cast<ShapedType>(operand.getType()).getDimSize(index)
                 : ShapedType::kDynamic;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

SmallVector<Value> cpu::delinearize(KernelBuilder &k, Value flat,
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

SmallVector<Value> cpu::nextIndices(KernelBuilder &k, ValueRange indices,
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

RegionArgument cpu::readArgument(KernelBuilder &k, const TensorView &view,
                                 AffineMap map, ArrayRef<LaneIndex> dims,
                                 ArrayRef<LaneIndex> symbols, Value active) {
  if (!map)
    return view;
  return loadLanes(k, locate(k, view, map, dims, symbols), active);
}
