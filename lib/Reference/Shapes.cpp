//===- Shapes.cpp - Moving data between shapes ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Ops.h"
#include <algorithm>

using namespace mlir;

namespace sinter::reference {

SmallVector<Tensor> split(const Tensor &x, ArrayRef<int64_t> sizes) {
  SmallVector<Tensor> pieces;
  Shape offsets(x.rank(), 0), extents(x.shape()), strides(x.rank(), 1);
  for (int64_t size : sizes) {
    extents.back() = size;
    pieces.push_back(slice(x, offsets, extents, strides));
    offsets.back() += size;
  }
  return pieces;
}

SmallVector<Tensor> splitHeads(const Tensor &x, ArrayRef<int64_t> heads) {
  int64_t all = 0;
  for (int64_t count : heads)
    all += count;
  int64_t size = x.shape().back() / all;
  SmallVector<int64_t> sizes;
  for (int64_t count : heads)
    sizes.push_back(count * size);
  SmallVector<Tensor> pieces = split(x, sizes);
  for (auto [piece, count] : llvm::zip_equal(pieces, heads)) {
    Shape shape(x.shape());
    shape.back() = count;
    shape.push_back(size);
    piece = piece.reshaped(shape);
  }
  return pieces;
}

Tensor mergeHeads(const Tensor &x) {
  Shape shape(x.shape().drop_back());
  shape.back() *= x.shape().back();
  return x.reshaped(shape);
}

Tensor take(const Tensor &x, ArrayRef<int64_t> at) {
  int64_t time = x.dim(1), inner = x.innerSize(x.rank() - 2);
  Shape shape(x.shape());
  shape.erase(shape.begin() + 1);
  Tensor y(shape, x.elementType());
  if (time == 0)
    return y;
  for (int64_t b = 0; b < x.dim(0); ++b) {
    int64_t t = std::clamp<int64_t>(at[b], 0, time - 1);
    for (int64_t i = 0; i < inner; ++i)
      y.copyFrom(b * inner + i, x, (b * time + t) * inner + i);
  }
  return y;
}

Tensor broadcast(const Tensor &x, ArrayRef<int64_t> shape) {
  Tensor y(shape, x.elementType());
  int64_t offset = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape from(index.take_back(x.rank()));
    for (auto [i, extent] : llvm::zip_equal(from, x.shape()))
      if (extent == 1)
        i = 0;
    y.copyFrom(offset++, x, x.offset(from));
  });
  return y;
}

Tensor transpose(const Tensor &x, ArrayRef<int64_t> permutation) {
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(x.dim(dim));
  Tensor y(shape, x.elementType());
  int64_t offset = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    Shape from(index);
    for (auto [i, dim] : llvm::enumerate(permutation))
      from[dim] = index[i];
    y.copyFrom(offset++, x, x.offset(from));
  });
  return y;
}

Tensor concat(ArrayRef<const Tensor *> parts, int64_t dim) {
  Shape shape(parts.front()->shape());
  shape[dim] = 0;
  for (const Tensor *part : parts)
    shape[dim] += part->dim(dim);
  Tensor y(shape, parts.front()->elementType());
  int64_t start = 0;
  for (const Tensor *part : parts) {
    int64_t offset = 0;
    forEachIndex(part->shape(), [&](ArrayRef<int64_t> index) {
      Shape to(index);
      to[dim] += start;
      y.copyFrom(y.offset(to), *part, offset++);
    });
    start += part->dim(dim);
  }
  return y;
}

Tensor slice(const Tensor &x, ArrayRef<int64_t> offsets,
             ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  Tensor y(sizes, x.elementType());
  int64_t to = 0;
  forEachIndex(sizes, [&](ArrayRef<int64_t> index) {
    Shape from(index);
    for (size_t d = 0; d < from.size(); ++d)
      from[d] = offsets[d] + index[d] * strides[d];
    y.copyFrom(to++, x, x.offset(from));
  });
  return y;
}

} // namespace sinter::reference
