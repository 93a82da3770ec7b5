//===- Options.cpp - sinterc's command line -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileRequest.h"
#include "TargetOptions.h"
#include "sinter/Support/CommandLine.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace sinter {
namespace {

constexpr StringRef emitKinds[] = {"sinter",   "fused", "llvm",   "asm",
                                   "obj",      "lib",   "shared", "header",
                                   "manifest", "cuda",  "ptx",    "cubin"};
constexpr StringLiteral emitSuffixes[] = {".mlir", ".mlir", ".ll",  ".s",
                                          ".o",    ".a",    ".so",  ".h",
                                          ".json", ".cu",   ".ptx", ".cubin"};
constexpr StringRef languages[] = {"mlir"};
constexpr StringRef denormalModes[] = {"preserve", "flush"};
constexpr StringRef colorModes[] = {"auto", "always", "never"};

constexpr StringRef cpuAliases[] = {"mcpu", "march"};
constexpr StringRef helpAliases[] = {"h"};

using enum OptionValue;

// clang-format off
const OptionSpec specs[] = {
    {"o", Required, "FILE", "Output", "write the product here; the suffix (.o .a .so .s .ll .mlir)\n"
     "                            chooses its kind; default: the input's name with .o"},
    {"emit", Required, "KIND", "Output", "sinter, fused, llvm, asm, obj, lib, shared, header, manifest;\n"
     "                            of a GPU's kernels: cuda, ptx or cubin", emitKinds},
    {"header", Required, "FILE", "Output", "the C header; default: beside the object"},
    {"weights", Required, "embed|FILE", "Output", "weights in the object (default) or in a file of their own"},
    {"manifest", Required, "FILE", "Output", "also write the JSON description of the interface"},

    {"name", Required, "ID", "Model", "prefix of all C names; default: the module's symbol"},
    {"entry", Required, "NAME", "Model", "compile only this entry (repeatable)", {}, {}, /*repeatable=*/true},
    {"x", Required, "mlir", "Model", "what the input is, where its suffix does not say", languages},

    {"target", Required, "TRIPLE|cuda", "Target", "default: x86_64-linux-gnu; cuda: kernels for NVIDIA's GPUs"},
    {"gpu-arch", Required, "LIST", "Target", "with cuda; default: sm_80,sm_90,sm_100"},
    {"target-cpu", Required, "CPU", "Target", "x86-64-v2, x86-64-v3 (default), x86-64-v4, native or help", {}, cpuAliases},
    {"target-features", Required, "+F,-G", "Target", "features to add to and take from the CPU's"},
    {"denormals", Required, "MODE", "Target", "preserve (default) or flush", denormalModes},

    {"print-signature", Optional, "FILE", "Reports", "entries, their arguments, sizes and session"},
    {"print-memory-plan", Optional, "FILE", "Reports", "slots of the workspace and what lies in them"},
    {"explain", Optional, "FILE", "Reports", "the kernel that each operation became, and why"},
    {"print-pipeline", Optional, "FILE", "Reports", "the passes, as sinter-opt accepts them"},
    {"v", None, "", "Reports", "say what was made"},

    {"MD", None, "", "Dependencies", "write a make rule for all files read"},
    {"MF", Required, "FILE", "Dependencies", "where to; default: the product's name with .d"},
    {"MT", Required, "NAME", "Dependencies", "the rule's target; default: the product"},
    {"MP", None, "", "Dependencies", "and an empty rule for each file read"},

    {"Werror", None, "", "Diagnostics", "warnings are errors"},
    {"w", None, "", "Diagnostics", "no warnings"},
    {"max-errors", Required, "N", "Diagnostics", "stop printing after N errors (20)"},
    {"color", Required, "WHEN", "Diagnostics", "auto, always or never", colorModes},

    {"help", None, "", "Help", "this text", {}, helpAliases},
    {"help-hidden", None, "", "Help", "also options for working on Sinter itself"},
    {"version", None, "", "Help", "version, default target, back ends"},
};
// clang-format on

CommandLine commandLine() { return CommandLine(specs, "mlir-"); }

std::string withSuffix(StringRef path, StringRef suffix) {
  SmallString<128> changed(path);
  sys::path::replace_extension(changed, suffix);
  return changed.str().str();
}

/// Where the option was given without a file, the report goes to stdout.
std::string reportPath(const ParsedOptions &options, StringRef name) {
  if (!options.has(name))
    return "";
  StringRef path = options.get(name);
  return path.empty() ? "-" : path.str();
}

class RequestBuilder {
public:
  explicit RequestBuilder(const ParsedOptions &options) : options(options) {}

