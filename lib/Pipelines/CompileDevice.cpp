//===- CompileDevice.cpp - Kernels of a module for GPUs -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Pipelines/CompileDevice.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace sinter;

/// Where the kernel comes from: its host functions keep its location.
static Location locationOf(ModuleOp module, StringRef kernel) {
  auto name = StringAttr::get(module.getContext(), kernel + "_tasks");
  Operation *function = SymbolTable::lookupSymbolIn(module, name);
  return function ? function->getLoc() : module.getLoc();
}

static LogicalResult fail(Location loc, llvm::Error error) {
  return emitError(loc) << llvm::toString(std::move(error));
}

static nvrtc::KernelsOptions optionsOf(const DeviceOptions &options) {
  nvrtc::KernelsOptions result;
  result.text.flushDenormals = options.flushDenormals;
  result.architectures = options.architectures;
  result.threads = options.threads;
  return result;
}

/// The kernels of the object: the module's, then the session's.
static SmallVector<cuda::DeviceKernel> allKernels(ModuleOp module) {
  SmallVector<cuda::DeviceKernel> kernels = cuda::getDeviceKernels(module);
  kernels.push_back(cuda::getSessionKernel());
  return kernels;
}

FailureOr<std::vector<CompiledKernel>>
sinter::compileDevice(ModuleOp module, const DeviceOptions &options) {
  auto compiler = nvrtc::Compiler::load();
  if (!compiler)
    return fail(module.getLoc(), compiler.takeError());
  std::vector<nvrtc::KernelText> texts;
  SmallVector<cuda::DeviceKernel> kernels = allKernels(module);
  for (const cuda::DeviceKernel &kernel : kernels)
    texts.push_back({kernel.name, kernel.getSource()});
  auto images = nvrtc::compileKernels(**compiler, texts, optionsOf(options),
                                      nvrtc::Cache::standard());
  if (!images)
    return fail(module.getLoc(), images.takeError());
  std::vector<CompiledKernel> result;
  for (auto [kernel, code] : llvm::zip_equal(kernels, *images)) {
    for (const nvrtc::KernelImage &image : code.images)
      for (const std::string &finding : checkClaims(kernel, image))
        emitWarning(locationOf(module, kernel.name)) << finding;
    result.push_back({std::move(kernel), std::move(code)});
  }
  return result;
}

namespace {
/// Writes findings on one kernel for one architecture.
class ClaimChecker {
public:
  ClaimChecker(const cuda::DeviceKernel &kernel,
               const nvrtc::KernelImage &image)
      : kernel(kernel), image(image) {}

  void checkLog();
  void checkMemory(const nvrtc::KernelResources &resources);
  void checkOccupancy(const nvrtc::KernelResources &resources);

  std::vector<std::string> findings;

private:
  void add(const Twine &finding) {
    findings.push_back(("kernel '" + kernel.name + "' (" + kernel.templateName +
                        ") on " + image.arch.name() + " " + finding)
                           .str());
  }

  const cuda::DeviceKernel &kernel;
  const nvrtc::KernelImage &image;
};
} // namespace

void ClaimChecker::checkLog() {
  for (const nvrtc::Spills &spills : image.log.spills)
    add("keeps " + Twine(spills.stackBytes) +
        " bytes of each thread in local memory and spills " +
        Twine(spills.storeBytes) +
        " bytes of registers: fewer values alive, smaller tiles or fewer "
        "'blocks_per_sm' avoid it");
  for (const std::string &remark : image.log.remarks)
    add("makes NVRTC say: " + remark);
}

void ClaimChecker::checkMemory(const nvrtc::KernelResources &resources) {
  bool isInLog = !image.log.spills.empty();
  if (resources.stackBytes && !isInLog)
    add("has a stack frame of " + Twine(resources.stackBytes) + " bytes");
  if ((resources.localLoads() || resources.localStores()) && !isInLog)
    add("loads " + Twine(resources.localLoads()) + " and stores " +
        Twine(resources.localStores()) +
        " times in local memory: an array with a computed index, or a "
        "function that is not inlined");
  if (resources.sharedBytes)
    add("has " + Twine(resources.sharedBytes) +
        " bytes of static shared memory; templates use SINTER_SHARED alone");
}

