//===- ElementType.cpp - Types of stored tensor elements -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Support/ElementType.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace sinter {
namespace {
struct Info {
  ElementType type;
  StringLiteral name;
  unsigned bytes;
};
constexpr Info infos[] = {
    {ElementType::Bool, "i1", 1},       {ElementType::I8, "i8", 1},
    {ElementType::U8, "ui8", 1},        {ElementType::I16, "i16", 2},
    {ElementType::U16, "ui16", 2},      {ElementType::I32, "i32", 4},
    {ElementType::U32, "ui32", 4},      {ElementType::I64, "i64", 8},
    {ElementType::U64, "ui64", 8},      {ElementType::F8E4M3, "f8E4M3FN", 1},
    {ElementType::F8E5M2, "f8E5M2", 1}, {ElementType::F16, "f16", 2},
    {ElementType::BF16, "bf16", 2},     {ElementType::F32, "f32", 4},
    {ElementType::F64, "f64", 8}};
} // namespace

unsigned byteWidth(ElementType type) { return infos[unsigned(type)].bytes; }

StringRef toString(ElementType type) { return infos[unsigned(type)].name; }

std::optional<ElementType> parseElementType(StringRef name) {
  for (const Info &info : infos)
    if (info.name == name)
      return info.type;
  return std::nullopt;
}

std::string toString(ArrayRef<int64_t> shape, ElementType type) {
  std::string text;
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + toString(type).str();
}

std::optional<uint64_t> byteSize(ArrayRef<int64_t> shape, ElementType type) {
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
