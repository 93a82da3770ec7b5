//===- GateKernels.cpp - what kernels for GPUs must pass ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gate-kernels MODULE.mlir [--spills=KERNEL...] compiles all kernels of a
// module (a model, or kernels of the fused dialect) for all architectures,
// prints a line of numbers for each and how it accesses its operands, and fails
// where a gate does (docs/gpu.md):
//
//   text      the module gives the same text on one thread and on many
//   claims    the log is clean, nothing is spilled, there is no local memory,
//             registers and shared memory leave room for the claimed blocks;
//             kernels that --spills names, and no others, are compiled for
//             fewer on some architecture
//   generic   loops access no memory of unknown address space
//   widths    operands which the Spec says loops access 16 bytes at a time have
//             no other accesses there, where their addresses are aligned
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Pipelines/CompileDevice.h"
#include "sinter/Pipelines/Pipelines.h"
#include "sinter/Target/NVRTC/Ptx.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace sinter;

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<SinterDialect, fused::FusedDialect, affine::AffineDialect,
                  arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
  return registry;
}

/// A module with its kernels as text; null after errors.
static OwningOpRef<ModuleOp> lower(MLIRContext &context, StringRef path) {
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(path, &context);
  if (!module)
    return nullptr;
  PassManager manager(&context);
  if (module->getOps<fused::KernelOp>().empty()) {
    addModelPasses(manager);
    addFusionPasses(manager);
    addKernelPasses(manager);
  }
  addCUDAPasses(manager);
  if (failed(manager.run(*module)))
    return nullptr;
  return module;
}

namespace {
/// Checks kernels and counts failures.
class Gates {
public:
  explicit Gates(ArrayRef<StringRef> spilling) : spilling(spilling) {}

  void checkText(ModuleOp module, StringRef path);
  void checkKernel(const CompiledKernel &compiled);
  void fail(const Twine &finding) {
    llvm::errs() << "gate: " << finding << '\n';
    ++failures;
  }
  unsigned failures = 0;

private:
  void checkLoops(const CompiledKernel &compiled);
  void checkWidths(const CompiledKernel &compiled);
  std::string alignedPtx(const CompiledKernel &compiled);
  void fail(const CompiledKernel &compiled, const Twine &finding) {
    fail("kernel '" + compiled.kernel.name + "' (" +
         compiled.kernel.templateName + ") " + finding);
  }

  ArrayRef<StringRef> spilling;
};
} // namespace

void Gates::checkText(ModuleOp module, StringRef path) {
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> other = lower(context, path);
  if (!other || deviceText(*other) != deviceText(module))
    fail("the module gives another text on one thread than on many; look for "
         "a container that is ordered by pointers");
}

/// Loops of every kernel: no generic and no local accesses.
void Gates::checkLoops(const CompiledKernel &compiled) {
  for (const nvrtc::PtxLoop &loop :
       nvrtc::readPtxLoops(compiled.code.ptx, compiled.kernel.name)) {
    std::string where = "in the loop at line " + std::to_string(loop.line) +
                        " of its PTX (sinterc --emit=ptx)";
    if (loop.accesses.generic)
      fail(compiled, "has " + Twine(loop.accesses.generic) +
                         " generic accesses " + where +
                         ": loadGlobal, loadShared and their kin name the "
                         "address space");
    if (loop.accesses.local)
      fail(compiled, "has " + Twine(loop.accesses.local) +
                         " accesses to local memory " + where);
  }
}

static bool contains(const nvrtc::PtxGlobalAccess &access, unsigned parameter,
                     std::optional<unsigned> slot = std::nullopt) {
  return llvm::any_of(access.origins, [&](const nvrtc::PtxOrigin &origin) {
    return origin.parameter == parameter && (!slot || origin.byte == *slot * 8);
  });
}

/// Whether the Spec says that accesses like this may be narrow. Parameters of a
/// kernel are its arguments, the step, its status and its scratch.
static bool mayBeNarrow(const cuda::DeviceKernel &kernel,
                        const nvrtc::PtxGlobalAccess &access) {
  constexpr unsigned arguments = 0, status = 2, scratch = 3;
  return contains(access, status) ||
         (!kernel.hasWideScratch && contains(access, scratch)) ||
         llvm::any_of(kernel.operands, [&](const cuda::OperandAccess &operand) {
           return !operand.isWide && contains(access, arguments, operand.slot);
         });
}

static std::string namesOf(const cuda::DeviceKernel &kernel, bool wide) {
  SmallVector<StringRef> names;
  for (const cuda::OperandAccess &operand : kernel.operands)
    if (operand.isWide == wide)
      names.push_back(operand.name);
  if (kernel.scratch && kernel.hasWideScratch == wide)
    names.push_back("scratch");
  return names.empty() ? "none" : llvm::join(names, ", ");
}

