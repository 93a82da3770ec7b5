//===- Manifest.h - What a compiled model says of itself -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_MANIFEST_H
#define SINTER_EXECUTION_MANIFEST_H

#include "sinter/Support/StoredType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sinter::execution {

/// An extent: a constant (no name) or a dimension of the entry.
struct ExtentManifest {
  std::string name;
  int64_t value = 0;
};

struct DimManifest {
  std::string name;
  int64_t lower = 0;
  int64_t upper = 0;
  bool isArgument = false; ///< of the C function; else the session's
  std::string session; ///< the session's dimension that it is or stays below
  /// The extent of tensor states as last written, at most `session`.
  bool isCurrent = false;
};

struct TensorManifest {
  enum Role { Input, Lengths, Output } role = Input;
  std::string name;
  StoredType type = StoredType::F32;
  std::vector<ExtentManifest> shape;
  ExtentManifest counts; ///< of lengths: the dimension that they count in
  int64_t limit = 0;     ///< > 0: ids are in [0, limit)
  std::string below;     ///< ids are in [0, that dimension); empty: no limit
  int lengths = -1;      ///< the tensor with the lengths of the rows; -1: none
};

struct CursorManifest {
  std::string name;
  std::string use; ///< read, append, fill or restart
};

struct EntryManifest {
  std::string name;
  std::string function;
  bool usesSession = false;
  bool takesWeights = false;
  std::vector<DimManifest> dims;
  std::vector<TensorManifest> tensors; ///< model order
  std::vector<CursorManifest> cursors;
  std::vector<std::string> reads; ///< tensor states of current extents
  /// Dimensions, then "workers" where the processor computes.
  std::vector<std::string> workspaceArguments;

  const DimManifest *findDim(llvm::StringRef name) const;
  int findTensor(llvm::StringRef name) const; ///< -1: none
};

/// Memory that a model on a device is given: of its handles, in the host's, and
/// of its weights, in the device's.
struct DeviceManifest {
  int64_t handleBytes = 0;
  int64_t sessionHandleBytes = 0;
  int64_t memoryBytes = 0;
};

/// What `<prefix>_manifest()` returns.
struct Manifest {
  std::string name;
  std::string prefix;
  std::string target;
  std::vector<DimManifest> sessionDims;
  std::vector<std::string> cursors; ///< in the order of the states
  bool hasSession = false;
  std::optional<DeviceManifest> device; ///< none: the processor computes
  uint64_t weightBytes = 0;
  bool weightsEmbedded = true;
  std::vector<EntryManifest> entries;

  const EntryManifest *findEntry(llvm::StringRef name) const;

  /// Fails where the text is not a manifest of format 1.
  static llvm::Expected<Manifest> parse(llvm::StringRef json);
};

} // namespace sinter::execution

#endif // SINTER_EXECUTION_MANIFEST_H