  Expected<CompileRequest> build();

private:
  Error chooseInput();
  Error chooseOutput();
  Error chooseKindBySuffix(StringRef suffix);
  Error chooseParts();
  Error refuseParts();
  Error chooseTarget();
  Error chooseDependencies();
  Error chooseDiagnostics();

  const ParsedOptions &options;
  CompileRequest request;
};

Error RequestBuilder::chooseInput() {
  if (options.inputs.empty())
    return createStringError("no input file; see 'sinterc --help'");
  if (options.inputs.size() > 1)
    return createStringError("more than one input: '" + options.inputs[0] +
                             "' and '" + options.inputs[1] + "'");
  request.input = options.inputs[0];
  StringRef suffix = sys::path::extension(request.input);
  if (!options.has("x") && suffix != ".mlir" && suffix != ".mlirbc")
    return createStringError("cannot tell what '" + request.input +
                             "' is; give '-x mlir'");
  return Error::success();
}

Error RequestBuilder::chooseKindBySuffix(StringRef suffix) {
  const StringLiteral *known = find(emitSuffixes, suffix);
  bool found = known != std::end(emitSuffixes);
  if (!options.has("emit")) {
    if (!found)
      return createStringError("cannot tell from the name what '" +
                               request.output +
                               "' should be; give '--emit=KIND'");
    request.emit = EmitKind(known - std::begin(emitSuffixes));
    return Error::success();
  }
  StringRef expected = emitSuffixes[unsigned(request.emit)];
  if (found && suffix != expected)
    return createStringError("'-o " + request.output +
                             "' contradicts '--emit=" + toString(request.emit) +
                             "', whose suffix is '" + expected + "'");
  return Error::success();
}

Error RequestBuilder::chooseOutput() {
  if (options.has("emit"))
    request.emit =
        EmitKind(find(emitKinds, options.get("emit")) - std::begin(emitKinds));
  request.output = options.get("o").str();
  if (!request.output.empty())
    return chooseKindBySuffix(sys::path::extension(request.output));
  // Reports alone compile nothing to files.
  bool wantsPart = options.has("emit") || options.has("header") ||
                   options.has("manifest") || options.has("MD");
  if (request.hasReport() && !wantsPart)
    return Error::success();
  if (request.input == "-")
    return createStringError("input from stdin needs '-o FILE'");
  request.output = withSuffix(sys::path::filename(request.input),
                              emitSuffixes[unsigned(request.emit)]);
  if (request.output == request.input)
    return createStringError("the output would replace the input '" +
                             request.input + "'; give '-o FILE'");
  return Error::success();
}

Error RequestBuilder::chooseParts() {
  bool isBinary = request.emit == EmitKind::Object ||
                  request.emit == EmitKind::Library ||
                  request.emit == EmitKind::Shared;
  request.header = options.get("header").str();
  if (request.header.empty() && isBinary && !request.output.empty() &&
      request.output != "-")
    request.header = withSuffix(request.output, ".h");
  request.manifest = options.get("manifest").str();
  StringRef weights = options.get("weights", "embed");
  if (weights != "embed")
    request.weights = weights.str();
  if (request.emit == EmitKind::Header && !request.header.empty())
    return createStringError("'--emit=header' writes the header to '-o'; "
                             "'--header' names a second one");
  if (request.emit == EmitKind::Manifest && !request.manifest.empty())
    return createStringError("'--emit=manifest' writes the manifest to '-o'; "
                             "'--manifest' names a second one");
  return Error::success();
}

/// What comes out before there is code has none of what describes code.
Error RequestBuilder::refuseParts() {
  bool isModule =
      request.emit == EmitKind::Sinter || request.emit == EmitKind::Fused;
  if (!isModule && !isOfKernels(request.emit))
    return Error::success();
  for (StringRef name : {"header", "manifest", "weights", "print-signature",
                         "print-memory-plan", "explain"}) {
    bool isReport = name.starts_with("print") || name == "explain";
    bool isDefault = name == "weights" && request.weights.empty();
    if (options.has(name) && !isDefault && (isModule || !isReport))
      return createStringError(
          "'" + optionSpelling(name) +
          "' has no effect with '--emit=" + toString(request.emit) + "'");
  }
  return Error::success();
}

/// What is emitted of kernels for GPUs implies the target.
Error RequestBuilder::chooseTarget() {
  bool ofKernels = isOfKernels(request.emit);
  StringRef target = options.get("target", ofKernels ? "cuda" : defaultTriple);
  request.triple = target == "cuda" ? defaultTriple.str() : target.str();
  if (target != "cuda") {
    if (ofKernels)
      return createStringError("'--emit=" + toString(request.emit) +
                               "' needs '--target=cuda'");
    if (options.has("gpu-arch"))
      return createStringError("'--gpu-arch' needs '--target=cuda'");
    return Error::success();
  }
  if (!options.has("gpu-arch")) {
    request.gpus = nvrtc::defaultArchitectures().vec();
  } else {
    auto gpus = nvrtc::parseArchitectures(options.get("gpu-arch"));
    if (!gpus)
      return gpus.takeError();
    request.gpus = std::move(*gpus);
  }
  if (request.emit == EmitKind::Cubin && request.gpus.size() > 1)
    return createStringError("a cubin is for one architecture; give "
                             "'--gpu-arch=" +
                             request.gpus[0].name() + "' or another one");
  return Error::success();
}

Error RequestBuilder::chooseDependencies() {
  for (StringRef name : {"MF", "MT", "MP"})
    if (options.has(name) && !options.has("MD"))
      return createStringError("'" + optionSpelling(name) +
                               "' has no effect without '-MD'");
  if (!options.has("MD"))
    return Error::success();
  request.dependencyFile = options.get("MF").str();
  request.dependencyTarget = options.get("MT", request.output).str();
  request.phonyDependencies = options.has("MP");
  if (!request.dependencyFile.empty())
    return Error::success();
  if (request.output == "-")
    return createStringError("'-MD' with output to stdout needs '-MF FILE'");
  request.dependencyFile = withSuffix(request.output, ".d");
  return Error::success();
}

Error RequestBuilder::chooseDiagnostics() {
  request.verbose = options.has("v");
  request.warningsAreErrors = options.has("Werror");
  request.noWarnings = options.has("w");
  request.color = ColorMode(find(colorModes, options.get("color", "auto")) -
                            std::begin(colorModes));
  StringRef count = options.get("max-errors", "20");
  if (count.getAsInteger(10, request.maxErrors) || !request.maxErrors)
    return createStringError(
        "'--max-errors' needs a number of 1 or more, got '" + count + "'");
  return Error::success();
}

Expected<CompileRequest> RequestBuilder::build() {
  request.signatureReport = reportPath(options, "print-signature");
  request.memoryPlanReport = reportPath(options, "print-memory-plan");
  request.explainReport = reportPath(options, "explain");
  request.pipelineReport = reportPath(options, "print-pipeline");
  request.name = options.get("name").str();
  request.entries = options.all("entry").vec();
  request.cpu = options.get("target-cpu", defaultCPU).str();
  request.features = options.get("target-features").str();
  request.flushDenormals = options.get("denormals") == "flush";
  request.mlirOptions = options.passedThrough;
  using Step = Error (RequestBuilder::*)();
  for (Step step :
       {&RequestBuilder::chooseDiagnostics, &RequestBuilder::chooseInput,
        &RequestBuilder::chooseOutput, &RequestBuilder::chooseTarget,
        &RequestBuilder::chooseParts, &RequestBuilder::refuseParts,
        &RequestBuilder::chooseDependencies})
    if (Error error = (this->*step)())
      return error;
  if (Error error = checkTarget(request))
    return error;
  return request;
}

/// -O2 and its kin come from habit; a guess at another option would mislead.
Error refuseOptimisationLevel(ArrayRef<const char *> arguments) {
  for (StringRef argument : arguments) {
    if (argument == "--")
      break;
    if (argument.starts_with("-O") && argument.size() <= 3)
      return createStringError("option '" + argument +
                               "' does not exist: sinterc always optimises");
  }
  return Error::success();
}

} // namespace

