//===- FusedToCUDA.cpp - Kernels become CUDA C++ --------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SpecPrinter.h"
#include "sinter/Conversion/FusedToCUDA/Passes.h"
#include "sinter/Conversion/FusedToHost/HostLowering.h"
#include "sinter/Conversion/FusedToHost/VisitSkeleton.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
  if (failed(host::visitSkeleton(spec.getSkeleton(), "a GPU", [&](auto op) {
        return cuda::printSkeleton(spec, op);
      })))
    return failure();
  return spec.finish();
}

namespace {
struct ConvertFusedToCUDAPass
    : sinter::impl::ConvertFusedToCUDABase<ConvertFusedToCUDAPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<llvm::BitVector> own = findOwnMemory(module);
    SmallVector<cuda::DeviceKernel> records;
    auto lower = [&](fused::KernelOp kernel) -> LogicalResult {
      FailureOr<cuda::DeviceKernel> record =
          printKernel(kernel, own.lookup(kernel.getName()));
      if (succeeded(record))
        records.push_back(std::move(*record));
      return record;
    };
    if (failed(host::lowerModule(module, host::Notice::Own, lower)))
      return signalPassFailure();
    cuda::setDeviceKernels(module, records);
  }
};
} // namespace
