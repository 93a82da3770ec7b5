//===- Report.cpp - Messages of sinter-run -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace sinter::run {

int fail(const Twine &message, ExitCode code) {
  WithColor::error(errs(), "sinter-run") << message << '\n';
  return code;
}

int fail(Error error, ExitCode code) {
  return fail(toString(std::move(error)), code);
}

void note(const Twine &message) {
  WithColor::note(errs(), "sinter-run") << message << '\n';
}

} // namespace sinter::run
