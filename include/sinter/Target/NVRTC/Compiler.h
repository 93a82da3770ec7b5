//===- Compiler.h - CUDA text to machine code by NVRTC ----------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVRTC is opened when it is first needed: Sinter is built and works without
// it. Nothing of CUDA's toolkit is needed besides: texts include nothing.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_COMPILER_H
#define SINTER_TARGET_NVRTC_COMPILER_H

#include "sinter/Target/NVRTC/Architecture.h"
#include "sinter/Target/NVRTC/Log.h"
#include <memory>
#include <string>
#include <vector>

namespace sinter::nvrtc {

/// How a text is compiled, apart from the architecture.
struct TextOptions {
  bool flushDenormals = false;
  /// Macros: "NAME=VALUE".
  std::vector<std::string> definitions = {};
};

/// One text for one architecture.
struct CompiledText {
  std::string cubin; ///< for the driver to load; whatever NVRTC calls a cubin
  std::string ptx;   ///< for people, and for architectures to come
  Log log;
};

/// NVRTC, opened. All members but `load` may be called by many threads at once.
class Compiler {
public:
  /// Opens `path`; if that is empty the library that SINTER_NVRTC names; else
  /// libnvrtc.so.13 or libnvrtc.so.12 as the system's loader finds them. An
  /// error says what to install and how to point to it.
  /// Takes variables with which NVRTC would change what it compiles
  /// (NVRTC_APPEND_FLAGS, NVRTC_PREPEND_FLAGS) out of this process'
  /// environment.
  static llvm::Expected<std::unique_ptr<Compiler>>
  load(llvm::StringRef path = "");

  ~Compiler();
  Compiler(const Compiler &) = delete;
  Compiler &operator=(const Compiler &) = delete;

  /// "12.9".
  std::string version() const;

  /// Version, file, its size and time: equal where the same text gives the same
  /// bytes. For cache keys; not for products.
  llvm::StringRef identity() const;

  /// Fails with the version that is needed where this one is too old.
  llvm::Error checkArchitecture(Architecture arch) const;

  /// NVRTC's options, which belong into a cache key.
  std::vector<std::string> options(Architecture arch,
                                   const TextOptions &options) const;

  /// Compiles `text`, which holds extern "C" kernels; `name` is for NVRTC's
  /// messages. An error holds those; what a successful compilation says is in
  /// the result's log.
  llvm::Expected<CompiledText> compile(llvm::StringRef name,
                                       llvm::StringRef text, Architecture arch,
                                       const TextOptions &options = {}) const;

private:
  struct Library;
  explicit Compiler(std::unique_ptr<Library> library);
  std::unique_ptr<Library> library;
};

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_COMPILER_H
