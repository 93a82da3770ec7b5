//===- KernelBuilder.cpp - Writes kernel code -----------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// Types and constants
//===----------------------------------------------------------------------===//

Type KernelBuilder::ptr() { return LLVM::LLVMPointerType::get(getContext()); }

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

Value KernelBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value KernelBuilder::i32(int32_t value) {
  return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
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

std::optional<int64_t> KernelBuilder::constantOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value KernelBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}
Value KernelBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}
Value KernelBuilder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(a, b);
}

Value KernelBuilder::div(Value a, Value b) {
  std::optional<int64_t> divisor = constantOf(b);
  if (divisor && llvm::isPowerOf2_64(*divisor))
    return createOrFold<arith::ShRUIOp>(a, i64(llvm::Log2_64(*divisor)));
  return createOrFold<arith::DivUIOp>(a, b);
}

Value KernelBuilder::rem(Value a, Value b) {
  std::optional<int64_t> divisor = constantOf(b);
  if (divisor && llvm::isPowerOf2_64(*divisor))
    return createOrFold<arith::AndIOp>(a, i64(*divisor - 1));
  return createOrFold<arith::RemUIOp>(a, b);
}

Value KernelBuilder::ceilDiv(Value a, int64_t b) {
  return b == 1 ? a : div(add(a, b - 1), b);
}

Value KernelBuilder::roundDown(Value a, int64_t b) {
  return b == 1 ? a : mul(div(a, b), b);
}

Value KernelBuilder::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}
Value KernelBuilder::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(a, b);
}
Value KernelBuilder::lt(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b);
}
Value KernelBuilder::le(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, a, b);
}
Value KernelBuilder::eq(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}
Value KernelBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return createOrFold<arith::AndIOp>(a, b);
}

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

Value KernelBuilder::select(Value condition, Value a, Value b) {
  return createOrFold<arith::SelectOp>(condition, a, b);
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
// Memory
//===----------------------------------------------------------------------===//

Value KernelBuilder::gep(Type element, Value base, Value index) {
  if (constantOf(index) == 0)
    return base;
  std::optional<int64_t> fixed = constantOf(index);
  if (fixed && llvm::isInt<32>(*fixed))
    return LLVM::GEPOp::create(*this, ptr(), element, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(*fixed)});
  return LLVM::GEPOp::create(*this, ptr(), element, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

static unsigned alignmentOf(Type type, unsigned alignment) {
  if (alignment)
    return alignment;
  Type element = KernelBuilder::elementOf(type);
  return element.isIntOrFloat()
             ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
             : 8;
}

Value KernelBuilder::load(Type type, Value address, unsigned alignment) {
  return LLVM::LoadOp::create(*this, type, address,
                              alignmentOf(type, alignment));
}

void KernelBuilder::store(Value value, Value address, unsigned alignment) {
  LLVM::StoreOp::create(*this, value, address,
                        alignmentOf(value.getType(), alignment));
}

Value KernelBuilder::maskedLoad(Type type, Value address, Value mask) {
  return LLVM::MaskedLoadOp::create(*this, type, address, mask, zero(type),
                                    alignmentOf(type, 0));
}

void KernelBuilder::maskedStore(Value value, Value address, Value mask) {
  LLVM::MaskedStoreOp::create(*this, value, address, mask,
                              alignmentOf(value.getType(), 0));
}

void KernelBuilder::prefetch(Value address, bool forWrite) {
  LLVM::Prefetch::create(*this, address, forWrite, /*hint=*/3, /*cache=*/1);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// scf.for hands only attributes of the llvm dialect on to its branch.
static void disableUnrolling(KernelBuilder &k, scf::ForOp loop) {
  auto unroll = LLVM::LoopUnrollAttr::get(
      k.getContext(), /*disable=*/k.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    k.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
                    /*interleave=*/{}, unroll, {}, {}, {}, {}, {}, {}, {}, {},
                    {}, {}, {}));
}

SmallVector<Value> KernelBuilder::loop(Value from, Value to, int64_t step,
                                       ValueRange carried, LoopBody body) {
  Value stepValue = i64(step);
  auto loop =
      scf::ForOp::create(*this, from, to, stepValue, carried,
                         [&](OpBuilder &, Location, Value iv, ValueRange args) {
                           SmallVector<Value> yields = body(iv, args);
                           scf::YieldOp::create(*this, yields);
                         });
  disableUnrolling(*this, loop);
  return llvm::to_vector_of<Value>(loop.getResults());
}

void KernelBuilder::loop(Value from, Value to, int64_t step,
                         llvm::function_ref<void(Value)> body) {
  loop(from, to, step, {}, [&](Value iv, ValueRange) -> SmallVector<Value> {
    body(iv);
    return {};
  });
}

void KernelBuilder::ifThen(Value condition, llvm::function_ref<void()> then) {
  std::optional<int64_t> known = constantOf(condition);
  if (known)
    return *known ? then() : void();
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
}

SmallVector<Value> KernelBuilder::ifElse(Value condition, TypeRange types,
                                         Branch then, Branch otherwise) {
  if (std::optional<int64_t> known = constantOf(condition))
    return *known ? then() : otherwise();
  auto op = scf::IfOp::create(*this, types, condition, /*withElseRegion=*/true);
  auto fill = [&](Block *block, Branch branch) {
    InsertionGuard guard(*this);
    setInsertionPointToStart(block);
    SmallVector<Value> yields = branch();
    if (!types.empty())
      scf::YieldOp::create(*this, yields);
  };
  fill(op.thenBlock(), then);
  fill(op.elseBlock(), otherwise);
  return llvm::to_vector_of<Value>(op.getResults());
}
