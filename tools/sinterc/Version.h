//===- Version.h - What sinterc is -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TOOLS_SINTERC_VERSION_H
#define SINTER_TOOLS_SINTERC_VERSION_H

namespace sinter {

/// "0.1.0".
extern const char versionString[];
/// The commit it was built from, or "unknown".
extern const char commitString[];

} // namespace sinter

#endif // SINTER_TOOLS_SINTERC_VERSION_H