StringRef toString(EmitKind kind) { return emitKinds[unsigned(kind)]; }

Expected<CompileRequest> parseCommandLine(ArrayRef<const char *> arguments,
                                          Action &action) {
  action = Action::Compile;
  if (Error error = refuseOptimisationLevel(arguments))
    return error;
  Expected<ParsedOptions> options = commandLine().parse(arguments);
  if (!options)
    return options.takeError();
  if (options->has("help-hidden"))
    action = Action::HelpHidden;
  else if (options->has("help"))
    action = Action::Help;
  else if (options->has("version"))
    action = Action::Version;
  else if (options->get("target-cpu") == "help")
    action = Action::TargetCPUHelp;
  if (action == Action::Compile)
    return RequestBuilder(*options).build();
  return CompileRequest();
}

void printHelp(raw_ostream &os, bool hidden) {
  os << "usage: sinterc [options] MODEL.mlir\n"
        "Compiles a sequence model to an object file and a C header.\n";
  commandLine().printOptions(os, hidden);
  os << "\nExamples:\n"
        "  sinterc stories.mlir -o stories.o\n"
        "  sinterc stories.mlir -o build/stories.a --weights=stories.weights\n"
        "  sinterc stories.mlir --emit=asm --target-cpu=x86-64-v4 -o -\n"
        "  sinterc stories.mlir --target=cuda --gpu-arch=sm_90 -o stories.o\n";
}

} // namespace sinter
