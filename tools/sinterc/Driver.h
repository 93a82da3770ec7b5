//===- Driver.h - One run of sinterc -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_DRIVER_H
#define SINTER_TOOLS_SINTERC_DRIVER_H

#include "CompileRequest.h"

namespace sinter {

/// Reads, compiles and writes what the request says. Returns the exit code;
/// what went wrong is on stderr.
int compile(const CompileRequest &request);

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_DRIVER_H
