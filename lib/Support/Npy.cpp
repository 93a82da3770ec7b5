//===- Npy.cpp - NumPy array files -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include <optional>

using namespace llvm;

namespace sinter {
namespace {

constexpr StringLiteral magic("\x93NUMPY");

std::optional<StoredType> parseDescr(StringRef descr) {
  if (!descr.consume_front("<") && !descr.consume_front("|") &&
      !descr.consume_front("="))
    return std::nullopt;
  static constexpr std::pair<StringLiteral, StoredType> names[] = {
      {"b1", StoredType::Bool}, {"i1", StoredType::I8},
      {"u1", StoredType::U8},   {"i2", StoredType::I16},
      {"u2", StoredType::U16},  {"i4", StoredType::I32},
      {"u4", StoredType::U32},  {"i8", StoredType::I64},
      {"u8", StoredType::U64},  {"f2", StoredType::F16},
      {"f4", StoredType::F32},  {"f8", StoredType::F64}};
  for (const auto &[spelling, type] : names)
    if (spelling == descr)
      return type;
  return std::nullopt;
}

StringRef descrOf(StoredType type) {
  switch (type) {
  case StoredType::Bool:
    return "|b1";
  case StoredType::I8:
    return "|i1";
  case StoredType::U8:
  case StoredType::F8E4M3:
  case StoredType::F8E5M2:
    return "|u1";
  case StoredType::I16:
    return "<i2";
  case StoredType::U16:
  case StoredType::BF16:
    return "<u2";
  case StoredType::I32:
    return "<i4";
  case StoredType::U32:
    return "<u4";
  case StoredType::I64:
    return "<i8";
  case StoredType::U64:
    return "<u8";
  case StoredType::F16:
    return "<f2";
  case StoredType::F32:
    return "<f4";
  case StoredType::F64:
    return "<f8";
  }
  llvm_unreachable("every type has a NumPy spelling");
}

/// The text after `'key':` in the header's dictionary.
StringRef valueOf(StringRef header, StringRef key) {
  size_t at = header.find(("'" + key + "'").str());
  if (at == StringRef::npos)
    return "";
  StringRef rest = header.substr(at + key.size() + 2).ltrim();
  if (!rest.consume_front(":"))
    return "";
  return rest.ltrim();
}

Error parseShape(StringRef header, SmallVectorImpl<int64_t> &shape) {
  StringRef text = valueOf(header, "shape");
  size_t close = text.find(')');
  if (!text.consume_front("(") || close == StringRef::npos)
    return createStringError("the .npy header has no 'shape'");
  SmallVector<StringRef> extents;
  text.take_front(close - 1).split(extents, ',', -1, /*KeepEmpty=*/false);
  for (StringRef extent : extents) {
    int64_t value;
    extent = extent.trim();
    if (extent.empty())
      continue;
    if (extent.getAsInteger(10, value) || value < 0)
      return createStringError("the .npy header has the extent '" + extent +
                               "'");
    shape.push_back(value);
  }
  return Error::success();
}

/// Splits a file in its header dictionary and its data.
Error splitFile(StringRef contents, StringRef &header, StringRef &data) {
  if (!contents.starts_with(magic) || contents.size() < 10)
    return createStringError("not a .npy file");
  unsigned version = contents[6];
  size_t prefix = version == 1 ? 10 : 12;
  if (version < 1 || version > 3 || contents.size() < prefix)
    return createStringError("not a .npy file of version 1, 2 or 3");
  uint64_t length = version == 1
                        ? support::endian::read16le(contents.data() + 8)
                        : support::endian::read32le(contents.data() + 8);
  if (length > contents.size() - prefix)
    return createStringError("truncated .npy header");
  header = contents.substr(prefix, length);
  data = contents.substr(prefix + length);
  return Error::success();
}

/// Reads a zip archive's directory (PKWARE APPNOTE.TXT, sections 4.3.6 to
/// 4.5.3).
class ZipReader {
public:
  explicit ZipReader(StringRef file) : file(file) {}

  /// Calls `visit(name, contents)` for each member.
  Error forEach(function_ref<Error(StringRef, StringRef)> visit);

private:
  struct Member {
    StringRef name;
    uint64_t compressedSize, size, offset;
    unsigned method;
  };
  Error truncated() const { return createStringError("truncated .npz file"); }
  bool has(uint64_t at, uint64_t bytes) const {
    return at <= file.size() && bytes <= file.size() - at;
  }
  uint64_t u16(uint64_t at) const {
    return support::endian::read16le(file.data() + at);
  }
  uint64_t u32(uint64_t at) const {
    return support::endian::read32le(file.data() + at);
  }
  uint64_t u64(uint64_t at) const {
    return support::endian::read64le(file.data() + at);
  }
  Expected<Member> readMember(uint64_t &at);
  void readZip64(StringRef extra, Member &member);
  Expected<StringRef> contents(const Member &member);

