//===- Products.cpp - From a module to the parts of a package -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Products.h"
#include "Input.h"
#include "RemarkReport.h"
#include "Reports.h"
#include "TargetOptions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Pipelines/CompileDevice.h"
#include "sinter/Pipelines/PrepareModel.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace sinter {
namespace {

class Maker {
public:
  Maker(mlir::ModuleOp module, const CompileRequest &request,
        Products &products);

  LogicalResult run();

private:
  LogicalResult printModule();
  LogicalResult printKernels();
  LogicalResult compileKernels(PreparedModel &model);
  LogicalResult compile(PreparedModel &model);
  LogicalResult link(const package::CompiledModel &compiled);
  LogicalResult linkLibrary(StringRef object);
  LogicalResult linkSharedLibrary(StringRef object);
  LogicalResult fail(Error error) {
    return module.emitError() << toString(std::move(error));
  }
  bool wantsCode() const;

  mlir::ModuleOp module;
  const CompileRequest &request;
  Products &products;
  package::TargetSpec target;
  PrepareOptions options;
  mlir::DefaultTimingManager timing;
  RemarkReport remarks;
  SlotContents slots;
  mlir::TimingScope total, stage;
  size_t stages = 0;
};

Maker::Maker(mlir::ModuleOp module, const CompileRequest &request,
             Products &products)
    : module(module), request(request), products(products),
      target{request.triple, request.cpu, request.features,
             nvrtc::describe(request.gpus)},
      options{.backend = request.gpus.empty() ? Backend::CPU : Backend::CUDA,
              .target = kernelTarget(request.cpu),
              .targetDescription = target.describe(),
              .name = "",
              .entries = {},
              .embedWeights = request.weights.empty(),
              .flushDenormals = request.flushDenormals,
              .configure = {},
              .afterModel = {},
              .afterFusion = {},
              .afterKernels = {}} {
  if (!request.explainReport.empty() &&
      failed(remarks.listen(*module.getContext())))
    report_fatal_error("the remark engine does not start");
  mlir::applyDefaultTimingManagerCLOptions(timing);
  total = timing.getRootScope();
  options.configure = [this](mlir::PassManager &manager) {
    // A scope for each stage: timers are told apart by the address of their
    // pass, which the next stage's passes may take over.
    static constexpr StringLiteral names[] = {"model", "fusion", "kernels",
                                              "code"};
    stage.stop();
    stage = total.nest(names[std::min(stages++, std::size(names) - 1)]);
    manager.enableTiming(stage);
    return mlir::applyPassManagerCLOptions(manager);
  };
  options.afterKernels = [this](mlir::ModuleOp launches) {
    if (!this->request.explainReport.empty())
      this->products.explanation = remarks.text() + explainKernels(launches);
    if (!this->request.memoryPlanReport.empty())
      slots = listSlots(launches);
  };
}

/// Whether anything is asked for that only code generation knows: the header
/// states the stack use.
bool Maker::wantsCode() const {
  return !request.output.empty() || !request.header.empty() ||
         !request.manifest.empty();
}

static DeviceOptions deviceOptions(const CompileRequest &request) {
  return {.architectures = request.gpus,
          .flushDenormals = request.flushDenormals};
}

/// --emit=sinter and --emit=fused.
LogicalResult Maker::printModule() {
  StringRef folder = sys::path::parent_path(request.input);
  WeightArchives archives(folder);
  LogicalResult prepared = request.emit == EmitKind::Sinter
                               ? prepareEntries(module, options)
                               : prepareFused(module, archives, options);
  if (failed(prepared))
    return failure();
  relocateArchives(module, request.input, request.output);
  raw_string_ostream os(products.product);
  module.print(os);
  return success();
}

/// --emit=cuda, --emit=ptx and --emit=cubin.
LogicalResult Maker::printKernels() {
  if (request.emit == EmitKind::Cuda) {
    products.product = deviceText(module);
    return success();
  }
  mlir::FailureOr<std::string> code =
      compileDeviceText(module, request.gpus.front(),
                        request.emit == EmitKind::Ptx, deviceOptions(request));
  if (failed(code))
    return failure();
  products.product = std::move(*code);
  return success();
}

LogicalResult Maker::compileKernels(PreparedModel &model) {
  auto kernels = compileDevice(module, deviceOptions(request));
  if (failed(kernels))
    return failure();
  for (const CompiledKernel &kernel : *kernels)
    products.deviceKernels += describeDevice(kernel);
  model.interface.deviceKernels = packageDevice(*kernels);
  return success();
}

LogicalResult Maker::linkLibrary(StringRef object) {
  std::string member = sys::path::stem(request.output).str() + ".o";
  Expected<std::string> archive = package::makeArchive(object, member);
  if (!archive)
    return fail(archive.takeError());
  products.product = std::move(*archive);
  return success();
}

/// The system's linker works on files.
LogicalResult Maker::linkSharedLibrary(StringRef object) {
  SmallString<64> objectPath, sharedPath;
  int descriptor;
  if (std::error_code code =
          sys::fs::createTemporaryFile("sinter", "o", descriptor, objectPath))
    return fail(createStringError(code, "cannot make a temporary file"));
  raw_fd_ostream(descriptor, /*shouldClose=*/true) << object;
  sharedPath = objectPath;
  sys::path::replace_extension(sharedPath, ".so");
  Error error = package::linkShared(objectPath, sharedPath);
  auto linked = error ? ErrorOr<std::unique_ptr<MemoryBuffer>>(
                            std::make_error_code(std::errc::io_error))
                      : MemoryBuffer::getFile(sharedPath);
  sys::fs::remove(objectPath);
  sys::fs::remove(sharedPath);
  if (error)
    return fail(std::move(error));
  if (!linked)
    return fail(createStringError(linked.getError(),
                                  "the linker's output cannot be read"));
  products.product = (*linked)->getBuffer().str();
  return success();
}

LogicalResult Maker::link(const package::CompiledModel &compiled) {
  switch (request.emit) {
  case EmitKind::Library:
    return linkLibrary(compiled.code);
  case EmitKind::Shared:
    return linkSharedLibrary(compiled.code);
  case EmitKind::Header:
    products.product = compiled.header;
    return success();
  case EmitKind::Manifest:
    products.product = compiled.manifest;
    return success();
  default:
    products.product = compiled.code;
    return success();
  }
}

LogicalResult Maker::compile(PreparedModel &model) {
  LLVMContext context;
  std::unique_ptr<Module> code = package::translateToLLVM(module, context);
  if (!code)
    return failure();
  package::CodeKind kind =
      request.emit == EmitKind::Assembly ? package::CodeKind::Assembly
      : request.emit == EmitKind::LLVM   ? package::CodeKind::LLVM
                                         : package::CodeKind::Object;
  Expected<package::CompiledModel> compiled = package::compileModel(
      std::move(code), model.interface, model.weights, target, kind);
  if (!compiled)
    return fail(compiled.takeError());
  products.header = compiled->header;
  products.manifest = compiled->manifest;
  products.codeBytes = compiled->codeBytes;
  products.stackBytes = compiled->stackBytes;
  if (!request.weights.empty()) {
    std::string header =
        weightFileHeader(model.interface, compiled->weightsHash);
    products.weights.assign(header.begin(), header.end());
    products.weights.insert(products.weights.end(), model.weights.begin(),
                            model.weights.end());
  }
  return link(*compiled);
}

LogicalResult Maker::run() {
  if (!request.pipelineReport.empty())
    products.pipeline = printPipeline(request);
  if (request.emit == EmitKind::Sinter || request.emit == EmitKind::Fused)
    return printModule();
  WeightArchives archives(sys::path::parent_path(request.input));
  mlir::FailureOr<PreparedModel> model =
      prepareModel(module, archives, options);
  if (failed(model))
    return failure();
  products.signature = printSignature(model->interface);
  products.memoryPlan = printMemoryPlan(model->interface, slots);
  products.weightBytes = model->interface.weights.bytes;
  if (isOfKernels(request.emit))
    return printKernels();
  if (!wantsCode())
    return success();
  if (!request.gpus.empty() && failed(compileKernels(*model)))
    return failure();
  return compile(*model);
}

} // namespace

void registerModelDialects(mlir::DialectRegistry &registry) {
  registry.insert<SinterDialect, fused::FusedDialect,
                  mlir::affine::AffineDialect, mlir::arith::ArithDialect,
                  mlir::func::FuncDialect, mlir::linalg::LinalgDialect,
                  mlir::math::MathDialect, mlir::memref::MemRefDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect>();
}

LogicalResult makeProducts(mlir::ModuleOp module, const CompileRequest &request,
                           Products &products) {
  return Maker(module, request, products).run();
}

} // namespace sinter
