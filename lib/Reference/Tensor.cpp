//===- Tensor.cpp - Values of the reference interpreter -------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Tensor.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <algorithm>
#include <cassert>

using namespace mlir;

namespace sinter {

bool isReferenceElementType(Type type) {
  if (type.isF16() || type.isBF16() || type.isF32() || type.isF64())
    return true;
  auto integer = dyn_cast<IntegerType>(type);
  return type.isIndex() || (integer && integer.getWidth() <= 64);
}

int64_t wrapInteger(int64_t value, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  unsigned width = integer ? integer.getWidth() : 64;
  if (width == 64)
    return value;
  uint64_t cut = static_cast<uint64_t>(value) << (64 - width);
  if (width == 1 || integer.isUnsigned())
    return static_cast<int64_t>(cut >> (64 - width));
  return static_cast<int64_t>(cut) >> (64 - width);
}

double roundToType(double value, Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat number(value);
  bool losesInfo;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static double toDouble(APFloat number) {
  bool losesInfo;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static int64_t toInteger(const APInt &number, Type type) {
  return wrapInteger(static_cast<int64_t>(number.getRawData()[0]), type);
}

std::optional<ScalarValue> ScalarValue::fromAttribute(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    if (!isReferenceElementType(number.getType()))
      return std::nullopt;
    return ofReal(number.getType(), toDouble(number.getValue()));
  }
  auto number = dyn_cast<IntegerAttr>(attribute);
  if (!number || !isReferenceElementType(number.getType()))
    return std::nullopt;
  return ScalarValue{number.getType(), 0,
                     toInteger(number.getValue(), number.getType())};
}

int64_t elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  Shape index(shape.size(), 0);
  for (int64_t count = elementCount(shape); count > 0; --count) {
    body(index);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

Tensor::Tensor(ArrayRef<int64_t> shape, Type elementType)
    : extents(shape), element(elementType) {
  assert(isReferenceElementType(elementType) && "caller checks the type");
  if (isFloat())
    reals.resize(size());
  else
    integers.resize(size());
}

Tensor Tensor::ofReals(ArrayRef<int64_t> shape, Type elementType,
                       ArrayRef<double> values) {
  Tensor result(shape, elementType);
  assert(result.reals.size() == values.size() && "one value per element");
  result.reals = values.vec();
  return result;
}

Tensor Tensor::ofIntegers(ArrayRef<int64_t> shape, Type elementType,
                          ArrayRef<int64_t> values) {
  Tensor result(shape, elementType);
  assert(result.integers.size() == values.size() && "one value per element");
  for (auto [to, from] : llvm::zip_equal(result.integers, values))
    to = wrapInteger(from, elementType);
  return result;
}

Tensor Tensor::splat(ArrayRef<int64_t> shape, ScalarValue value) {
  Tensor result(shape, value.type);
  llvm::fill(result.reals, value.real);
  llvm::fill(result.integers, value.integer);
  return result;
}

Tensor Tensor::fromElements(DenseElementsAttr elements) {
  Type type = elements.getElementType();
  Tensor result(elements.getType().getShape(), type);
  int64_t i = 0;
  if (isa<FloatType>(type))
    for (const APFloat &number : elements.getValues<APFloat>())
      result.reals[i++] = toDouble(number);
  else
    for (const APInt &number : elements.getValues<APInt>())
      result.integers[i++] = toInteger(number, type);
  return result;
}

int64_t Tensor::innerSize(int64_t count) const {
  return elementCount(ArrayRef<int64_t>(extents).take_back(count));
}

int64_t Tensor::offset(ArrayRef<int64_t> indices) const {
  assert(static_cast<int64_t>(indices.size()) == rank() && "one index each");
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip_equal(indices, extents)) {
    assert(index >= 0 && index < extent && "index out of range");
    position = position * extent + index;
  }
  return position;
}

std::optional<int64_t> Tensor::clampedOffset(ArrayRef<int64_t> indices) const {
  int64_t position = 0;
  for (auto [index, extent] : llvm::zip_equal(indices, extents)) {
    if (extent == 0)
      return std::nullopt;
    position = position * extent + std::clamp<int64_t>(index, 0, extent - 1);
  }
  return position;
}

ScalarValue Tensor::get(int64_t offset) const {
  if (isFloat())
    return ScalarValue{element, reals[offset], 0};
  return ScalarValue{element, 0, integers[offset]};
}

void Tensor::set(int64_t offset, const ScalarValue &value) {
  assert(value.isFloat() == isFloat() && "kinds agree");
  if (isFloat())
    reals[offset] = value.real;
  else
    integers[offset] = value.integer;
}

void Tensor::copyFrom(int64_t offset, const Tensor &from, int64_t fromOffset) {
  assert(from.isFloat() == isFloat() && "kinds agree");
  if (isFloat())
    reals[offset] = from.reals[fromOffset];
  else
    integers[offset] = from.integers[fromOffset];
}

Tensor Tensor::reshaped(ArrayRef<int64_t> shape) const {
  assert(elementCount(shape) == size() && "sizes agree");
  Tensor result = *this;
  result.extents.assign(shape.begin(), shape.end());
  return result;
}

Tensor Tensor::rounded() const {
  Tensor result = *this;
  for (double &value : result.reals)
    value = roundToType(value, element);
  return result;
}

} // namespace sinter
