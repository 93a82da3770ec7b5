//===- HostBuilder.cpp - Integers, memory and control ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToHost/HostBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::host;

Type HostBuilder::ptr() { return LLVM::LLVMPointerType::get(getContext()); }

Value HostBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(*this, getI64IntegerAttr(value));
}

Value HostBuilder::i32(int32_t value) {
  return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
}

std::optional<int64_t> HostBuilder::constantOf(Value value) {
  APInt constant;
  if (value && matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

Value HostBuilder::add(Value a, Value b) {
  return createOrFold<arith::AddIOp>(a, b);
}
Value HostBuilder::sub(Value a, Value b) {
  return createOrFold<arith::SubIOp>(a, b);
}
Value HostBuilder::mul(Value a, Value b) {
  return createOrFold<arith::MulIOp>(a, b);
}

Value HostBuilder::div(Value a, Value b) {
  std::optional<int64_t> divisor = constantOf(b);
  if (divisor && llvm::isPowerOf2_64(*divisor))
    return createOrFold<arith::ShRUIOp>(a, i64(llvm::Log2_64(*divisor)));
  return createOrFold<arith::DivUIOp>(a, b);
}

Value HostBuilder::rem(Value a, Value b) {
  std::optional<int64_t> divisor = constantOf(b);
  if (divisor && llvm::isPowerOf2_64(*divisor))
    return createOrFold<arith::AndIOp>(a, i64(*divisor - 1));
  return createOrFold<arith::RemUIOp>(a, b);
}

Value HostBuilder::ceilDiv(Value a, int64_t b) {
  return b == 1 ? a : div(add(a, b - 1), b);
}

Value HostBuilder::roundDown(Value a, int64_t b) {
  return b == 1 ? a : mul(div(a, b), b);
}

Value HostBuilder::min(Value a, Value b) {
  return createOrFold<arith::MinSIOp>(a, b);
}
Value HostBuilder::max(Value a, Value b) {
  return createOrFold<arith::MaxSIOp>(a, b);
}
Value HostBuilder::lt(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::slt, a, b);
}
Value HostBuilder::le(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sle, a, b);
}
Value HostBuilder::eq(Value a, Value b) {
  return createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, a, b);
}
Value HostBuilder::both(Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return createOrFold<arith::AndIOp>(a, b);
}

Value HostBuilder::select(Value condition, Value a, Value b) {
  return createOrFold<arith::SelectOp>(condition, a, b);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value HostBuilder::gep(Type element, Value base, Value index) {
  if (constantOf(index) == 0)
    return base;
  std::optional<int64_t> fixed = constantOf(index);
  if (fixed && llvm::isInt<32>(*fixed))
    return LLVM::GEPOp::create(*this, ptr(), element, base,
                               ArrayRef<LLVM::GEPArg>{int32_t(*fixed)});
  return LLVM::GEPOp::create(*this, ptr(), element, base,
                             ArrayRef<LLVM::GEPArg>{index});
}

unsigned HostBuilder::alignmentOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat()
             ? std::max(1u, element.getIntOrFloatBitWidth() / 8)
             : 8;
}

Value HostBuilder::load(Type type, Value address, unsigned alignment) {
  return LLVM::LoadOp::create(*this, type, address,
                              alignment ? alignment : alignmentOf(type));
}

void HostBuilder::store(Value value, Value address, unsigned alignment) {
  LLVM::StoreOp::create(*this, value, address,
                        alignment ? alignment : alignmentOf(value.getType()));
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// scf.for hands only attributes of the llvm dialect on to its branch.
static void disableUnrolling(HostBuilder &k, scf::ForOp loop) {
  auto unroll = LLVM::LoopUnrollAttr::get(
      k.getContext(), /*disable=*/k.getBoolAttr(true), {}, {}, {}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation",
                LLVM::LoopAnnotationAttr::get(
                    k.getContext(), /*disableNonforced=*/{}, /*vectorize=*/{},
                    /*interleave=*/{}, unroll, {}, {}, {}, {}, {}, {}, {}, {},
                    {}, {}, {}));
}

SmallVector<Value> HostBuilder::loop(Value from, Value to, int64_t step,
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

void HostBuilder::loop(Value from, Value to, int64_t step,
                       llvm::function_ref<void(Value)> body) {
  loop(from, to, step, {}, [&](Value iv, ValueRange) -> SmallVector<Value> {
    body(iv);
    return {};
  });
}

void HostBuilder::ifThen(Value condition, llvm::function_ref<void()> then) {
  std::optional<int64_t> known = constantOf(condition);
  if (known)
    return *known ? then() : void();
  auto op = scf::IfOp::create(*this, condition, /*withElseRegion=*/false);
  InsertionGuard guard(*this);
  setInsertionPointToStart(op.thenBlock());
  then();
}

SmallVector<Value> HostBuilder::ifElse(Value condition, TypeRange types,
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
