//===- Tensor.h - Values of the reference interpreter -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers and dense tensors of the reference interpreter. Every float type is
// held as double; every integer type exactly, in the int64_t that its own width
// sign-extends to (i1: 0 or 1).
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_REFERENCE_TENSOR_H
#define SINTER_REFERENCE_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace sinter {

using Shape = llvm::SmallVector<int64_t, 4>;

/// Whether the reference computes with elements of `type`: f16, bf16, f32, f64,
/// index and integers of at most 64 bits.
bool isReferenceElementType(mlir::Type type);

/// The value as an integer of `type` holds it: cut to the type's width, then
/// sign-extended; zero-extended for i1 and for unsigned types.
int64_t wrapInteger(int64_t value, mlir::Type type);

/// The nearest value that float type `type` holds, ties to even.
double roundToType(double value, mlir::Type type);

/// One number with its type. `real` holds floats, `integer` everything else.
struct ScalarValue {
  mlir::Type type;
  double real = 0;
  int64_t integer = 0;

  static ScalarValue ofReal(mlir::Type type, double value) {
    return {type, value, 0};
  }
  static ScalarValue ofInteger(mlir::Type type, int64_t value) {
    return {type, 0, wrapInteger(value, type)};
  }
  /// The value of a FloatAttr, IntegerAttr or BoolAttr.
  static std::optional<ScalarValue> fromAttribute(mlir::Attribute attribute);

  bool isFloat() const { return llvm::isa<mlir::FloatType>(type); }
};

/// A dense row-major tensor. Rank 0 has one element.
class Tensor {
public:
  Tensor() = default;
  /// All elements 0. `elementType` is one that isReferenceElementType accepts.
  Tensor(llvm::ArrayRef<int64_t> shape, mlir::Type elementType);
  static Tensor ofReals(llvm::ArrayRef<int64_t> shape, mlir::Type elementType,
                        llvm::ArrayRef<double> values);
  static Tensor ofIntegers(llvm::ArrayRef<int64_t> shape,
                           mlir::Type elementType,
                           llvm::ArrayRef<int64_t> values);
  static Tensor splat(llvm::ArrayRef<int64_t> shape, ScalarValue value);
  static Tensor fromElements(mlir::DenseElementsAttr elements);
  /// Little-endian elements as they lie in a file or in a caller's buffer (i1:
  /// one byte). nullopt if `bytes` has not exactly the size that `shape` needs.
  static std::optional<Tensor> fromBytes(llvm::ArrayRef<int64_t> shape,
                                         mlir::Type elementType,
                                         llvm::ArrayRef<char> bytes);
  /// The elements as fromBytes reads them; floats are rounded to their type.
  std::vector<char> toBytes() const;

  mlir::Type elementType() const { return element; }
  bool isFloat() const { return llvm::isa<mlir::FloatType>(element); }
  llvm::ArrayRef<int64_t> shape() const { return extents; }
  int64_t rank() const { return static_cast<int64_t>(extents.size()); }
  int64_t dim(int64_t i) const { return extents[i]; }
  /// The product of the last `count` extents.
  int64_t innerSize(int64_t count) const;
  int64_t size() const { return innerSize(rank()); }

  /// Row-major position of an element.
  int64_t offset(llvm::ArrayRef<int64_t> indices) const;
  /// The same with each index clamped to its extent; nullopt where an extent is
  /// 0.
  std::optional<int64_t> clampedOffset(llvm::ArrayRef<int64_t> indices) const;

  double &real(int64_t offset) { return reals[offset]; }
  double real(int64_t offset) const { return reals[offset]; }
  double &real(llvm::ArrayRef<int64_t> indices) {
    return reals[offset(indices)];
  }
  double real(llvm::ArrayRef<int64_t> indices) const {
    return reals[offset(indices)];
  }
  int64_t &integer(int64_t offset) { return integers[offset]; }
  int64_t integer(int64_t offset) const { return integers[offset]; }
  int64_t integer(llvm::ArrayRef<int64_t> indices) const {
    return integers[offset(indices)];
  }
  ScalarValue get(int64_t offset) const;
  /// Stores a number of this tensor's kind (float or integer).
  void set(int64_t offset, const ScalarValue &value);
  /// Copies one element of a tensor of the same kind.
  void copyFrom(int64_t offset, const Tensor &from, int64_t fromOffset);

  /// The same elements under another shape of equal size.
  Tensor reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// The same elements, floats rounded to the element type.
  Tensor rounded() const;

private:
  Shape extents;
  mlir::Type element;
  std::vector<double> reals;
  std::vector<int64_t> integers;
};

/// The product of extents.
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

/// Calls `body` with each index of `shape` in row-major order; once with no
/// indices for rank 0, never where an extent is 0.
void forEachIndex(llvm::ArrayRef<int64_t> shape,
                  llvm::function_ref<void(llvm::ArrayRef<int64_t>)> body);

} // namespace sinter

#endif // SINTER_REFERENCE_TENSOR_H
