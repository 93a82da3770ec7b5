//===- sinterc.cpp - The model compiler -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileRequest.h"
#include "Diagnostics.h"
#include "Driver.h"
#include "TargetOptions.h"
#include "Version.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/Timing.h"
#include "sinter/Support/CommandLine.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

using namespace llvm;
using namespace sinter;

/// --mlir-... are MLIR's own options; only they go through its parser, so no
/// other library's options exist.
static void registerMlirOptions() {
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
}

static bool parseMlirOptions(ArrayRef<std::string> options) {
  SmallVector<const char *> arguments = {"sinterc"};
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  return cl::ParseCommandLineOptions(arguments.size(), arguments.data(), "",
                                     &errs());
}

static void printMlirOptions(raw_ostream &os) {
  os << "\nMLIR (for working on Sinter itself):\n";
  std::vector<std::pair<StringRef, StringRef>> lines;
  for (auto &[name, option] : cl::getRegisteredOptions())
    if (name.starts_with("mlir-"))
      lines.emplace_back(name, option->HelpStr);
  llvm::sort(lines);
  for (auto [name, help] : lines)
    os << "  --" << name << "\n      " << help << '\n';
}

void sinter::printVersion(raw_ostream &os) {
  os << "sinterc " << versionString << " (" << commitString << ", LLVM "
     << LLVM_VERSION_STRING << ")\n"
     << "default target: " << defaultTriple << ' ' << defaultCPU << '\n'
     << "back ends: x86-64, cuda\n";
}

static int commandLineError(Error error) {
  printError(toString(std::move(error)));
  return ExitCommandLine;
}

int main(int argc, char **argv) {
  setBugReportMsg(
      "sinterc has crashed, which is a bug in Sinter. Please report "
      "it with the input and this command line; "
      "'--mlir-pass-pipeline-crash-reproducer=FILE' writes a "
      "smaller input.\n");
  InitLLVM initialised(argc, argv);
  ArrayRef<const char *> arguments(argv + 1, argc - 1);
  Action action;
  Expected<CompileRequest> request = parseCommandLine(arguments, action);
  if (!request)
    return commandLineError(request.takeError());
  chooseColors(request->color);
  registerMlirOptions();
  switch (action) {
  case Action::Help:
  case Action::HelpHidden:
    printHelp(outs(), action == Action::HelpHidden);
    if (action == Action::HelpHidden)
      printMlirOptions(outs());
    return ExitSuccess;
  case Action::Version:
    printVersion(outs());
    return ExitSuccess;
  case Action::TargetCPUHelp:
    printCPUs(outs());
    return ExitSuccess;
  case Action::Compile:
    break;
  }
  if (!parseMlirOptions(request->mlirOptions))
    return ExitCommandLine;
  return compile(*request);
}