/// The kernel's PTX without the code for operands that are not aligned.
std::string Gates::alignedPtx(const CompiledKernel &compiled) {
  nvrtc::KernelsOptions options;
  options.architectures = {nvrtc::defaultArchitectures().front()};
  options.text.definitions = {"SINTER_ALIGNED=1"};
  auto compiler = nvrtc::Compiler::load();
  if (!compiler) {
    fail(compiled, llvm::toString(compiler.takeError()));
    return "";
  }
  auto aligned = nvrtc::compileKernels(
      **compiler, {{compiled.kernel.name, compiled.kernel.getSource()}},
      options, nvrtc::Cache::standard());
  if (!aligned) {
    fail(compiled, llvm::toString(aligned.takeError()));
    return "";
  }
  return std::move(aligned->front().ptx);
}

/// Loops access as the Spec says. What has no loop, or a loop over what a row
/// has beyond registers, is held to it everywhere.
void Gates::checkWidths(const CompiledKernel &compiled) {
  const cuda::DeviceKernel &kernel = compiled.kernel;
  if (kernel.templateName == "session")
    return;
  llvm::outs() << "  16 bytes: " << namesOf(kernel, true)
               << "; less: " << namesOf(kernel, false) << '\n';
  bool everywhere =
      kernel.templateName == "map" || kernel.templateName == "normalize";
  std::string ptx = alignedPtx(compiled);
  SmallVector<StringRef> lines;
  StringRef(ptx).split(lines, '\n');
  std::vector<nvrtc::PtxGlobalAccess> accesses =
      nvrtc::readPtxGlobalAccesses(ptx, kernel.name);
  for (const nvrtc::PtxGlobalAccess &access : accesses)
    if ((access.inLoop || everywhere) && access.bytes != 16 &&
        !mayBeNarrow(kernel, access))
      fail(compiled, "accesses " + Twine(access.bytes) +
                         " bytes of what its Spec says is accessed 16 bytes "
                         "at a time: " +
                         lines[access.line - 1].trim());
  for (const cuda::OperandAccess &operand : kernel.operands)
    if (operand.isWide &&
        llvm::none_of(accesses, [&](const nvrtc::PtxGlobalAccess &access) {
          return access.bytes == 16 && contains(access, 0, operand.slot);
        }))
      fail(compiled, "never accesses 16 bytes of '" + Twine(operand.name) +
                         "', though its Spec says so");
}

void Gates::checkKernel(const CompiledKernel &compiled) {
  for (const nvrtc::KernelImage &image : compiled.code.images) {
    for (const std::string &finding : checkClaims(compiled.kernel, image))
      fail(finding);
    if (!image.resources)
      fail(compiled, "has no cubin for " + image.arch.name());
  }
  llvm::outs() << describeDevice(compiled);
  checkLoops(compiled);
  checkWidths(compiled);
  bool isRelaxed =
      llvm::any_of(compiled.code.images, [](const nvrtc::KernelImage &image) {
        return image.isRelaxed;
      });
  bool spills = llvm::is_contained(spilling, compiled.kernel.name);
  if (isRelaxed && !spills)
    fail(compiled, "spills with as many blocks on a multiprocessor as it "
                   "claims, so it is compiled for one: claim fewer, or keep "
                   "fewer values alive");
  if (spills && !isRelaxed)
    fail(compiled, "does not spill, though --spills names it");
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialised(argc, argv);
  SmallVector<StringRef> spilling;
  StringRef path;
  for (StringRef argument : llvm::drop_begin(ArrayRef(argv, argc)))
    if (argument.consume_front("--spills="))
      argument.split(spilling, ',');
    else
      path = argument;
  MLIRContext context(makeRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler printer(sources, &context, llvm::errs());
  OwningOpRef<ModuleOp> module = lower(context, path);
  if (!module)
    return 1;
  DeviceOptions options;
  options.architectures = nvrtc::defaultArchitectures().vec();
  FailureOr<std::vector<CompiledKernel>> kernels =
      compileDevice(*module, options);
  if (failed(kernels))
    return 1;
  Gates gates(spilling);
  gates.checkText(*module, path);
  for (const CompiledKernel &kernel : *kernels)
    gates.checkKernel(kernel);
  for (StringRef name : spilling)
    if (llvm::none_of(*kernels, [&](const CompiledKernel &compiled) {
          return compiled.kernel.name == name;
        }))
      gates.fail("the module has no kernel '" + name +
                 "', which --spills names");
  if (kernels->empty())
    gates.fail("the module has no kernel");
  return gates.failures != 0;
}
