//===- CompileModel.cpp - from an LLVM module to an object file -----------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StackUse.h"
#include "sinter/Target/Object/Object.h"
#include "sinter/Target/Package/Descriptor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace sinter::package;
using namespace llvm;

/// No stack frame above this, by decision.
static constexpr uint64_t kMaxFrame = 16384;

template <typename... Parts> static Error error(const Parts &...parts) {
  std::string message;
  (message.append(parts), ...);
  return createStringError(inconvertibleErrorCode(), message);
}

/// Kernels come with their loops as they should be: no unrolling, no loop
/// vectoriser, no inlining that was not asked for.
static constexpr StringLiteral kPipeline =
    "always-inline,globaldce,"
    "function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,"
    "loop-mssa(licm),gvn,instcombine<no-verify-fixpoint>,simplifycfg),"
    "globaldce,constmerge";

static Error optimise(Module &module, TargetMachine &machine) {
  PassBuilder builder(&machine);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (Error e = builder.parsePassPipeline(passes, kPipeline))
    return e;
  passes.run(module, modules);
  return Error::success();
}

/// The machine's CPU for every function that names none (the API and the
/// runtime name the baseline: they run before the processor is checked).
static void setAttributes(Module &module, const ModelInterface &model,
                          const TargetMachine &machine) {
  bool wide = machine.getMCSubtargetInfo()->checkFeatures("+avx512f");
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.setDoesNotThrow();
    function.setUWTableKind(UWTableKind::None);
    if (function.hasFnAttribute("target-cpu"))
      continue;
    // What computes runs elsewhere; the rest runs on any processor.
    if (model.onDevice) {
      function.addFnAttr("target-cpu", "x86-64");
      continue;
    }
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", wide ? "512" : "256");
  }
}

static Expected<std::string> generate(Module &module, TargetMachine &machine,
                                      CodeGenFileType type) {
  SmallString<0> code;
  raw_svector_ostream os(code);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, os, nullptr, type))
    return error("the target cannot emit this kind of file");
  passes.run(module);
  return code.str().str();
}

/// Fails if a function calls out where no library is linked.
static Error checkUndefined(StringRef code, bool isOnDevice) {
  Expected<std::unique_ptr<object::ObjectFile>> file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(code, "model"));
  if (!file)
    return file.takeError();
  for (const object::SymbolRef &symbol : (*file)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    Expected<StringRef> name = symbol.getName();
    if (!flags)
      return flags.takeError();
    if (!name)
      return name.takeError();
    bool undefined = (*flags & object::SymbolRef::SF_Undefined) &&
                     !(*flags & object::SymbolRef::SF_FormatSpecific);
    bool provided = *name == "memcpy" || *name == "memmove" ||
                    *name == "memset" ||
                    (isOnDevice && *name == "sinter_cuda_driver");
    if (undefined && !name->empty() && !provided)
      return error("the code calls \"", name->str(),
                   "\", which no application has to provide");
  }
  return Error::success();
}

static uint64_t textBytes(StringRef code) {
  uint64_t bytes = 0;
  auto file =
      object::ObjectFile::createELFObjectFile(MemoryBufferRef(code, "model"));
  if (!file) {
    consumeError(file.takeError());
    return 0;
  }
  for (const object::SectionRef &section : (*file)->sections())
    if (section.isText())
      bytes += section.getSize();
  return bytes;
}

static Error checkFrames(const StackFrames &frames) {
  for (const auto &[function, bytes] : frames)
    if (bytes > kMaxFrame)
      return error("the function \"", function->getName().str(),
                   "\" needs a stack frame of ", std::to_string(bytes),
                   " bytes, more than ", std::to_string(kMaxFrame));
  return Error::success();
}

static Error prepare(Module &module, const ModelInterface &model,
                     ArrayRef<char> weights, TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setModuleIdentifier(model.prefix());
  module.setSourceFileName(model.prefix());
  if (Error e = emitDescriptor(module, model, weights))
    return e;
  if (Error e = linkRuntime(module, model))
    return e;
  module.setPICLevel(PICLevel::BigPIC);
  setAttributes(module, model, machine);
  return optimise(module, machine);
}

Expected<CompiledModel>
sinter::package::compileModel(std::unique_ptr<Module> module,
                              ModelInterface model, ArrayRef<char> weights,
                              const TargetSpec &target, CodeKind kind) {
  Expected<std::unique_ptr<TargetMachine>> machine =
      createTargetMachine(target);
  if (!machine)
    return machine.takeError();
  model.target = target.describe();
  model.cpuFeatures = model.onDevice ? 0 : requiredCpuFeatures(**machine);
  model.complete();
  if (Error e = prepare(*module, model, weights, **machine))
    return std::move(e);
  CompiledModel result;
  if (kind == CodeKind::LLVM) {
    raw_string_ostream os(result.code);
    module->print(os, nullptr);
  }
  // Code is generated in any case: the header states the stack.
  FrameRecorder recorder(*module);
  Expected<std::string> code =
      generate(*module, **machine,
               kind == CodeKind::Assembly ? CodeGenFileType::AssemblyFile
                                          : CodeGenFileType::ObjectFile);
  if (!code)
    return code.takeError();
  if (Error e = checkFrames(recorder.frames()))
    return std::move(e);
  if (kind != CodeKind::LLVM)
    result.code = std::move(*code);
  if (kind == CodeKind::Object) {
    if (Error e = checkUndefined(result.code, model.onDevice))
      return std::move(e);
    result.codeBytes = textBytes(result.code);
  }
  result.stackBytes = deepestStack(*module, recorder.frames());
  result.weightsHash = hashBytes(StringRef(weights.data(), weights.size()));
  result.header = writeHeader(model, result.weightsHash, result.stackBytes);
  result.manifest = writeManifest(model, result.weightsHash);
  return result;
}