  StringRef file;
};

Error ZipReader::forEach(function_ref<Error(StringRef, StringRef)> visit) {
  size_t end = file.rfind("PK\5\6");
  if (end == StringRef::npos || !has(end, 22))
    return createStringError("not an .npz file: no zip directory");
  uint64_t count = u16(end + 10), at = u32(end + 16);
  if (count == 0xffff || at == 0xffffffff)
    return createStringError("an .npz file of more than 65534 members or "
                             "4 GiB is not supported");
  for (uint64_t i = 0; i < count; ++i) {
    Expected<Member> member = readMember(at);
    if (!member)
      return member.takeError();
    Expected<StringRef> bytes = contents(*member);
    if (!bytes)
      return bytes.takeError();
    if (Error error = visit(member->name, *bytes))
      return error;
  }
  return Error::success();
}

Expected<ZipReader::Member> ZipReader::readMember(uint64_t &at) {
  if (!has(at, 46) || file.substr(at, 4) != "PK\1\2")
    return truncated();
  uint64_t name = u16(at + 28), extra = u16(at + 30), comment = u16(at + 32);
  if (!has(at, 46 + name + extra + comment))
    return truncated();
  Member member{file.substr(at + 46, name), u32(at + 20), u32(at + 24),
                u32(at + 42), unsigned(u16(at + 10))};
  readZip64(file.substr(at + 46 + name, extra), member);
  at += 46 + name + extra + comment;
  return member;
}

/// 64-bit sizes stand in an extra field, only for those that are all ones.
void ZipReader::readZip64(StringRef extra, Member &member) {
  while (extra.size() >= 4) {
    unsigned id = support::endian::read16le(extra.data());
    StringRef field =
        extra.substr(4, support::endian::read16le(extra.data() + 2));
    extra = extra.substr(std::min(extra.size(), 4 + field.size()));
    if (id != 1)
      continue;
    for (uint64_t *value :
         {&member.size, &member.compressedSize, &member.offset}) {
      if (*value != 0xffffffff || field.size() < 8)
        continue;
      *value = support::endian::read64le(field.data());
      field = field.substr(8);
    }
  }
}

Expected<StringRef> ZipReader::contents(const Member &member) {
  if (member.method != 0)
    return createStringError("member '" + member.name +
                             "' is compressed; write the file with numpy.savez,"
                             " not savez_compressed");
  if (!has(member.offset, 30) || file.substr(member.offset, 4) != "PK\3\4")
    return truncated();
  uint64_t start =
      member.offset + 30 + u16(member.offset + 26) + u16(member.offset + 28);
  if (!has(start, member.size))
    return truncated();
  return file.substr(start, member.size);
}

Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return createStringError("'" + path + "': " + buffer.getError().message());
  return std::move(*buffer);
}

Error prefixed(const Twine &name, Error error) {
  return createStringError("'" + name + "': " + toString(std::move(error)));
}

} // namespace

Expected<NpyArray> parseNpy(StringRef contents) {
  StringRef header, data;
  if (Error error = splitFile(contents, header, data))
    return error;
  NpyArray array;
  StringRef descr = valueOf(header, "descr");
  if (!descr.consume_front("'"))
    return createStringError("the .npy header's 'descr' is not a simple type");
  descr = descr.take_until([](char c) { return c == '\''; });
  std::optional<StoredType> type = parseDescr(descr);
  if (!type)
    return createStringError("unsupported .npy type '" + descr + "'");
  array.type = *type;
  if (!valueOf(header, "fortran_order").starts_with("False"))
    return createStringError("a .npy file in Fortran order is not supported; "
                             "write numpy.ascontiguousarray(x)");
  if (Error error = parseShape(header, array.shape))
    return error;
  std::optional<uint64_t> size = byteSize(array.shape, array.type);
  if (!size || *size != data.size())
    return createStringError(toString(array.shape, array.type) +
                             " does not have the " + Twine(data.size()) +
                             " bytes that follow the .npy header");
  array.data.assign(data.begin(), data.end());
  return array;
}

Expected<std::vector<std::pair<std::string, NpyArray>>>
parseNpz(StringRef contents) {
  std::vector<std::pair<std::string, NpyArray>> arrays;
  Error error = ZipReader(contents).forEach(
      [&](StringRef name, StringRef bytes) -> Error {
        name.consume_back(".npy");
        Expected<NpyArray> array = parseNpy(bytes);
        if (!array)
          return prefixed(name, array.takeError());
        arrays.emplace_back(name.str(), std::move(*array));
        return Error::success();
      });
  if (error)
    return error;
  return arrays;
}

Expected<NpyArray> readNpy(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  Expected<NpyArray> array = parseNpy((*buffer)->getBuffer());
  if (!array)
    return prefixed(path, array.takeError());
  return array;
}

Expected<std::vector<std::pair<std::string, NpyArray>>>
readNpz(StringRef path) {
  Expected<std::unique_ptr<MemoryBuffer>> buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  auto arrays = parseNpz((*buffer)->getBuffer());
  if (!arrays)
    return prefixed(path, arrays.takeError());
  return arrays;
}

void writeNpy(raw_ostream &os, StoredType type, ArrayRef<int64_t> shape,
              ArrayRef<char> data) {
  std::string header =
      ("{'descr': '" + descrOf(type) + "', 'fortran_order': False, 'shape': (")
          .str();
  for (int64_t extent : shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data starts at a multiple of 64.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.append(total - 10 - header.size() - 1, ' ');
  header += '\n';
  os << magic << '\1' << '\0' << char(header.size() & 255)
     << char(header.size() >> 8) << header
     << StringRef(data.data(), data.size());
}

} // namespace sinter
