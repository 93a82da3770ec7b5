//===- Cache.cpp - Compiled texts by content ------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file is a line of identification, the SHA-256 of the rest in hexadecimal,
// and the rest: strings with their lengths in front.
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/NVRTC/Cache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include <cstdlib>

using namespace llvm;
using namespace sinter::nvrtc;

/// Changes whenever files of old are not to be read any more.
static constexpr StringLiteral kIdentification = "sinter compiled text 1\n";

static std::string hashOf(StringRef bytes) {
  return toHex(SHA256::hash(arrayRefFromStringRef(bytes)), /*LowerCase=*/true);
}

namespace {
/// Fields, each with its length in front, so that no two lists look alike.
class Writer {
public:
  void add(StringRef field) {
    bytes += std::to_string(field.size()) + ":" + field.str();
  }
  void add(size_t number) { add(StringRef(std::to_string(number))); }

  std::string bytes;
};

class FieldReader {
public:
  explicit FieldReader(StringRef bytes) : rest(bytes) {}

  StringRef next() {
    size_t length = 0;
    if (rest.consumeInteger(10, length) || !rest.consume_front(":") ||
        length > rest.size()) {
      good = false;
      return "";
    }
    StringRef field = rest.take_front(length);
    rest = rest.drop_front(length);
    return field;
  }
  size_t number() {
    size_t value = 0;
    good &= !next().getAsInteger(10, value);
    return value;
  }
  bool atEnd() const { return good && rest.empty(); }
  bool good = true;

private:
  StringRef rest;
};
} // namespace

static std::string write(const CompiledText &compiled) {
  Writer writer;
  writer.add(compiled.cubin);
  writer.add(compiled.ptx);
  writer.add(compiled.log.remarks.size());
  for (const std::string &remark : compiled.log.remarks)
    writer.add(remark);
  writer.add(compiled.log.spills.size());
  for (const Spills &spills : compiled.log.spills) {
    writer.add(spills.kernel);
    writer.add(spills.stackBytes);
    writer.add(spills.storeBytes);
    writer.add(spills.loadBytes);
  }
  return std::move(writer.bytes);
}

static std::optional<CompiledText> read(StringRef bytes) {
  FieldReader reader(bytes);
  CompiledText compiled;
  compiled.cubin = reader.next().str();
  compiled.ptx = reader.next().str();
  for (size_t left = reader.number(); reader.good && left; --left)
    compiled.log.remarks.push_back(reader.next().str());
  for (size_t left = reader.number(); reader.good && left; --left) {
    Spills spills;
    spills.kernel = reader.next().str();
    spills.stackBytes = reader.number();
    spills.storeBytes = reader.number();
    spills.loadBytes = reader.number();
    compiled.log.spills.push_back(spills);
  }
  if (!reader.atEnd())
    return std::nullopt;
  return compiled;
}

Cache Cache::standard() {
  if (const char *variable = std::getenv("SINTER_CACHE"))
    return Cache(StringRef(variable) == "off" ? "" : variable);
  SmallString<128> folder;
  if (!sys::path::cache_directory(folder))
    return Cache("");
  sys::path::append(folder, "sinter");
  return Cache(folder);
}

std::string Cache::keyFor(const Compiler &compiler, StringRef name,
                          StringRef text, Architecture arch,
                          const TextOptions &options) {
  Writer writer;
  writer.add(compiler.identity());
  for (const std::string &option : compiler.options(arch, options))
    writer.add(option);
  writer.add(name);
  writer.add(text);
  return hashOf(writer.bytes);
}

std::string Cache::pathOf(StringRef key) const {
  SmallString<128> path(folder);
  sys::path::append(path, key);
  return path.str().str();
}

std::optional<CompiledText> Cache::find(StringRef key) const {
  if (folder.empty())
    return std::nullopt;
  std::string path = pathOf(key);
  // A pipe would be waited for, and a device may have no end.
  if (!sys::fs::is_regular_file(path))
    return std::nullopt;
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  StringRef rest = (*buffer)->getBuffer();
  constexpr size_t hashLength = 64;
  if (!rest.consume_front(kIdentification) || rest.size() < hashLength)
    return std::nullopt;
  StringRef hash = rest.take_front(hashLength);
  rest = rest.drop_front(hashLength);
  if (hash != hashOf(rest))
    return std::nullopt;
  return read(rest);
}

void Cache::store(StringRef key, const CompiledText &compiled) const {
  if (folder.empty() || sys::fs::create_directories(folder))
    return;
  std::string path = pathOf(key);
  Expected<sys::fs::TempFile> file =
      sys::fs::TempFile::create(path + ".tmp-%%%%%%%%");
  if (!file)
    return consumeError(file.takeError());
  std::string bytes = write(compiled);
  bool written;
  {
    raw_fd_ostream os(file->FD, /*shouldClose=*/false);
    os << kIdentification << hashOf(bytes) << bytes;
    os.flush();
    written = !os.has_error();
    os.clear_error();
  }
  consumeError(written ? file->keep(path) : file->discard());
}
