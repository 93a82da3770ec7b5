//===- MaskOracle.cpp - A mask, its analysis and brute force --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MaskOracle.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::test;

/// Reads stand in regions of fused ops only.
Mask::Mask(const std::string &body) {
  context.loadDialect<arith::ArithDialect, fused::FusedDialect,
                      math::MathDialect>();
  std::string text = R"(
!q = memref<1x1x8x1xf32>
!bits = memref<4x5xi1>
!ints = memref<6xi32>
fused.kernel @m {
^bb0(%query: !q, %n0: memref<1xindex>, %v0: memref<8x8xi1>, %bits0: !bits, %ints0: !ints, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
    ins(%query by (b, h, q, d), %query by (b, h, k, d), %query by (b, h, k, e) : !q, !q, !q)
    outs(%o by (b, h, q, e) : !q)
    mask captures(%n0 by (b), %v0 by (q, k), %bits0, %ints0 : memref<1xindex>, memref<8x8xi1>, !bits, !ints) {
    ^bb0(%b: index, %h: index, %q: index, %k: index, %n: index, %varies: i1, %bits: !bits, %ints: !ints):
)" + body + "\nfused.yield %r : i1 } }";
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return;
  builder.emplace(&context);
  scratch = ModuleOp::create(UnknownLoc::get(&context));
  builder->setInsertionPointToStart(scratch->getBody());
}

Region &Mask::region() {
  Region *found = nullptr;
  module->walk([&](fused::AttentionOp op) { found = &op.getMask(); });
  return *found;
}

/// Captures that vary or are tables, as numbers that look arbitrary.
static bool variesAt(int64_t q, int64_t k) { return (q * 7 + k * 3) % 5 < 2; }
static bool bitAt(int64_t i, int64_t j) { return (i * 5 + j * 3) % 7 < 3; }
static int32_t intAt(int64_t i) { return int32_t(i * i * 5 % 13) - 3; }

Value Mask::read(fused::ReadOp op, ValueRange indices) {
  auto clamped = [&](unsigned i, int64_t extent) {
    return std::min(std::max<int64_t>(number(indices[i]), 0), extent - 1);
  };
  bool isBit = op.getResult().getType().isInteger(1);
  int64_t value = isBit ? bitAt(clamped(0, rows), clamped(1, columns))
                        : intAt(clamped(0, numbers));
  return arith::ConstantIntOp::create(*builder, loc(), value, isBit ? 1 : 32);
}

bool Mask::at(int64_t q, int64_t k, int64_t n) {
  Block &block = region().front();
  IRMapping mapping;
  int64_t own[] = {0, head, q, k, n};
  for (auto [argument, value] : llvm::zip(block.getArguments(), own))
    mapping.map(argument, index(value));
  mapping.map(block.getArgument(5),
              arith::ConstantIntOp::create(*builder, loc(), variesAt(q, k), 1));
  for (Operation &op : block.without_terminator()) {
    if (op.hasTrait<OpTrait::ConstantLike>()) {
      builder->clone(op, mapping);
      continue;
    }
    if (auto read = dyn_cast<fused::ReadOp>(op)) {
      SmallVector<Value> indices;
      for (Value at : read.getIndices())
        indices.push_back(mapping.lookup(at));
      mapping.map(read.getResult(), this->read(read, indices));
      continue;
    }
    Operation *copy = op.clone(mapping);
    SmallVector<Value> results;
    EXPECT_TRUE(succeeded(builder->tryFold(copy, results)));
    mapping.map(op.getResults(), results);
    copy->erase();
  }
  return truth(mapping.lookup(block.getTerminator()->getOperand(0)));
}

TileState Mask::tile(const Box &box, int64_t n) {
  return emitTileState(
      *builder, loc(), region(), maskBox(box),
      {index(n), Value(), Value(), Value()},
      [&](fused::ReadOp op, ValueRange indices) { return read(op, indices); });
}

KeyRange Mask::keys(const Box &box, int64_t n) {
  return emitKeyRange(
      *builder, loc(), region(), maskBox(box),
      {index(n), Value(), Value(), Value()},
      [&](fused::ReadOp op, ValueRange indices) { return read(op, indices); });
}

int64_t Mask::number(Value value) {
  APInt constant;
  EXPECT_TRUE(matchPattern(value, m_ConstantInt(&constant)));
  return constant.getBitWidth() == 1 ? constant.getZExtValue()
                                     : constant.getSExtValue();
}

Value Mask::index(int64_t value) {
  return arith::ConstantIndexOp::create(*builder, loc(), value);
}

MaskBox Mask::maskBox(const Box &box) {
  return {index(0),      index(head),   index(box.q0),
          index(box.q1), index(box.k0), index(box.k1)};
}

Truth sinter::test::bruteForce(Mask &mask, const Box &box, int64_t n) {
  Truth truth;
  for (int64_t q = box.q0; q < box.q1; ++q)
    for (int64_t k = box.k0; k < box.k1; ++k) {
      bool seen = mask.at(q, k, n);
      truth.any |= seen;
      truth.all &= seen;
    }
  return truth;
}

void sinter::test::expectSound(Mask &mask, const Box &box, int64_t n) {
  Truth truth = bruteForce(mask, box, n);
  TileState state = mask.tile(box, n);
  std::string where = llvm::formatv("q [{0}, {1}) k [{2}, {3}) n {4}", box.q0,
                                    box.q1, box.k0, box.k1, n);
  EXPECT_TRUE(!truth.any || mask.truth(state.may)) << where;
  EXPECT_TRUE(truth.all || !mask.truth(state.must)) << where;
  KeyRange range = mask.keys(box, n);
  int64_t begin = mask.number(range.begin), end = mask.number(range.end);
  int64_t fullBegin = mask.number(range.fullBegin);
  int64_t fullEnd = mask.number(range.fullEnd);
  EXPECT_LE(box.k0, begin) << where;
  EXPECT_LE(end, box.k1) << where;
  if (fullBegin < fullEnd) {
    EXPECT_LE(begin, fullBegin) << where;
    EXPECT_LE(fullEnd, end) << where;
  }
  for (int64_t k = box.k0; k < box.k1; ++k) {
    Truth column = bruteForce(mask, {box.q0, box.q1, k, k + 1}, n);
    bool inside = begin <= k && k < end;
    bool full = fullBegin <= k && k < fullEnd;
    EXPECT_TRUE(inside || !column.any) << where << " key " << k;
    EXPECT_TRUE(!full || column.all) << where << " key " << k;
  }
}
