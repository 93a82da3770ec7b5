//===- StoredType.cpp - Types of stored tensor elements -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/StoredType.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace sinter {
namespace {
struct Info {
  StoredType type;
  StringLiteral name;
  unsigned bytes;
};
constexpr Info infos[] = {
    {StoredType::Bool, "i1", 1},       {StoredType::I8, "i8", 1},
    {StoredType::U8, "ui8", 1},        {StoredType::I16, "i16", 2},
    {StoredType::U16, "ui16", 2},      {StoredType::I32, "i32", 4},
    {StoredType::U32, "ui32", 4},      {StoredType::I64, "i64", 8},
    {StoredType::U64, "ui64", 8},      {StoredType::F8E4M3, "f8E4M3FN", 1},
    {StoredType::F8E5M2, "f8E5M2", 1}, {StoredType::F16, "f16", 2},
    {StoredType::BF16, "bf16", 2},     {StoredType::F32, "f32", 4},
    {StoredType::F64, "f64", 8}};
} // namespace

unsigned byteWidth(StoredType type) { return infos[unsigned(type)].bytes; }

StringRef toString(StoredType type) { return infos[unsigned(type)].name; }

std::optional<StoredType> parseStoredType(StringRef name) {
  for (const Info &info : infos)
    if (info.name == name)
      return info.type;
  return std::nullopt;
}

std::string toString(ArrayRef<int64_t> shape, StoredType type) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + toString(type).str();
}

std::optional<uint64_t> byteSize(ArrayRef<int64_t> shape, StoredType type) {
  // A zero extent makes the tensor empty, however large the others are.
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    empty |= extent == 0;
  }
  if (empty)
    return 0;
  int64_t size = byteWidth(type);
  for (int64_t extent : shape) {
    std::optional<int64_t> product = checkedMul(size, extent);
    if (!product)
      return std::nullopt;
    size = *product;
  }
  return size;
}

} // namespace sinter
