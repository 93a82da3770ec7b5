//===- Embedded.h - files embedded when Sinter is built ------- -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_PACKAGE_EMBEDDED_H
#define SINTER_LIB_TARGET_PACKAGE_EMBEDDED_H

#include "llvm/ADT/StringRef.h"

namespace sinter::package {

/// include/sinter-c/sinter_types.h, embedded when Sinter is built.
extern const llvm::StringRef kSinterTypesText;
/// The runtime's LLVM bitcode, embedded when Sinter is built.
extern const llvm::StringRef kRuntimeBitcode;
/// The same for a model on a device.
extern const llvm::StringRef kDeviceRuntimeBitcode;

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_EMBEDDED_H
