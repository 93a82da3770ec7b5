//===- Cache.h - Compiled texts by content ----------------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_CACHE_H
#define SINTER_TARGET_NVRTC_CACHE_H

#include "sinter/Target/NVRTC/Compiler.h"
#include <optional>

namespace sinter::nvrtc {

/// A folder of compiled texts, one file each, named by a hash of all that the
/// result depends on. Many processes may use it at once: a file appears whole,
/// by renaming, and what does not carry the checksum of its contents is taken
/// for absent.
class Cache {
public:
  /// In `folder`, which is made when something is first stored. An empty name
  /// stores nothing and finds nothing.
  explicit Cache(llvm::StringRef folder) : folder(folder) {}

  /// The folder that SINTER_CACHE names (empty or "off": none); else "sinter"
  /// in the user's cache folder ($XDG_CACHE_HOME, else ~/.cache); none where
  /// there is no home.
  static Cache standard();

  /// The key of a text.
  static std::string keyFor(const Compiler &compiler, llvm::StringRef name,
                            llvm::StringRef text, Architecture arch,
                            const TextOptions &options);

  std::optional<CompiledText> find(llvm::StringRef key) const;

  /// Failure is no error: the next run compiles again.
  void store(llvm::StringRef key, const CompiledText &compiled) const;

  /// Where the file of `key` is.
  std::string pathOf(llvm::StringRef key) const;

private:
  std::string folder;
};

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_CACHE_H
