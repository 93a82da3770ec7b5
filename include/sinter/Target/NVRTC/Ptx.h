//===- Ptx.h - Memory accesses in the loops of a kernel ---------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_PTX_H
#define SINTER_TARGET_NVRTC_PTX_H

#include "llvm/ADT/StringRef.h"
#include <compare>
#include <vector>

namespace sinter::nvrtc {

/// Instructions of one kind of place in the text.
struct PtxAccesses {
  unsigned wideGlobal = 0;   ///< of 16 bytes, cp.async among them
  unsigned narrowGlobal = 0; ///< of less
  unsigned generic = 0;      ///< whose address space the compiler doesn't know
  unsigned local = 0;

  bool any() const { return wideGlobal || narrowGlobal || generic || local; }
  PtxAccesses &operator+=(const PtxAccesses &other);
};

/// A kernel's parameter, and the byte of it.
struct PtxOrigin {
  unsigned parameter = 0;
  unsigned byte = 0;
  auto operator<=>(const PtxOrigin &) const = default;
};

/// One instruction that accesses global memory.
struct PtxGlobalAccess {
  unsigned line = 0; ///< from 1
  unsigned bytes = 0;
  bool inLoop = false;
  /// The words of 8 bytes from which its address is computed, ascending: of a
  /// tensor's the one that holds its address, and those that hold strides.
  /// What was read from global memory is no origin: an index from a table does
  /// not count.
  std::vector<PtxOrigin> origins;
};

/// The global accesses of the kernel `name` in their order.
std::vector<PtxGlobalAccess> readPtxGlobalAccesses(llvm::StringRef ptx,
                                                   llvm::StringRef name);

/// A loop: from a label to the last branch back to it.
struct PtxLoop {
  unsigned line = 0;  ///< of the label, from 1
  unsigned depth = 0; ///< 1: in no other loop
  bool innermost = true;
  PtxAccesses accesses; ///< those of inner loops not counted
};

/// The loops of the kernel `name` in the order of their labels; none where the
/// text has no such kernel.
std::vector<PtxLoop> readPtxLoops(llvm::StringRef ptx, llvm::StringRef name);

/// All accesses of the kernel `name`, in loops or not.
PtxAccesses countPtxAccesses(llvm::StringRef ptx, llvm::StringRef name);

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_PTX_H
