//===- StackUse.h - how much stack a call needs --------------- -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_OBJECT_STACKUSE_H
#define SINTER_LIB_TARGET_OBJECT_STACKUSE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace sinter {

/// Stack frames in bytes by symbol, from the .stack_sizes sections of an
/// object.
llvm::Expected<llvm::StringMap<uint64_t>> readFrames(llvm::StringRef object);

/// An upper bound of the stack below any exported function: the deepest path of
/// calls, where a call through a pointer may reach any function whose address
/// is taken. The caller's own hooks are not counted.
uint64_t deepestStack(const llvm::Module &module,
                      const llvm::StringMap<uint64_t> &frames);

} // namespace sinter

#endif // SINTER_LIB_TARGET_OBJECT_STACKUSE_H
