//===- RandomInputs.cpp - Inputs that look for trouble -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/RandomInputs.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace sinter::execution {

double RandomInputs::real() {
  double value = std::ldexp(static_cast<double>(engine() >> 11), -52) - 1;
  return hasLargeValues && below(16) == 0 ? 200 * value : value;
}

Tensor RandomInputs::draw(ArrayRef<int64_t> shape, mlir::Type type) {
  Tensor tensor(shape, type);
  for (int64_t i = 0, e = tensor.size(); i < e; ++i) {
    if (tensor.isFloat())
      tensor.real(i) = roundToType(real(), type);
    else
      tensor.integer(i) =
          static_cast<int64_t>(below(type.isInteger(1) ? 2 : 16));
  }
  return tensor;
}

/// What ids must be below; 0: they are no ids. Where no id exists it is 1, and
/// the call is refused.
static int64_t idLimit(const EntryManifest &entry, const TensorManifest &tensor,
                       ArrayRef<int64_t> dims) {
  const DimManifest *dim = entry.findDim(tensor.below);
  if (!dim)
    return tensor.limit;
  int64_t extent = std::max<int64_t>(1, dims[dim - entry.dims.data()]);
  return tensor.limit > 0 ? std::min(extent, tensor.limit) : extent;
}

Tensor RandomInputs::drawIds(ArrayRef<int64_t> shape, mlir::Type type,
                             int64_t limit) {
  Tensor tensor(shape, type);
  for (int64_t i = 0, e = tensor.size(); i < e; ++i)
    tensor.integer(i) = static_cast<int64_t>(below(limit));
  return tensor;
}

Tensor RandomInputs::drawLengths(const EntryManifest &entry,
                                 const TensorManifest &tensor,
                                 ArrayRef<int64_t> dims,
                                 mlir::MLIRContext *context) {
  const DimManifest *dim = entry.findDim(tensor.counts.name);
  int64_t full = dim ? dims[dim - entry.dims.data()] : tensor.counts.value;
  return drawIds(shapeOf(entry, tensor, dims),
                 elementTypeOf(tensor.type, context), full + 1);
}

Tensor RandomInputs::drawMask(ArrayRef<int64_t> shape, mlir::Type type) {
  Tensor tensor = draw(shape, type);
  int64_t keys = shape.empty() ? 1 : shape.back();
  for (int64_t i = 0, e = tensor.size(); i < e; ++i) {
    bool startsRow = keys > 0 && i % keys == 0;
    if (startsRow && below(5) == 0) {
      for (int64_t j = i; j < i + keys; ++j)
        if (tensor.isFloat())
          tensor.real(j) = -std::numeric_limits<double>::infinity();
        else
          tensor.integer(j) = 0;
      i += keys - 1;
    } else if (tensor.isFloat() && below(3) == 0) {
      tensor.real(i) = -std::numeric_limits<double>::infinity();
    }
  }
  return tensor;
}

void spoilPastLengths(Tensor &tensor, const Tensor &lengths) {
  if (tensor.rank() < 2)
    return;
  int64_t inner = tensor.innerSize(tensor.rank() - 2), time = tensor.dim(1);
  for (int64_t b = 0; b < tensor.dim(0); ++b) {
    // A given length can be out of range, which the entry is to refuse.
    int64_t length = std::clamp<int64_t>(lengths.integer(b), 0, time);
    for (int64_t i = (b * time + length) * inner; i < (b + 1) * time * inner;
         ++i) {
      if (tensor.isFloat())
        tensor.real(i) = std::numeric_limits<double>::quiet_NaN();
      else
        tensor.integer(i) = wrapInteger(
            INT64_C(-1) << (tensor.elementType().getIntOrFloatBitWidth() - 1),
            tensor.elementType());
    }
  }
}

void RandomInputs::draw(const EntryManifest &entry, ArrayRef<int64_t> dims,
                        mlir::MLIRContext *context, StringMap<Tensor> &inputs) {
  for (const TensorManifest &tensor : entry.tensors)
    if (tensor.role == TensorManifest::Lengths && isRagged &&
        !inputs.contains(tensor.name))
      inputs[tensor.name] = drawLengths(entry, tensor, dims, context);
  for (const TensorManifest &tensor : entry.tensors) {
    if (tensor.role != TensorManifest::Input || inputs.contains(tensor.name))
      continue;
    Shape shape = shapeOf(entry, tensor, dims);
    mlir::Type type = elementTypeOf(tensor.type, context);
    int64_t limit = idLimit(entry, tensor, dims);
    Tensor value = masks.contains(tensor.name) ? drawMask(shape, type)
                   : limit > 0                 ? drawIds(shape, type, limit)
                                               : draw(shape, type);
    auto lengths = tensor.lengths < 0
                       ? inputs.end()
                       : inputs.find(entry.tensors[tensor.lengths].name);
    if (lengths != inputs.end())
      spoilPastLengths(value, lengths->second);
    inputs[tensor.name] = std::move(value);
  }
}

} // namespace sinter::execution
