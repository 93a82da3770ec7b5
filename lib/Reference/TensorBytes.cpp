//===- TensorBytes.cpp - Tensors to and from stored bytes -----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

using namespace mlir;

namespace sinter {

/// Bytes of one stored element.
static int64_t storedBytes(Type type) {
  return type.isIndex() ? 8
                        : llvm::divideCeil(type.getIntOrFloatBitWidth(), 8u);
}

static uint64_t readBits(const char *bytes, int64_t width) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < width; ++i)
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[i]))
            << (8 * i);
  return bits;
}

static void writeBits(char *bytes, int64_t width, uint64_t bits) {
  for (int64_t i = 0; i < width; ++i)
    bytes[i] = static_cast<char>(bits >> (8 * i));
}

std::optional<Tensor> Tensor::fromBytes(ArrayRef<int64_t> shape,
                                        Type elementType,
                                        ArrayRef<char> bytes) {
  int64_t width = storedBytes(elementType);
  if (static_cast<int64_t>(bytes.size()) != elementCount(shape) * width)
    return std::nullopt;
  Tensor result(shape, elementType);
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    uint64_t bits = readBits(bytes.data() + i * width, width);
    if (!result.isFloat()) {
      // Any non-zero byte of an i1 is true.
      int64_t value = static_cast<int64_t>(bits);
      result.integers[i] = elementType.isInteger(1)
                               ? value != 0
                               : wrapInteger(value, elementType);
      continue;
    }
    auto type = cast<FloatType>(elementType);
    APFloat number(type.getFloatSemantics(), APInt(type.getWidth(), bits));
    bool losesInfo;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    result.reals[i] = number.convertToDouble();
  }
  return result;
}

std::vector<char> Tensor::toBytes() const {
  int64_t width = storedBytes(element);
  std::vector<char> bytes(size() * width);
  for (int64_t i = 0, e = size(); i < e; ++i) {
    uint64_t bits = isFloat() ? 0 : static_cast<uint64_t>(integers[i]);
    if (isFloat()) {
      APFloat number(reals[i]);
      bool losesInfo;
      number.convert(cast<FloatType>(element).getFloatSemantics(),
                     APFloat::rmNearestTiesToEven, &losesInfo);
      bits = number.bitcastToAPInt().getZExtValue();
    }
    writeBits(bytes.data() + i * width, width, bits);
  }
  return bytes;
}

} // namespace sinter
