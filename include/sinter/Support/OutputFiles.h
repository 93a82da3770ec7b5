//===- OutputFiles.h - Outputs that appear together -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_OUTPUTFILES_H
#define SINTER_SUPPORT_OUTPUTFILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>
#include <vector>

namespace sinter {

/// How an output replaces what is there.
enum class OutputMode {
  Replace,       ///< always a new file
  KeepUnchanged, ///< a file that already has these bytes keeps its time
  Executable     ///< a new file with execute permission
};

/// The files that one run writes. Each goes to a temporary in its target's
/// folder; `commit` renames all of them after the last byte of the last one is
/// known to be written. Until then, and without a commit, the old files stay as
/// they are. "-" is stdout. What is not a regular file ("-", a device, a pipe)
/// is held in memory and written by `commit`, before anything is renamed.
class OutputFiles {
public:
  OutputFiles();
  ~OutputFiles();
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;

  /// Opens `path`; the stream is valid until `commit` or destruction. Two
  /// outputs with one path are an error.
  llvm::Expected<llvm::raw_pwrite_stream &>
  create(llvm::StringRef path, OutputMode mode = OutputMode::Replace);

  /// Makes all outputs visible. On error old files are as they were, except
  /// where the file system refuses a rename after it accepted another one.
  llvm::Error commit();

  /// What each output was called, in order of creation.
  std::vector<std::string> paths() const;

private:
  struct Output;
  std::vector<std::unique_ptr<Output>> outputs;
};

} // namespace sinter

#endif // SINTER_SUPPORT_OUTPUTFILES_H
