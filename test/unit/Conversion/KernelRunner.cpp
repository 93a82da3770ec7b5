//===- KernelRunner.cpp - Runs kernels of the fused dialect ---------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"
#include "sinter/Conversion/FusedToCPU/Passes.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::test;

std::vector<std::string> sinter::test::runnableLevels() {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  std::vector<std::string> levels = {"x86-64-v2"};
  if (host.lookup("avx2") && host.lookup("fma"))
    levels.push_back("x86-64-v3");
  if (host.lookup("avx512f") && host.lookup("avx512vl") &&
      host.lookup("avx512dq") && host.lookup("avx512bw"))
    levels.push_back("x86-64-v4");
  return levels;
}

std::string sinter::test::pairsText(StringRef op, StringRef type) {
  return llvm::formatv(R"(
fused.kernel @f {{
^bb0(%x: memref<?x{1}>, %y: memref<?x{1}>, %z: memref<?x?x{1}>):
  fused.map dims(i, j) ins(%x by (i), %y by (j) : memref<?x{1}>, memref<?x{1}>) outs(%z by (i, j) : memref<?x?x{1}>) {{
  ^bb0(%a: {1}, %b: {1}):
    %r = {0} %a, %b : {1}
    fused.yield %r : {1}
  }
})",
                       op, type);
}

/// The engine compiles for the host and finds global functions only.
static void prepareForEngine(ModuleOp module, StringRef cpu) {
  Builder builder(module.getContext());
  module.walk([&](LLVM::LLVMFuncOp function) {
    function.setLinkage(LLVM::Linkage::External);
    function.setTargetCpu(cpu);
  });
}

KernelRunner::KernelRunner(StringRef source, StringRef cpu) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  context.loadDialect<fused::FusedDialect, arith::ArithDialect,
                      math::MathDialect, LLVM::LLVMDialect>();
  registerBuiltinDialectTranslation(context);
  registerLLVMDialectTranslation(context);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(source, &context);
  if (!module)
    return;
  PassManager manager(&context);
  ConvertFusedToCPUOptions options;
  options.cpu = cpu.str();
  manager.addPass(createConvertFusedToCPU(options));
  buildCPUKernelsToLLVM(manager);
  if (failed(manager.run(*module)))
    return;
  prepareForEngine(*module, cpu);
  ExecutionEngineOptions engineOptions;
  engineOptions.enableGDBNotificationListener = false;
  engineOptions.enablePerfNotificationListener = false;
  auto made = ExecutionEngine::create(*module, engineOptions);
  if (!made) {
    llvm::errs() << llvm::toString(made.takeError()) << "\n";
    return;
  }
  engine = std::move(*made);
}

void *KernelRunner::function(const std::string &name) {
  llvm::Expected<void *> found = engine->lookup(name);
  if (found)
    return *found;
  llvm::report_fatal_error(found.takeError());
}

void KernelRunner::run(StringRef kernel, std::vector<int64_t> arguments) {
  std::string name = kernel.str();
  auto body =
      reinterpret_cast<void (*)(const int64_t *, int64_t, int64_t, void *)>(
          function(name));
  auto tasks = reinterpret_cast<int64_t (*)(const int64_t *, int64_t)>(
      function(name + "_tasks"));
  auto steps =
      reinterpret_cast<int64_t (*)(const int64_t *)>(function(name + "_steps"));
  std::vector<char> scratch((1 << 20) + 64);
  auto address = reinterpret_cast<uintptr_t>(scratch.data());
  void *aligned = reinterpret_cast<void *>((address + 63) & ~uintptr_t(63));
  for (int64_t step = 0, n = steps(arguments.data()); step < n; ++step)
    for (int64_t task = tasks(arguments.data(), step); task-- > 0;)
      body(arguments.data(), step, task, aligned);
}
