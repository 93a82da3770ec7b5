//===- Safetensors.h - Reader of safetensors archives -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_SAFETENSORS_H
#define SINTER_SUPPORT_SAFETENSORS_H

#include "sinter/Support/StoredType.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <vector>

namespace sinter {

/// A tensor of an archive. `bytes` are little-endian, row-major, not aligned,
/// and live as long as the archive.
struct ArchiveTensor {
  std::string name;
  StoredType type;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::ArrayRef<char> bytes;
};

/// A memory-mapped safetensors file
/// (https://huggingface.co/docs/safetensors, "Format"). Everything about the
/// layout is checked on opening, so a tensor's bytes are always in the file and
/// have the size that its type and shape say.
class SafetensorsArchive {
public:
  /// Maps the file. Errors start with the quoted path and say what is wrong.
  static llvm::Expected<std::unique_ptr<SafetensorsArchive>>
  open(llvm::StringRef path);

  /// The same from memory; `buffer`'s identifier takes the path's place.
  static llvm::Expected<std::unique_ptr<SafetensorsArchive>>
  create(std::unique_ptr<llvm::MemoryBuffer> buffer);

  /// The path it was opened by.
  llvm::StringRef path() const { return buffer->getBufferIdentifier(); }

  /// All tensors, in the order of their bytes.
  llvm::ArrayRef<ArchiveTensor> tensors() const { return entries; }

  /// The tensor called `name`, or null.
  const ArchiveTensor *lookup(llvm::StringRef name) const;

  /// The tensor called `name`, or an error with the nearest name there is.
  llvm::Expected<const ArchiveTensor *> find(llvm::StringRef name) const;

private:
  SafetensorsArchive() = default;

  std::unique_ptr<llvm::MemoryBuffer> buffer;
  std::vector<ArchiveTensor> entries;
  llvm::StringMap<size_t> indices;
};

} // namespace sinter

#endif // SINTER_SUPPORT_SAFETENSORS_H
