//===- sinter-run.cpp - Runs models -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "RunRequest.h"
#include "Runner.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"

using namespace llvm;
using namespace sinter;

int main(int argc, char **argv) {
  setBugReportMsg("sinter-run has crashed, which is a bug in Sinter. Please "
                  "report it with the input and this command line.\n");
  InitLLVM initialised(argc, argv);
  run::Action action;
  Expected<run::RunRequest> request =
      run::parseCommandLine(ArrayRef<const char *>(argv + 1, argc - 1), action);
  if (!request)
    return run::fail(request.takeError(), ExitCommandLine);
  switch (action) {
  case run::Action::Help:
    run::printHelp(outs());
    return ExitSuccess;
  case run::Action::Version:
    outs() << "sinter-run " SINTER_VERSION "\n";
    return ExitSuccess;
  case run::Action::Run:
    return run::Runner(*request).run();
  }
  llvm_unreachable("all actions are handled");
}
