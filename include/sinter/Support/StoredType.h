//===- StoredType.h - Types of stored tensor elements -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that weight archives and array files can hold. Which of
// them a model may compute with is the dialect's decision, not this file's.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_SUPPORT_STOREDTYPE_H
#define SINTER_SUPPORT_STOREDTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace sinter {

enum class StoredType : uint8_t {
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F8E4M3,
  F8E5M2,
  F16,
  BF16,
  F32,
  F64
};

/// Bytes of one element.
unsigned byteWidth(StoredType type);

/// The spelling of a type in MLIR: "f32", "i64", "ui8", "i1".
llvm::StringRef toString(StoredType type);

/// The type that is spelled `name` in MLIR.
std::optional<StoredType> parseStoredType(llvm::StringRef name);

/// "2x3xf32"; a scalar is "f32".
std::string toString(llvm::ArrayRef<int64_t> shape, StoredType type);

/// Bytes of a dense tensor, or nullopt where an extent is negative or the
/// product does not fit in 63 bits.
std::optional<uint64_t> byteSize(llvm::ArrayRef<int64_t> shape,
                                 StoredType type);

} // namespace sinter

#endif // SINTER_SUPPORT_STOREDTYPE_H
