//===- TargetOptions.h - Triples, CPUs and features that sinterc takes -*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_TARGETOPTIONS_H
#define SINTER_TOOLS_SINTERC_TARGETOPTIONS_H

#include "CompileRequest.h"
#include "sinter/Support/HostTarget.h"
#include "sinter/Target/Object/Object.h"

namespace sinter {

/// Fixed, never the host: the same input gives the same object everywhere.
inline constexpr llvm::StringLiteral defaultTriple = "x86_64-linux-gnu";
inline constexpr llvm::StringLiteral defaultCPU = "x86-64-v3";

/// Fails for a triple no back end compiles for.
llvm::Error checkTriple(llvm::StringRef triple);

/// Fails where triple, CPU or a feature is unknown.
llvm::Error checkTarget(const CompileRequest &request);

/// The values of --target-cpu, one a line.
void printCPUs(llvm::raw_ostream &os);

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_TARGETOPTIONS_H
