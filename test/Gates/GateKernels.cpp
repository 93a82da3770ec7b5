//===- GateKernels.cpp - what kernels for GPUs must pass ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gate-kernels MODULE.mlir [--wide=KERNEL...] compiles all kernels of a module
// (a model, or kernels of the fused dialect) for all architectures, prints a
// line of numbers for each, and fails where a gate does (docs/gpu.md):
//
//   text      the module gives the same text on one thread and on many
//   claims    the log is clean, nothing is spilled, there is no local memory,
//             registers and shared memory leave room for the claimed blocks
//   generic   loops access no memory of unknown address space
//   wide      operands whose printed accesses allow 16 bytes have them; a
//             kernel that --wide names has nothing else once its operands are
//             taken for aligned
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
#include "llvm/Support/Format.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Regex.h"
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
  explicit Gates(ArrayRef<StringRef> wide) : wide(wide) {}

  void checkText(ModuleOp module, StringRef path);
  void checkKernel(const CompiledKernel &compiled);
  void fail(const Twine &finding) {
    llvm::errs() << "gate: " << finding << '\n';
    ++failures;
  }
  unsigned failures = 0;

private:
  void checkLoops(const CompiledKernel &compiled);
  void checkWide(const CompiledKernel &compiled);
  void checkWideOnly(const CompiledKernel &compiled);
  void fail(const CompiledKernel &compiled, const Twine &finding) {
    fail("kernel '" + compiled.kernel.name + "' (" +
         compiled.kernel.templateName + ") " + finding);
  }

  ArrayRef<StringRef> wide;
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

static unsigned bytesOfElement(StringRef type) {
  return llvm::StringSwitch<unsigned>(type)
      .Cases({"double", "i64", "u64"}, 8)
      .Cases({"float", "i32", "u32"}, 4)
      .Cases({"f16", "bf16", "i16", "u16"}, 2)
      .Default(1);
}

/// Accesses that move 16 bytes at a time, as the Spec is printed: where the
/// kernel has lanes of its own, what load<N, Access ...> and store<N, Access
/// ...> move; else 1 if any access allows it, since the template decides.
static unsigned countWideClaims(StringRef text) {
  llvm::Regex access("^ *struct ([A-Za-z0-9_]+) [{]");
  llvm::Regex element("using Element = ([a-z0-9]+);");
  llvm::Regex ofKernel("static constexpr .*[ ,]lanes = ([0-9]+)[,;]");
  llvm::Regex ofAccess("along = -?[0-9]+, step = 1, lanes = ([0-9]+);");
  SmallVector<StringRef> lines, matches;
  text.split(lines, '\n');
  unsigned size = 0, lanes = 16, claims = 0;
  bool ownLanes = false;
  StringRef name;
  for (StringRef line : lines) {
    unsigned count = 0;
    if (access.match(line, &matches))
      name = matches[1];
    if (element.match(line, &matches))
      size = bytesOfElement(matches[1]);
    if (line.contains("along = ")) {
      if (!ofAccess.match(line, &matches) || matches[1].getAsInteger(10, count))
        continue;
      bool isUsed = !ownLanes || text.contains(("<N, " + name + ",").str()) ||
                    text.contains(("<N, " + name + ">").str());
      claims += isUsed && std::min(lanes, count) * size >= 16;
    } else if (ofKernel.match(line, &matches)) {
      ownLanes = !matches[1].getAsInteger(10, lanes);
    }
  }
  return ownLanes ? claims : std::min(claims, 1u);
}

/// An access that could move 16 bytes does so at least in one place.
void Gates::checkWide(const CompiledKernel &compiled) {
  unsigned claimed = countWideClaims(compiled.kernel.text);
  nvrtc::PtxAccesses all =
      nvrtc::countPtxAccesses(compiled.code.ptx, compiled.kernel.name);
  llvm::outs() << "  16-byte accesses: " << all.wideGlobal << " of "
               << all.wideGlobal + all.narrowGlobal << " in the text, "
               << claimed << " expected\n";
  if (all.wideGlobal < claimed)
    fail(compiled, "has " + Twine(all.wideGlobal) +
                       " global accesses of 16 bytes, expected " +
                       Twine(claimed) +
                       " or more; see 'lanes' in its Spec (sinterc "
                       "--emit=cuda)");
}

/// The text with every condition on an address taken for met, so that the code
/// for other addresses is gone.
static std::string assumeAligned(std::string text) {
  llvm::Regex condition("args[.]slot[[][0-9]+[]] % [0-9]+ == 0");
  SmallVector<StringRef> matches;
  while (condition.match(text, &matches)) {
    size_t place = matches[0].data() - text.data();
    text.replace(place, matches[0].size(), "true");
  }
  return text;
}

/// The one access of less than 16 bytes that is left reads Status::abort.
void Gates::checkWideOnly(const CompiledKernel &compiled) {
  nvrtc::KernelsOptions options;
  options.architectures = {nvrtc::defaultArchitectures().front()};
  std::string name = compiled.kernel.name;
  auto compiler = nvrtc::Compiler::load();
  if (!compiler)
    return fail(compiled, llvm::toString(compiler.takeError()));
  auto aligned = nvrtc::compileKernels(
      **compiler, {{name, assumeAligned(compiled.kernel.getSource())}}, options,
      nvrtc::Cache::standard());
  if (!aligned)
    return fail(compiled, llvm::toString(aligned.takeError()));
  nvrtc::PtxAccesses all = nvrtc::countPtxAccesses(aligned->front().ptx, name);
  if (all.narrowGlobal > 1 || !all.wideGlobal)
    fail(compiled, "has " + Twine(all.wideGlobal) +
                       " global accesses of 16 bytes and " +
                       Twine(all.narrowGlobal - 1) +
                       " of less, where its operands are aligned");
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
  checkWide(compiled);
  if (llvm::is_contained(wide, compiled.kernel.name))
    checkWideOnly(compiled);
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialised(argc, argv);
  SmallVector<StringRef> wide;
  StringRef path;
  for (StringRef argument : llvm::drop_begin(ArrayRef(argv, argc)))
    if (argument.consume_front("--wide="))
      argument.split(wide, ',');
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
  Gates gates(wide);
  gates.checkText(*module, path);
  for (const CompiledKernel &kernel : *kernels)
    gates.checkKernel(kernel);
  for (StringRef name : wide)
    if (llvm::none_of(*kernels, [&](const CompiledKernel &compiled) {
          return compiled.kernel.name == name;
        }))
      gates.fail("the module has no kernel '" + name + "', which --wide names");
  if (kernels->empty())
    gates.fail("the module has no kernel");
  return gates.failures != 0;
}
