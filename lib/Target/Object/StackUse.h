//===- StackUse.h - how much stack a call needs --------------- -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_OBJECT_STACKUSE_H
#define SINTER_LIB_TARGET_OBJECT_STACKUSE_H

#include "llvm/ADT/DenseMap.h"
#include <cstdint>
#include <memory>

namespace llvm {
struct DiagnosticHandler;
class Function;
class Module;
} // namespace llvm

namespace sinter::package {

/// Stack frames in bytes; functions without one are absent.
using StackFrames = llvm::DenseMap<const llvm::Function *, uint64_t>;

/// While it lives, code generation for `module` records frames here. They come
/// as the warnings that the attribute "warn-stack-size" asks for; the attribute
/// goes when this goes.
class FrameRecorder {
public:
  explicit FrameRecorder(llvm::Module &module);
  ~FrameRecorder();
  const StackFrames &frames() const { return found; }

private:
  llvm::Module &module;
  StackFrames found;
  std::unique_ptr<llvm::DiagnosticHandler> previous;
};

/// An upper bound of the stack below any function: the deepest path of calls,
/// where a call through a pointer may reach any function of its type whose
/// address is taken. The caller's own hooks are not counted.
uint64_t deepestStack(const llvm::Module &module, const StackFrames &frames);

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_OBJECT_STACKUSE_H
