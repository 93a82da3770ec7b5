//===- Report.h - Messages of sinter-run -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERRUN_REPORT_H
#define SINTER_TOOLS_SINTERRUN_REPORT_H

#include "sinter/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace sinter::run {

/// Prints "sinter-run: error: ..." and returns the code.
int fail(const llvm::Twine &message, ExitCode code = ExitDiagnosed);
int fail(llvm::Error error, ExitCode code = ExitDiagnosed);
/// Prints "sinter-run: note: ...".
void note(const llvm::Twine &message);

} // namespace sinter::run

#endif // SINTER_TOOLS_SINTERRUN_REPORT_H