void ClaimChecker::checkOccupancy(const nvrtc::KernelResources &resources) {
  if (resources.maxThreads != kernel.threads)
    add("is bound to " + Twine(resources.maxThreads) +
        " threads, but is launched with " + Twine(kernel.threads));
  unsigned blocks =
      nvrtc::residentBlocks(image.arch, kernel.threads, resources.registers,
                            resources.sharedBytes + kernel.sharedBytes);
  if (blocks < kernel.blocksPerSM)
    add("fits " + Twine(blocks) + " times on a multiprocessor, not " +
        Twine(kernel.blocksPerSM) +
        " times as it claims: " + Twine(kernel.threads) + " threads, " +
        Twine(resources.registers) + " registers each, " +
        Twine(kernel.sharedBytes) + " bytes of shared memory");
}

std::vector<std::string> sinter::checkClaims(const cuda::DeviceKernel &kernel,
                                             const nvrtc::KernelImage &image) {
  ClaimChecker checker(kernel, image);
  checker.checkLog();
  if (image.resources) {
    checker.checkMemory(*image.resources);
    checker.checkOccupancy(*image.resources);
  }
  return std::move(checker.findings);
}

std::string sinter::describeDevice(const CompiledKernel &compiled) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const cuda::DeviceKernel &kernel = compiled.kernel;
  for (const nvrtc::KernelImage &image : compiled.code.images) {
    os << kernel.name << " (" << kernel.templateName << ") on "
       << image.arch.name() << ": ";
    if (image.resources)
      os << image.resources->registers << " registers, ";
    os << kernel.threads << " threads, " << kernel.sharedBytes
       << " bytes shared";
    if (image.resources) {
      unsigned blocks =
          nvrtc::residentBlocks(image.arch, kernel.threads,
                                image.resources->registers, kernel.sharedBytes);
      os << ", " << blocks << " blocks on a multiprocessor ("
         << blocks * kernel.threads * 100 / image.arch.limits().threads
         << "% of its warps)";
    }
    os << '\n';
  }
  return text;
}

std::string sinter::deviceText(ModuleOp module) {
  SmallVector<cuda::DeviceKernel> kernels = allKernels(module);
  llvm::SetVector<StringRef> files;
  for (StringRef name : cuda::getCommonDeviceFiles())
    files.insert(name);
  for (const cuda::DeviceKernel &kernel : kernels)
    for (StringRef name : cuda::getTemplateFiles(kernel.templateName))
      files.insert(name);
  std::string text;
  for (StringRef name : files)
    text += cuda::getDeviceFile(name);
  for (const cuda::DeviceKernel &kernel : kernels)
    text += "\n" + kernel.text;
  return text;
}

FailureOr<std::string> sinter::compileDeviceText(ModuleOp module,
                                                 nvrtc::Architecture arch,
                                                 bool asPtx,
                                                 const DeviceOptions &options) {
  auto compiler = nvrtc::Compiler::load();
  if (!compiler)
    return fail(module.getLoc(), compiler.takeError());
  auto compiled = (*compiler)->compile(
      module.getSymName().value_or("kernels"), deviceText(module), arch,
      {.flushDenormals = options.flushDenormals});
  if (!compiled)
    return fail(module.getLoc(), compiled.takeError());
  return asPtx ? std::move(compiled->ptx) : std::move(compiled->cubin);
}

std::vector<package::DeviceKernelCode>
sinter::packageDevice(ArrayRef<CompiledKernel> kernels) {
  std::vector<package::DeviceKernelCode> result;
  for (const CompiledKernel &compiled : kernels) {
    package::DeviceKernelCode &code = result.emplace_back();
    code.name = compiled.kernel.name;
    code.threads = compiled.kernel.threads;
    code.sharedBytes = compiled.kernel.sharedBytes;
    for (const nvrtc::KernelImage &image : compiled.code.images)
      code.images.push_back(
          {image.arch.number, image.arch.specific, image.cubin});
    code.ptx = {compiled.code.ptxArch.number, false, compiled.code.ptx};
  }
  return result;
}
