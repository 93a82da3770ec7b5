//===- FusedToCUDA.cpp - Kernels become CUDA C++ --------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecPrinter.h"
#include "sinter/Conversion/FusedToCUDA/Passes.h"
#include "sinter/Conversion/FusedToHost/HostLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sinter {
#define GEN_PASS_DEF_CONVERTFUSEDTOCUDA
#include "sinter/Conversion/FusedToCUDA/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

/// The largest number of symbols of any map of a kernel.
static unsigned countSymbols(fused::KernelOp kernel) {
  unsigned symbols = 0;
  auto skeleton =
      cast<fused::SkeletonInterface>(kernel.getBody().front().front());
  for (auto [value, map] : skeleton.getAccesses())
    if (map)
      symbols = std::max({symbols, map.getNumSymbols(),
                          map.getNumDims() + map.getNumSymbols() -
                              std::min<unsigned>(map.getNumDims(),
                                                 skeleton.getDims().size())});
  return symbols;
}

/// Whether memory is placed by the compiler: slots, weights and states start at
/// multiples of 64.
static bool isOwnMemory(Value memory) {
  while (auto view = memory.getDefiningOp<fused::ViewOp>())
    memory = view.getSource();
  return isa_and_nonnull<fused::SlotOp, fused::ConstantOp, fused::StateOp>(
      memory.getDefiningOp());
}

/// The arguments of each kernel that are own memory at all its launches.
static llvm::StringMap<llvm::BitVector> findOwnMemory(ModuleOp module) {
  llvm::StringMap<llvm::BitVector> own;
  module.walk([&](fused::LaunchOp launch) {
    llvm::BitVector here(launch->getNumOperands());
    for (auto [i, operand] : llvm::enumerate(launch->getOperands()))
      here[i] = isOwnMemory(operand);
    auto [entry, isNew] = own.try_emplace(launch.getKernel(), here);
    entry->second &= here;
  });
  return own;
}

static FailureOr<cuda::DeviceKernel> printKernel(fused::KernelOp kernel,
                                                 llvm::BitVector ownMemory) {
  if (failed(host::checkKernel(kernel, "a GPU")))
    return failure();
  ownMemory.resize(kernel.getBody().front().getNumArguments());
  cuda::SpecPrinter spec(kernel, countSymbols(kernel), std::move(ownMemory));
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(spec.getSkeleton())
          .Case([&](fused::AttentionOp op) {
            return cuda::printAttention(spec, op);
          })
          .Case([&](fused::MapOp op) { return cuda::printMap(spec, op); })
          .Case([&](fused::ContractOp op) {
            return cuda::printContract(spec, op);
          })
          .Case([&](fused::RecurrenceOp op) {
            return cuda::printRecurrence(spec, op);
          })
          .Case([&](fused::NormalizeOp op) {
            return cuda::printNormalize(spec, op);
          })
          .Case([&](linalg::GenericOp op) {
            return cuda::printGeneric(spec, op);
          })
          .Default([](Operation *op) {
            return op->emitError("is not a skeleton that runs on a GPU");
          });
  if (failed(result))
    return failure();
  return spec.finish();
}

namespace {
struct ConvertFusedToCUDAPass
    : sinter::impl::ConvertFusedToCUDABase<ConvertFusedToCUDAPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    host::HostLowering entries(module, host::HostLowering::Notice::Own);
    llvm::StringMap<llvm::BitVector> own = findOwnMemory(module);
    SmallVector<cuda::DeviceKernel> records;
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<fused::KernelOp>())) {
      FailureOr<cuda::DeviceKernel> record =
          printKernel(kernel, own.lookup(kernel.getName()));
      if (failed(record))
        return signalPassFailure();
      records.push_back(std::move(*record));
      kernel.erase();
    }
    cuda::setDeviceKernels(module, records);
    for (auto entry : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (failed(entries.lower(entry)))
        return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (isa<fused::StorageOp, fused::PackedOp>(op))
        op.erase();
  }
};
} // namespace
