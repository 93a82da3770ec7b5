//===- Npy.h - NumPy array files -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_NPY_H
#define SINTER_SUPPORT_NPY_H

#include "sinter/Support/StoredType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace sinter {

/// A dense array, row-major, in this machine's (little-endian) byte order.
struct NpyArray {
  StoredType type = StoredType::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<char> data;
};

/// Parses the contents of a .npy file (format versions 1 to 3; NumPy's
/// numpy.lib.format). Fortran order and big-endian types are refused.
llvm::Expected<NpyArray> parseNpy(llvm::StringRef contents);

/// Parses the contents of an .npz file: a zip archive of .npy files, names
/// without that suffix, in the order of its directory. Compressed members are
/// refused.
llvm::Expected<std::vector<std::pair<std::string, NpyArray>>>
parseNpz(llvm::StringRef contents);

/// Reads a .npy file; errors start with the quoted path.
llvm::Expected<NpyArray> readNpy(llvm::StringRef path);

/// Reads an .npz file; errors start with the quoted path.
llvm::Expected<std::vector<std::pair<std::string, NpyArray>>>
readNpz(llvm::StringRef path);

/// Writes a .npy file of version 1. bf16 and f8, which NumPy lacks, are written
/// as unsigned integers of their width.
void writeNpy(llvm::raw_ostream &os, StoredType type,
              llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<char> data);

} // namespace sinter

#endif // SINTER_SUPPORT_NPY_H
