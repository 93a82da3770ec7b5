//===- Safetensors.cpp - Reader of safetensors archives -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/Safetensors.h"
#include "sinter/Support/Spelling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace sinter {
namespace {

constexpr uint64_t lengthBytes = 8;
/// The format's own bound, against headers that are really something else.
constexpr uint64_t maxHeaderBytes = 100'000'000;

std::optional<StoredType> parseType(StringRef name) {
  static constexpr std::pair<StringLiteral, StoredType> names[] = {
      {"BOOL", StoredType::Bool},      {"I8", StoredType::I8},
      {"U8", StoredType::U8},          {"I16", StoredType::I16},
      {"U16", StoredType::U16},        {"I32", StoredType::I32},
      {"U32", StoredType::U32},        {"I64", StoredType::I64},
      {"U64", StoredType::U64},        {"F8_E4M3", StoredType::F8E4M3},
      {"F8_E5M2", StoredType::F8E5M2}, {"F16", StoredType::F16},
      {"BF16", StoredType::BF16},      {"F32", StoredType::F32},
      {"F64", StoredType::F64}};
  for (const auto &[spelling, type] : names)
    if (spelling == name)
      return type;
  return std::nullopt;
}

/// Deepest nesting of brackets outside strings. The JSON parser recurses, and a
/// header of only brackets must be an error, not a stack overflow.
unsigned nestingDepth(StringRef json) {
  unsigned depth = 0, deepest = 0;
  bool inString = false;
  for (size_t i = 0; i < json.size(); ++i) {
    char c = json[i];
    if (inString) {
      i += c == '\\';
      inString = c != '"';
    } else if (c == '"') {
      inString = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth) {
      --depth;
    }
  }
  return deepest;
}

/// One tensor of the header before its offsets are compared with its
/// neighbours'.
struct Entry {
  ArchiveTensor tensor;
  uint64_t begin, end;
};

class HeaderParser {
public:
  HeaderParser(StringRef path, StringRef file) : path(path), file(file) {}

  Expected<std::vector<ArchiveTensor>> parse();

private:
  Error fail(const Twine &message) const {
    return createStringError("'" + path + "': " + message);
  }
  Error failTensor(StringRef name, const Twine &message) const {
    return fail("tensor '" + name + "': " + message);
  }
  Expected<json::Value> parseJson();
  Expected<Entry> parseEntry(StringRef name, const json::Value &value);
  Error parseShape(StringRef name, const json::Array &dims, Entry &entry);
  Error parseOffsets(StringRef name, const json::Array &offsets, Entry &entry);
  Error checkCover(MutableArrayRef<Entry> entries);

