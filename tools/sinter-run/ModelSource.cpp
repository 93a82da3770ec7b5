//===- ModelSource.cpp - A model's text, its reference and its code -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ModelSource.h"
#include "RandomWeights.h"
#include "Report.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Execution/DeviceMemory.h"
#include "sinter/Pipelines/CompileDevice.h"
#include "sinter/Target/Object/Object.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace sinter::run {

static mlir::DialectRegistry modelDialects() {
  mlir::DialectRegistry registry;
  registry.insert<SinterDialect, fused::FusedDialect,
                  mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
  return registry;
}

ModelSource::ModelSource(const RunRequest &request)
    : request(request), context(modelDialects()),
      printer(std::make_unique<mlir::SourceMgrDiagnosticHandler>(
          sources, &context, errs())) {
  context.loadAllAvailableDialects();
  context.printOpOnDiagnostic(false);
}

ModelSource::~ModelSource() {
  if (!randomFolder.empty())
    removeRandomWeights(randomFolder);
}

static Expected<nvrtc::Architecture> architectureOfDevice() {
  return nvrtc::architectureFor(execution::deviceCapability());
}

/// What code of a level is generated for. Of a device it is the host's.
static package::TargetSpec specOf(StringRef level) {
  package::TargetSpec target;
  if (level != deviceLevel)
    target.cpu = level.str();
  else if (auto arch = architectureOfDevice())
    target.gpus = arch->name();
  else
    consumeError(arch.takeError()); // reported where kernels are compiled
  return target;
}

PrepareOptions ModelSource::optionsFor(StringRef level) const {
  package::TargetSpec target = specOf(level);
  return {.backend = level == deviceLevel ? Backend::CUDA : Backend::CPU,
          .target = *TargetInfo::get(target.cpu),
          .targetDescription = target.describe(),
          .name = "",
          .entries = {},
          .embedWeights = true,
          .flushDenormals = false,
          .configure = {},
          .afterModel = {},
          .afterFusion = {},
          .afterKernels = {}};
}

std::unique_ptr<WeightArchives> ModelSource::makeArchives() const {
  return std::make_unique<WeightArchives>(
      randomFolder.empty() ? sys::path::parent_path(request.model)
                           : StringRef(randomFolder));
}

int ModelSource::open() {
  auto buffer = MemoryBuffer::getFileOrSTDIN(request.model);
  if (!buffer)
    return fail("cannot read '" + request.model +
                "': " + buffer.getError().message());
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  parsed = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!parsed)
    return ExitDiagnosed;
  if (!parsed->getSymName())
    parsed->setSymName("model");
  reference = parsed->clone();
  if (failed(prepareEntries(*reference, optionsFor("x86-64-v3"))))
    return ExitDiagnosed;
  if (request.randomWeights) {
    Expected<std::string> folder = writeRandomWeights(*reference, request.seed);
    if (!folder)
      return fail(folder.takeError());
    randomFolder = *folder;
  }
  archives = makeArchives();
  oracle = std::make_unique<execution::ReferenceModel>(
      *reference, [this](StringRef name, StringRef file,
                         mlir::RankedTensorType type, mlir::Location location) {
        StringRef path = file;
        auto archive =
            (*reference)->getAttrOfType<mlir::StringAttr>(archiveAttrName);
        if (path.empty() && archive)
          path = archive.getValue();
        return archives->load(name, path, type, location);
      });
  return ExitSuccess;
}

/// Kernels for the device at hand.
static bool compileKernels(mlir::ModuleOp module,
                           package::ModelInterface &interface) {
  auto arch = architectureOfDevice();
  if (!arch) {
    fail(arch.takeError());
    return false;
  }
  auto kernels = compileDevice(module, {.architectures = {*arch}});
  if (failed(kernels))
    return false;
  interface.deviceKernels = packageDevice(*kernels);
  return true;
}

/// Code for what is left of `module`.
static std::unique_ptr<execution::LoadedModel>
load(mlir::ModuleOp module, const PreparedModel &model,
     const package::TargetSpec &target) {
  LLVMContext llvmContext;
  std::unique_ptr<Module> code = package::translateToLLVM(module, llvmContext);
  if (!code)
    return nullptr;
  Expected<package::CompiledModel> compiled =
      package::compileModel(std::move(code), model.interface, model.weights,
                            target, package::CodeKind::Object);
  if (!compiled) {
    fail(compiled.takeError());
    return nullptr;
  }
  auto loaded = execution::LoadedModel::fromObject(compiled->code);
  if (!loaded) {
    fail(loaded.takeError());
    return nullptr;
  }
  return std::move(*loaded);
}

std::unique_ptr<execution::LoadedModel>
ModelSource::compile(StringRef cpu, KernelTable *kernels) {
  if (cpu == deviceLevel)
    if (Error error = execution::useDevice()) {
      fail(std::move(error));
      return nullptr;
    }
  mlir::OwningOpRef<mlir::ModuleOp> module = parsed->clone();
  auto fresh = makeArchives();
  PrepareOptions options = optionsFor(cpu);
  std::vector<mlir::Operation *> ops = numberedOps(*reference);
  if (kernels) {
    options.afterModel = numberLocations;
    options.afterKernels = [&](mlir::ModuleOp launches) {
      *kernels = readLaunches(launches, ops);
    };
  }
  mlir::FailureOr<PreparedModel> model = prepareModel(*module, *fresh, options);
  if (failed(model))
    return nullptr;
  if (kernels)
    addLayout(*kernels, model->interface);
  if (cpu == deviceLevel && !compileKernels(*module, model->interface))
    return nullptr;
  return load(*module, *model, specOf(cpu));
}

StringSet<> ModelSource::maskArguments() {
  StringSet<> names;
  reference->walk([&](mlir::Operation *op) {
    mlir::Value mask;
    if (auto attention = dyn_cast<AttentionOp>(op))
      mask = attention.getDenseMask();
    else if (auto additive = dyn_cast<AdditiveAttentionOp>(op))
      mask = additive.getDenseMask();
    // A mask often comes through a broadcast or a cast.
    while (mask && mask.getDefiningOp() &&
           mask.getDefiningOp()->getNumOperands())
      mask = mask.getDefiningOp()->getOperand(0);
    auto argument = dyn_cast_if_present<mlir::BlockArgument>(mask);
    auto function = op->getParentOfType<mlir::func::FuncOp>();
    if (!argument || argument.getOwner() != &function.getBody().front())
      return;
    if (auto name = function.getArgAttrOfType<mlir::StringAttr>(
            argument.getArgNumber(), nameAttrName))
      names.insert(name.getValue());
  });
  return names;
}

} // namespace sinter::run
