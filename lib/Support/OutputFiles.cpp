//===- OutputFiles.cpp - Outputs that appear together -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/OutputFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <optional>

using namespace llvm;

namespace sinter {

static Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + path + "': " + code.message());
}

struct OutputFiles::Output {
  std::string path;   ///< as the user wrote it
  std::string target; ///< with symbolic links followed
  OutputMode mode;
  /// Set for a regular file, which is replaced by renaming.
  std::optional<sys::fs::TempFile> temporary;
  std::unique_ptr<raw_fd_ostream> file;
  /// Used for everything else.
  SmallVector<char, 0> memory;
  std::unique_ptr<raw_svector_ostream> stream;

  ~Output();
  Error open();
  Error finish();
  Error writeMemory();
  Error rename();
  bool isUnchanged() const;
};

OutputFiles::Output::~Output() {
  if (file) {
    // A stream that is destroyed with an error pending ends the process.
    file->flush();
    file->clear_error();
    file.reset();
  }
  if (temporary)
    consumeError(temporary->discard());
}

Error OutputFiles::Output::open() {
  sys::fs::file_status status;
  std::error_code missing = sys::fs::status(path, status);
  if (path == "-" || (!missing && sys::fs::is_other(status)) ||
      (!missing && status.type() == sys::fs::file_type::character_file) ||
      (!missing && status.type() == sys::fs::file_type::fifo_file)) {
    stream = std::make_unique<raw_svector_ostream>(memory);
    return Error::success();
  }
  if (!missing && sys::fs::is_directory(status))
    return cannotWrite(path, std::make_error_code(std::errc::is_a_directory));
  // Renaming onto a link would replace the link, not the file it names.
  SmallString<128> real(path);
  if (!missing && sys::fs::real_path(path, real))
    real = path;
  target = real.str().str();
  unsigned permissions = sys::fs::all_read | sys::fs::all_write;
  if (mode == OutputMode::Executable)
    permissions |= sys::fs::all_exe;
  Expected<sys::fs::TempFile> created =
      sys::fs::TempFile::create(target + ".tmp-%%%%%%%%", permissions);
  if (!created)
    return cannotWrite(path, errorToErrorCode(created.takeError()));
  temporary.emplace(std::move(*created));
  file = std::make_unique<raw_fd_ostream>(temporary->FD,
                                          /*shouldClose=*/false);
  return Error::success();
}

Error OutputFiles::Output::finish() {
  if (!file)
    return Error::success();
  file->flush();
  if (!file->has_error())
    return Error::success();
  std::error_code code = file->error();
  file->clear_error();
  return cannotWrite(path, code);
}

Error OutputFiles::Output::writeMemory() {
  if (!stream)
    return Error::success();
  std::error_code code;
  raw_fd_ostream out(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                     sys::fs::OF_None);
  if (code)
    return cannotWrite(path, code);
  out << StringRef(memory.data(), memory.size());
  out.flush();
  if (!out.has_error())
    return Error::success();
  code = out.error();
  out.clear_error();
  return cannotWrite(path, code);
}

bool OutputFiles::Output::isUnchanged() const {
  auto old = MemoryBuffer::getFile(target, /*IsText=*/false,
                                   /*RequiresNullTerminator=*/false);
  auto fresh = MemoryBuffer::getFile(temporary->TmpName, /*IsText=*/false,
                                     /*RequiresNullTerminator=*/false);
  return old && fresh && (*old)->getBuffer() == (*fresh)->getBuffer();
}

Error OutputFiles::Output::rename() {
  if (!temporary)
    return Error::success();
  file.reset();
  if (mode == OutputMode::KeepUnchanged && isUnchanged()) {
    consumeError(temporary->discard());
    temporary.reset();
    return Error::success();
  }
  Error error = temporary->keep(target);
  temporary.reset();
  if (error)
    return cannotWrite(path, errorToErrorCode(std::move(error)));
  return Error::success();
}

OutputFiles::OutputFiles() = default;
OutputFiles::~OutputFiles() = default;

Expected<raw_pwrite_stream &> OutputFiles::create(StringRef path,
                                                  OutputMode mode) {
  for (const std::unique_ptr<Output> &other : outputs)
    if (other->path == path)
      return createStringError("two outputs would be written to '" + path +
                               "'");
  auto output = std::make_unique<Output>();
  output->path = path.str();
  output->mode = mode;
  if (Error error = output->open())
    return error;
  outputs.push_back(std::move(output));
  Output &added = *outputs.back();
  if (added.file)
    return *added.file;
  return *added.stream;
}

Error OutputFiles::commit() {
  for (const std::unique_ptr<Output> &output : outputs)
    if (Error error = output->finish())
      return error;
  // What can still fail comes first: a device may be full.
  for (const std::unique_ptr<Output> &output : outputs)
    if (Error error = output->writeMemory())
      return error;
  for (const std::unique_ptr<Output> &output : outputs)
    if (Error error = output->rename())
      return error;
  outputs.clear();
  return Error::success();
}

std::vector<std::string> OutputFiles::paths() const {
  std::vector<std::string> names;
  for (const std::unique_ptr<Output> &output : outputs)
    names.push_back(output->path);
  return names;
}

} // namespace sinter
