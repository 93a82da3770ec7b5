//===- LoadedModel.h - A compiled model in this process -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_LOADEDMODEL_H
#define SINTER_EXECUTION_LOADEDMODEL_H

#include "sinter-c/sinter_types.h"
#include "sinter/Execution/Manifest.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include <memory>

namespace sinter::execution {

/// Resolves the API's symbols and keeps the code alive.
class CodeImage {
public:
  virtual ~CodeImage() = default;
  /// Null if there is no such symbol.
  virtual void *lookup(llvm::StringRef symbol) = 0;
};

/// Host memory and memory of the device.
struct DevicePlace {
  void *memory = nullptr;
  uint64_t size = 0;
  void *buffer = nullptr;
  uint64_t bufferSize = 0;
};

/// Arguments of one call, whatever its entry.
struct CallArguments {
  void *session = nullptr;
  const void *weights = nullptr; ///< on a device: the device's handle
  const sinter_exec *exec = nullptr;
  void *workspace = nullptr;
  uint64_t workspaceBytes = 0;
  llvm::ArrayRef<int64_t> dims;   ///< EntryManifest::dims' order
  llvm::ArrayRef<void *> tensors; ///< EntryManifest::tensors' order
};

/// A model behind its C API, driven by its manifest alone: the functions are
/// found by name and called through libffi, since all their arguments are
/// integers and pointers.
class LoadedModel {
public:
  /// Links an object file into this process with LLVM's JITLink: the bytes are
  /// what `sinterc -o` writes. Its first symbol `*_manifest` gives the prefix.
  static llvm::Expected<std::unique_ptr<LoadedModel>>
  fromObject(llvm::StringRef object);
  /// Opens a shared object. Errors start with the quoted path.
  static llvm::Expected<std::unique_ptr<LoadedModel>>
  fromShared(llvm::StringRef path);

  const Manifest &manifest() const { return description; }

  /// Bytes of a session; 0 for wrong dimensions. `dims` are in the order of
  /// Manifest::sessionDims.
  uint64_t sessionSize(llvm::ArrayRef<int64_t> dims) const;
  sinter_status initSession(void *memory, uint64_t size,
                            llvm::ArrayRef<int64_t> dims, void **session) const;
  /// Positions of a row under a cursor of the manifest.
  int64_t sessionLength(const void *session, llvm::StringRef cursor,
                        int64_t row) const;
  /// What a current dimension of an entry is as the session stands; negative: a
  /// status.
  int64_t currentExtent(const EntryManifest &entry, const DimManifest &dim,
                        const void *session) const;
  /// On a device: loads the kernels and copies the weights.
  sinter_status openDevice(const DevicePlace &place, const void *weights,
                           void **device) const;
  sinter_status closeDevice(void *device) const;
  /// How the last call with this workspace ended, once the device is done.
  sinter_status deviceStatus(const void *workspace) const;
  sinter_status initDeviceSession(const DevicePlace &place,
                                  llvm::ArrayRef<int64_t> dims,
                                  void **session) const;
  /// Checks a weight file's bytes (64-aligned).
  sinter_status openWeights(const void *bytes, uint64_t size,
                            const void **weights) const;
  /// Bytes of the workspace; 0 for wrong dimensions. `dims` as in a call.
  uint64_t workspaceSize(const EntryManifest &entry,
                         llvm::ArrayRef<int64_t> dims, int32_t workers) const;
  sinter_status call(const EntryManifest &entry,
                     const CallArguments &arguments) const;
  /// The sentence of a status.
  std::string describe(sinter_status status) const;

private:
  LoadedModel() = default;
  static llvm::Expected<std::unique_ptr<LoadedModel>>
  fromImage(std::unique_ptr<CodeImage> image, llvm::StringRef prefix);
  llvm::Error resolve();
  /// A function of the API; it exists, by resolve().
  void *function(llvm::StringRef suffix) const;
  std::string cursorSuffix(llvm::StringRef cursor) const;

  std::unique_ptr<CodeImage> image;
  llvm::StringMap<void *> functions;
  std::string prefix;
  Manifest description;
};

} // namespace sinter::execution

#endif // SINTER_EXECUTION_LOADEDMODEL_H
