//===- HostTarget.h - The level that this machine has -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_HOSTTARGET_H
#define SINTER_SUPPORT_HOSTTARGET_H

#include "sinter/Support/TargetInfo.h"

namespace sinter {

/// The level that kernels for `cpu` are shaped for: the one of that name, or
/// for "native" the highest one that this machine has.
TargetInfo kernelTarget(llvm::StringRef cpu);

} // namespace sinter

#endif // SINTER_SUPPORT_HOSTTARGET_H
