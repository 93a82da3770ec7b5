//===- KernelBuilder.cpp - Writes kernel code -----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

Type KernelBuilder::vec(Type element, unsigned lanes) {
  return lanes == 1 ? element : Type(VectorType::get({lanes}, element));
}

unsigned KernelBuilder::lanesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getNumElements() : 1;
}

Type KernelBuilder::elementOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? vector.getElementType() : type;
}

Type KernelBuilder::like(Type shape, Type element) {
  return vec(element, lanesOf(shape));
}

Type KernelBuilder::intLike(Type floats) {
  return like(floats,
              getIntegerType(elementOf(floats).getIntOrFloatBitWidth()));
}

Value KernelBuilder::constant(Type type, double value) {
  Type element = elementOf(type);
  if (!isa<FloatType>(element))
    return constantInt(type, static_cast<int64_t>(value));
  TypedAttr attr = getFloatAttr(element, value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value KernelBuilder::constantInt(Type type, int64_t value) {
  TypedAttr attr = getIntegerAttr(elementOf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(*this, attr);
}

Value KernelBuilder::lanesConstant(Type element, ArrayRef<int64_t> values) {
  SmallVector<Attribute> attrs;
  for (int64_t value : values)
    attrs.push_back(getIntegerAttr(element, value));
  if (values.size() == 1)
    return arith::ConstantOp::create(*this, cast<TypedAttr>(attrs.front()));
  auto type = cast<VectorType>(vec(element, values.size()));
  return arith::ConstantOp::create(*this, DenseElementsAttr::get(type, attrs));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value KernelBuilder::intCast(Value value, Type element) {
  unsigned from = elementOf(value.getType()).getIntOrFloatBitWidth();
  unsigned to = element.getIntOrFloatBitWidth();
  Type type = like(value.getType(), element);
  if (from == to)
    return value;
  if (from < to)
    return createOrFold<arith::ExtSIOp>(type, value);
  return createOrFold<arith::TruncIOp>(type, value);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

Value KernelBuilder::addF(Value a, Value b) {
  return arith::AddFOp::create(*this, a, b);
}
Value KernelBuilder::subF(Value a, Value b) {
  return arith::SubFOp::create(*this, a, b);
}
Value KernelBuilder::mulF(Value a, Value b) {
  return arith::MulFOp::create(*this, a, b);
}
Value KernelBuilder::divF(Value a, Value b) {
  return arith::DivFOp::create(*this, a, b);
}
Value KernelBuilder::negF(Value a) { return arith::NegFOp::create(*this, a); }
Value KernelBuilder::absF(Value a) { return LLVM::FAbsOp::create(*this, a); }
Value KernelBuilder::sqrtF(Value a) { return LLVM::SqrtOp::create(*this, a); }
Value KernelBuilder::roundF(Value a) {
  return LLVM::RoundEvenOp::create(*this, a);
}
Value KernelBuilder::floorF(Value a) {
  return LLVM::FFloorOp::create(*this, a);
}

Value KernelBuilder::fma(Value a, Value b, Value c) {
  // llvm.fma would become a call of fmaf below AVX2.
  return LLVM::FMulAddOp::create(*this, a, b, c);
}

Value KernelBuilder::maxF(Value a, Value b) {
  // Compare and select is exactly vmaxps; arith.maximumf takes six.
  return select(arith::CmpFOp::create(*this, arith::CmpFPredicate::OGT, a, b),
                a, b);
}

Value KernelBuilder::minF(Value a, Value b) {
  return select(arith::CmpFOp::create(*this, arith::CmpFPredicate::OLT, a, b),
                a, b);
}

Value KernelBuilder::bitcast(Value value, Type type) {
  return arith::BitcastOp::create(*this, type, value);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

Value KernelBuilder::broadcast(Value scalar, unsigned lanes) {
  if (lanes == 1 || isa<VectorType>(scalar.getType()))
    return scalar;
  return createOrFold<vector::BroadcastOp>(vec(scalar.getType(), lanes),
                                           scalar);
}

Value KernelBuilder::extract(Value vector, unsigned lane) {
  if (!isa<VectorType>(vector.getType()))
    return vector;
  return createOrFold<vector::ExtractOp>(vector, int64_t(lane));
}

Value KernelBuilder::insert(Value scalar, Value vector, unsigned lane) {
  return vector::InsertOp::create(*this, scalar, vector, int64_t(lane));
}

Value KernelBuilder::slice(Value vector, unsigned first, unsigned count) {
  if (count == 1)
    return extract(vector, first);
  if (count == lanesOf(vector))
    return vector;
  auto lanes = llvm::to_vector(llvm::seq<int64_t>(first, first + count));
  return shuffle(vector, vector, lanes);
}

Value KernelBuilder::shuffle(Value a, Value b, ArrayRef<int64_t> lanes) {
  return vector::ShuffleOp::create(*this, a, b, lanes);
}

Value KernelBuilder::horizontalSum(Value vector) {
  for (unsigned n = lanesOf(vector) / 2; n > 0; n /= 2)
    vector = addF(slice(vector, 0, n), slice(vector, n, n));
  return vector;
}

Value KernelBuilder::horizontalMax(Value vector) {
  for (unsigned n = lanesOf(vector) / 2; n > 0; n /= 2)
    vector = maxF(slice(vector, 0, n), slice(vector, n, n));
  return vector;
}

Value KernelBuilder::laneMask(unsigned lanes, Value count) {
  if (lanes == 1)
    return lt(i64(0), count);
  // 32-bit lanes: two 64-bit compares would be needed per vector otherwise.
  auto ids = lanesConstant(getI32Type(),
                           llvm::to_vector(llvm::seq<int64_t>(0, lanes)));
  Value limit = broadcast(intCast(count, getI32Type()), lanes);
  return lt(ids, limit);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

void KernelBuilder::forVectors(
    Value extent, unsigned lanes,
    llvm::function_ref<void(Value first, Value active)> body, int64_t unroll) {
  Value whole = roundDown(extent, lanes), from = i64(0);
  if (unroll > 1) {
    Value blocks = roundDown(extent, unroll * lanes);
    loop(from, blocks, unroll * lanes, [&](Value first) {
      for (int64_t u = 0; u < unroll; ++u)
        body(add(first, u * lanes), nullptr);
    });
    from = blocks;
  }
  loop(from, whole, lanes, [&](Value first) { body(first, nullptr); });
  Value rest = sub(extent, whole);
  if (lanes > 1)
    ifThen(lt(i64(0), rest), [&] { body(whole, rest); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::maskedLoad(Type type, Value address, Value mask) {
  return LLVM::MaskedLoadOp::create(*this, type, address, mask, zero(type),
                                    alignmentOf(type));
}

void KernelBuilder::maskedStore(Value value, Value address, Value mask) {
  LLVM::MaskedStoreOp::create(*this, value, address, mask,
                              alignmentOf(value.getType()));
}

void KernelBuilder::prefetch(Value address, bool forWrite) {
  LLVM::Prefetch::create(*this, address, forWrite, /*hint=*/3, /*cache=*/1);
}