  StringRef path, file;
  StringRef data;
};

Expected<json::Value> HeaderParser::parseJson() {
  if (file.size() < lengthBytes)
    return fail(
        "truncated: a safetensors file has at least 8 bytes, this one " +
        Twine(file.size()));
  uint64_t length = support::endian::read64le(file.data());
  if (length > maxHeaderBytes)
    return fail("not a safetensors file: the header's length is " +
                Twine(length) + ", at most " + Twine(maxHeaderBytes) +
                " is allowed");
  if (length > file.size() - lengthBytes)
    return fail("truncated: the header should have " + Twine(length) +
                " bytes, the file has " + Twine(file.size() - lengthBytes) +
                " after its length");
  StringRef header = file.substr(lengthBytes, length);
  data = file.substr(lengthBytes + length);
  if (!header.starts_with("{"))
    return fail("not a safetensors file: the header does not start with '{'");
  if (nestingDepth(header) > 3)
    return fail("not a safetensors header: nested deeper than a tensor's "
                "shape");
  Expected<json::Value> value = json::parse(header);
  if (!value)
    return fail("the header is not JSON: " + toString(value.takeError()));
  return value;
}

Error HeaderParser::parseShape(StringRef name, const json::Array &dims,
                               Entry &entry) {
  for (const json::Value &dim : dims) {
    std::optional<int64_t> extent = dim.getAsInteger();
    if (!extent || *extent < 0)
      return failTensor(name, "'shape' has an extent that is not an integer of "
                              "0 or more");
    entry.tensor.shape.push_back(*extent);
  }
  return Error::success();
}

Error HeaderParser::parseOffsets(StringRef name, const json::Array &offsets,
                                 Entry &entry) {
  std::optional<int64_t> begin, end;
  if (offsets.size() == 2) {
    begin = offsets[0].getAsInteger();
    end = offsets[1].getAsInteger();
  }
  if (!begin || !end || *begin < 0 || *end < *begin)
    return failTensor(name, "'data_offsets' is not a range [begin, end]");
  entry.begin = *begin;
  entry.end = *end;
  if (entry.end > data.size())
    return failTensor(name, "its bytes " + Twine(entry.begin) + ".." +
                                Twine(entry.end) + " lie outside the " +
                                Twine(data.size()) +
                                " bytes of data; the file is truncated or its "
                                "header wrong");
  std::optional<uint64_t> size =
      byteSize(entry.tensor.shape, entry.tensor.type);
  if (!size || *size != entry.end - entry.begin)
    return failTensor(
        name, Twine(toString(entry.tensor.shape, entry.tensor.type)) +
                  " needs " + (size ? Twine(*size) : Twine("too many")) +
                  " bytes, 'data_offsets' gives " +
                  Twine(entry.end - entry.begin));
  entry.tensor.bytes =
      ArrayRef(data.data() + entry.begin, entry.end - entry.begin);
  return Error::success();
}

Expected<Entry> HeaderParser::parseEntry(StringRef name,
                                         const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return failTensor(name, "its description is not a JSON object");
  std::optional<StringRef> dtype = object->getString("dtype");
  const json::Array *shape = object->getArray("shape");
  const json::Array *offsets = object->getArray("data_offsets");
  if (!dtype || !shape || !offsets)
    return failTensor(name, "'dtype', 'shape' or 'data_offsets' is missing");
  std::optional<StoredType> type = parseType(*dtype);
  if (!type)
    return failTensor(name, "unknown dtype '" + *dtype + "'");
  Entry entry{{name.str(), *type, {}, {}}, 0, 0};
  if (Error error = parseShape(name, *shape, entry))
    return error;
  if (Error error = parseOffsets(name, *offsets, entry))
    return error;
  return entry;
}

/// The format wants every byte of the data to belong to exactly one tensor.
Error HeaderParser::checkCover(MutableArrayRef<Entry> entries) {
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.tensor.name) <
           std::tie(b.begin, b.end, b.tensor.name);
  });
  uint64_t at = 0;
  StringRef before;
  for (const Entry &entry : entries) {
    if (entry.begin < at)
      return failTensor(entry.tensor.name,
                        "its bytes overlap those of '" + before + "'");
    if (entry.begin > at)
      return fail("bytes " + Twine(at) + ".." + Twine(entry.begin) +
                  " of the data belong to no tensor");
    at = entry.end;
    before = entry.tensor.name;
  }
  if (at != data.size())
    return fail("bytes " + Twine(at) + ".." + Twine(data.size()) +
                " of the data belong to no tensor");
  return Error::success();
}

Expected<std::vector<ArchiveTensor>> HeaderParser::parse() {
  Expected<json::Value> header = parseJson();
  if (!header)
    return header.takeError();
  const json::Object *object = header->getAsObject();
  assert(object && "JSON that starts with '{' is an object");
  std::vector<Entry> entries;
  for (const auto &[key, value] : *object) {
    if (key == "__metadata__")
      continue;
    Expected<Entry> entry = parseEntry(key.str(), value);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  if (Error error = checkCover(entries))
    return error;
  std::vector<ArchiveTensor> tensors;
  for (Entry &entry : entries)
    tensors.push_back(std::move(entry.tensor));
  return tensors;
}

} // namespace

Expected<std::unique_ptr<SafetensorsArchive>>
SafetensorsArchive::open(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("'" + path + "': " + buffer.getError().message());
  return create(std::move(*buffer));
}

Expected<std::unique_ptr<SafetensorsArchive>>
SafetensorsArchive::create(std::unique_ptr<MemoryBuffer> buffer) {
  std::unique_ptr<SafetensorsArchive> archive(new SafetensorsArchive);
  archive->buffer = std::move(buffer);
  Expected<std::vector<ArchiveTensor>> tensors =
      HeaderParser(archive->path(), archive->buffer->getBuffer()).parse();
  if (!tensors)
    return tensors.takeError();
  archive->entries = std::move(*tensors);
  for (auto [index, tensor] : enumerate(archive->entries))
    archive->indices[tensor.name] = index;
  return archive;
}

const ArchiveTensor *SafetensorsArchive::lookup(StringRef name) const {
  auto it = indices.find(name);
  return it == indices.end() ? nullptr : &entries[it->second];
}

Expected<const ArchiveTensor *> SafetensorsArchive::find(StringRef name) const {
  if (const ArchiveTensor *tensor = lookup(name))
    return tensor;
  SmallVector<StringRef> names;
  for (const ArchiveTensor &tensor : entries)
    names.push_back(tensor.name);
  return createStringError("'" + path() + "' has no tensor '" + name + "'" +
                           didYouMean(name, names));
}

} // namespace sinter
