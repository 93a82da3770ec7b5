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

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LLVM::LLVMFuncOp KernelLowering::function(StringRef suffix,
                                          ArrayRef<Type> arguments, Type result,
                                          Fill fill) {
  return KernelFunctions::function(
      suffix, arguments, result, [&](host::HostBuilder &host, ValueRange v) {
        KernelBuilder k(host.getLoc(), host, target);
        return fill(k, v);
      });
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
  KernelFunctions::tasks([&](host::HostBuilder &host, Value args, Value step) {
    KernelBuilder k(host.getLoc(), host, target);
    return fill(k, args, step);
  });
}

void KernelLowering::finish() {
  steps([](host::HostBuilder &k, Value) { return k.i64(1); });
  Builder builder(kernel.getContext());
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

TensorView KernelLowering::view(KernelBuilder &k, Value args, Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  TensorView view;
  view.pointer = loadSlot(k, args, slot(operand), k.ptr());
  view.element = type.getElementType();
  view.extents = operandExtents(k, args, operand);
  if (fused::LayoutAttr layout = fused::getLayout(type))
    view.layout = layout.getMap();
  return view;
}

Value KernelLowering::notice(KernelBuilder &k, Value args) {
  if (!host::reportsClamps(kernel))
    return nullptr;
  return loadSlot(k, args, slots(), k.ptr());
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

RegionArgument cpu::readArgument(KernelBuilder &k, const TensorView &view,
                                 AffineMap map, ArrayRef<LaneIndex> dims,
                                 ArrayRef<LaneIndex> symbols, Value active) {
  if (!map)
    return view;
  return loadLanes(k, locate(k, view, map, dims, symbols), active);
}
