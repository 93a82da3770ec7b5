//===- PtxBody.h - Lines of a kernel's PTX -------------------- -*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_NVRTC_PTXBODY_H
#define SINTER_LIB_TARGET_NVRTC_PTXBODY_H

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace sinter::nvrtc {

/// The lines of a kernel's body, and the number of the first one; none where
/// the text has no such kernel.
llvm::SmallVector<llvm::StringRef>
kernelLines(llvm::StringRef ptx, llvm::StringRef name, unsigned &first);

/// Without its predicate: "@%p1 bra $L;" gives "bra $L;".
llvm::StringRef instructionOf(llvm::StringRef line);

/// Bytes of an access, from its suffixes: ".v4" and ".f32" give 16.
unsigned bytesOf(llvm::ArrayRef<llvm::StringRef> suffixes);

/// An instruction: "ld.global.v2.f32 {%f1, %f2}, [%rd3+16];".
struct Instruction {
  explicit Instruction(llvm::StringRef line);

  /// A copy from global to shared memory.
  bool isAsyncCopy() const { return name.starts_with("cp.async.c"); }
  bool isAccess() const {
    return llvm::is_contained({"ld", "ldu", "st", "red", "atom"},
                              parts.front());
  }
  bool has(llvm::StringRef part) const {
    return llvm::is_contained(parts, part);
  }
  /// Of an access of global memory, else 0.
  unsigned globalBytes() const;
  /// The operand that is the global address, or the only one.
  llvm::StringRef address() const;

  llvm::StringRef name;
  llvm::SmallVector<llvm::StringRef> parts, operands;
};

} // namespace sinter::nvrtc

#endif // SINTER_LIB_TARGET_NVRTC_PTXBODY_H
