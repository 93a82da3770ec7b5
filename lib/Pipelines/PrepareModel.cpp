//===- PrepareModel.cpp - From a parsed model to code and weights ---------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/PrepareModel.h"
#include "ScratchSizes.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Pipelines/DescribeModel.h"
#include "sinter/Pipelines/Pipelines.h"
#include "sinter/Support/Spelling.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace sinter;

static LogicalResult runStage(ModuleOp module, const PrepareOptions &options,
                              function_ref<void(OpPassManager &)> addPasses) {
  PassManager manager(module.getContext());
  if (options.configure && failed(options.configure(manager)))
    return failure();
  addPasses(manager);
  return manager.run(module);
}

/// Drops the entries that the caller did not ask for.
static void keepEntries(ModuleOp module, const PrepareOptions &options) {
  if (options.entries.empty())
    return;
  for (auto entry : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!llvm::is_contained(options.entries, entry.getName()))
      entry.erase();
}

LogicalResult sinter::prepareEntries(ModuleOp module,
                                     const PrepareOptions &options) {
  if (failed(runStage(module, options, addModelPasses)))
    return failure();
  keepEntries(module, options);
  if (module.getOps<func::FuncOp>().empty())
    return module.emitError("the module has no entry: no public function and "
                            "no 'sinter.entry'");
  if (options.afterModel)
    options.afterModel(module);
  return success();
}

LogicalResult sinter::prepareFused(ModuleOp module, WeightArchives &archives,
                                   const PrepareOptions &options) {
  if (failed(prepareEntries(module, options)) ||
      failed(runStage(module, options, addFusionPasses)) ||
      failed(checkWeights(module, archives)))
    return failure();
  if (options.afterFusion)
    options.afterFusion(module);
  return success();
}

/// Per entry, the kernels that it launches.
static SmallVector<SmallVector<StringAttr>> launchedKernels(ModuleOp module) {
  SmallVector<SmallVector<StringAttr>> result;
  for (auto entry : module.getOps<func::FuncOp>()) {
    SmallVector<StringAttr> &kernels = result.emplace_back();
    entry.walk([&](fused::LaunchOp launch) {
      kernels.push_back(launch.getKernelAttr().getAttr());
    });
  }
  return result;
}

/// The code generator knows only now how much scratch each kernel takes.
static void readScratch(ModuleOp module, package::ModelInterface &interface,
                        ArrayRef<SmallVector<StringAttr>> kernels) {
  for (auto [entry, names] : llvm::zip_equal(interface.entries, kernels))
    for (StringAttr name : names) {
      auto *function = SymbolTable::lookupNearestSymbolFrom(module, name);
      auto bytes = function
                       ? function->getAttrOfType<IntegerAttr>("fused.scratch")
                       : IntegerAttr();
      if (bytes)
        entry.scratchBytes =
            std::max<uint64_t>(entry.scratchBytes, bytes.getInt());
    }
}

static std::vector<LaunchSlots> launchSlots(ModuleOp module) {
  std::vector<LaunchSlots> result;
  for (auto entry : module.getOps<func::FuncOp>())
    result.emplace_back(entry);
  return result;
}

/// Kernels of a device share one more slot of the workspace.
static LogicalResult addDeviceScratch(ModuleOp module,
                                      package::ModelInterface &interface,
                                      ArrayRef<LaunchSlots> launches) {
  SmallVector<cuda::DeviceKernel> kernels = cuda::getDeviceKernels(module);
  for (auto [entry, slots] : llvm::zip_equal(interface.entries, launches)) {
    FailureOr<package::SizeExpr> bytes = slots.scratchBytes(kernels);
    if (failed(bytes))
      return failure();
    entry.slots.push_back(*bytes);
  }
  return success();
}

/// Kernels and entries -> LLVM dialect; what that says of scratch.
static LogicalResult lowerForCPU(ModuleOp module, const PrepareOptions &options,
                                 package::ModelInterface &interface) {
  auto kernels = launchedKernels(module);
  if (failed(runStage(module, options, [&](OpPassManager &manager) {
        addCPUPasses(manager, options.target);
      })))
    return failure();
  readScratch(module, interface, kernels);
  return success();
}

static LogicalResult lowerForCUDA(ModuleOp module,
                                  const PrepareOptions &options,
                                  package::ModelInterface &interface) {
  std::vector<LaunchSlots> launches = launchSlots(module);
  if (failed(runStage(module, options,
                      [&](OpPassManager &manager) { addCUDAPasses(manager); })))
    return failure();
  return addDeviceScratch(module, interface, launches);
}

FailureOr<PreparedModel> sinter::prepareModel(ModuleOp module,
                                              WeightArchives &archives,
                                              const PrepareOptions &options) {
  if (failed(prepareFused(module, archives, options)) ||
      failed(runStage(module, options, addKernelPasses)))
    return failure();
  if (options.afterKernels)
    options.afterKernels(module);
  auto interface = describeModel(module, options.backend == Backend::CUDA);
  if (failed(interface))
    return failure();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  PreparedModel model{std::move(*interface), {}};
  model.interface.computationHash = package::hashBytes(text);
  model.interface.target = options.targetDescription;
  model.interface.flushDenormals = options.flushDenormals;
  model.interface.weights.embedded = options.embedWeights;
  if (!options.name.empty())
    model.interface.name = options.name;
  if (failed(packWeights(module, archives, model.weights)))
    return failure();
  model.weights.resize(model.interface.weights.bytes);
  bool onDevice = options.backend == Backend::CUDA;
  if (failed(onDevice ? lowerForCUDA(module, options, model.interface)
                      : lowerForCPU(module, options, model.interface)))
    return failure();
  return model;
}
