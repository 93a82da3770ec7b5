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

/// What concerns one kernel stands where that comes from.
static LogicalResult fail(ModuleOp module, llvm::Error error) {
  llvm::handleAllErrors(
      std::move(error),
      [&](const nvrtc::KernelError &error) {
        emitError(locationOf(module, error.kernel)) << error.problem;
      },
      [&](const llvm::ErrorInfoBase &error) {
        emitError(module.getLoc()) << error.message();
      });
  return failure();
}

/// The macro that leaves a thread the registers of all blocks that a kernel
/// claims to run at once; none where it claims one.
static std::string relaxationOf(const cuda::DeviceKernel &kernel) {
  return kernel.blocksPerSM > 1 ? kernel.getBlocksMacro() + "=1" : "";
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
    return fail(module, compiler.takeError());
  std::vector<nvrtc::KernelText> texts;
  SmallVector<cuda::DeviceKernel> kernels = allKernels(module);
  for (const cuda::DeviceKernel &kernel : kernels)
    texts.push_back({kernel.name, kernel.getSource(), relaxationOf(kernel)});
  auto images = nvrtc::compileKernels(**compiler, texts, optionsOf(options),
                                      nvrtc::Cache::standard());
  if (!images)
    return fail(module, images.takeError());
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
        " bytes of registers, with those of a multiprocessor for one block "
        "too: fewer values alive or smaller tiles avoid it");
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
  int64_t claimed = image.isRelaxed ? 1 : kernel.blocksPerSM;
  if (blocks < claimed)
    add("fits " + Twine(blocks) + " times on a multiprocessor, not " +
        Twine(claimed) + " times as it claims: " + Twine(kernel.threads) +
        " threads, " + Twine(resources.registers) + " registers each, " +
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

/// ", 2 blocks on a multiprocessor (25% of its warps)".
static void describeOccupancy(llvm::raw_ostream &os,
                              const cuda::DeviceKernel &kernel,
                              const nvrtc::KernelImage &image) {
  const nvrtc::KernelResources &resources = *image.resources;
  unsigned blocks =
      nvrtc::residentBlocks(image.arch, kernel.threads, resources.registers,
                            resources.sharedBytes + kernel.sharedBytes);
  os << ", " << blocks << (blocks == 1 ? " block" : " blocks")
     << " on a multiprocessor ("
     << blocks * kernel.threads * 100 / image.arch.limits().threads
     << "% of its warps)";
  if (image.isRelaxed)
    os << "; registers for " << kernel.blocksPerSM << " would spill";
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
    if (image.resources)
      describeOccupancy(os, kernel, image);
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

/// Macros for the kernels that need local memory with the blocks they claim.
static std::vector<std::string> findRelaxations(ModuleOp module,
                                                const nvrtc::Log &log) {
  std::vector<std::string> macros;
  for (const cuda::DeviceKernel &kernel : cuda::getDeviceKernels(module)) {
    bool spills = llvm::any_of(log.spills, [&](const nvrtc::Spills &found) {
      return found.kernel == kernel.name;
    });
    if (spills && kernel.blocksPerSM > 1)
      macros.push_back(relaxationOf(kernel));
  }
  return macros;
}

FailureOr<std::string> sinter::compileDeviceText(ModuleOp module,
                                                 nvrtc::Architecture arch,
                                                 bool asPtx,
                                                 const DeviceOptions &options) {
  auto compiler = nvrtc::Compiler::load();
  if (!compiler)
    return fail(module, compiler.takeError());
  std::string text = deviceText(module);
  StringRef name = module.getSymName().value_or("kernels");
  nvrtc::TextOptions how = {options.flushDenormals, {}};
  auto compiled = (*compiler)->compile(name, text, arch, how);
  if (compiled) {
    how.definitions = findRelaxations(module, compiled->log);
    if (!how.definitions.empty())
      compiled = (*compiler)->compile(name, text, arch, how);
  }
  if (!compiled)
    return fail(module, compiled.takeError());
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
