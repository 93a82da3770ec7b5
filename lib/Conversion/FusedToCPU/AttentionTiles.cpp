//===- AttentionTiles.cpp - Register tiles of attention -------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"
#include "ProductTile.h"
#include "sinter/Conversion/FusedToCPU/VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

/// A key that does not count has this score, so its weight is exactly 0.
static constexpr double noScore = -std::numeric_limits<double>::infinity();
/// The maximum of a row that has seen no key: finite, so that no difference of
/// a score and a maximum is NaN, and no finite score is below it.
static constexpr double lowestMaximum = -std::numeric_limits<float>::max();

//===----------------------------------------------------------------------===//
// Shape
//===----------------------------------------------------------------------===//

/// Columns of a register tile such that accumulators, a vector of each column
/// and a broadcast fit; a power of two, at most 8 streams.
static unsigned columnsFor(const TargetInfo &target, unsigned rows,
                           unsigned atMost) {
  unsigned reserved = target.hasFma ? 1 : 2, columns = 1;
  while (columns * 2 <= atMost &&
         (rows + 1) * columns * 2 + reserved <= target.registers)
    columns *= 2;
  return columns;
}

AttentionShape AttentionShape::get(const TargetInfo &target, int64_t keySize,
                                   int64_t valueSize, unsigned rows,
                                   int64_t blockRows, int64_t keyBlock) {
  // 64 keys side by side: four panels, each its own stream.
  unsigned keyVectors = columnsFor(target, rows, 64 / target.lanes);
  // One row takes its values from memory, which should be read in long pieces.
  unsigned valueVectors = rows == 1 ? 8 : columnsFor(target, rows, 8);
  return {keySize,     valueSize, rows,
          blockRows,   keyBlock,  std::min(keyVectors, 8u),
          valueVectors};
}

int64_t AttentionShape::scratchBytes(const TargetInfo &target) const {
  int64_t floats = paddedRows() * (keySize + mixtureStride() + 3) +
                   rows * (keyBlock + target.lanes);
  // Each of the seven parts starts on a cache line.
  return floats * 4 + 7 * 64;
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

AttentionTiles::AttentionTiles(KernelBuilder &k, const AttentionShape &shape,
                               LLVM::LLVMFuncOp mixture, Value scratch)
    : k(k), shape(shape), mixture(mixture), f32(k.getF32Type()),
      vector(KernelBuilder::vec(f32, k.target.lanes)), lanes(k.target.lanes) {
  int64_t offset = 0;
  auto part = [&](int64_t floats) {
    Value base = k.gep(f32, scratch, k.i64(offset));
    offset += (floats + 15) / 16 * 16;
    return base;
  };
  queryBase = part(shape.paddedRows() * shape.keySize);
  mixtureBase = part(shape.paddedRows() * shape.mixtureStride());
  scoreBase = part(shape.rows * shape.keyBlock);
  tileMaxBase = part(shape.rows * lanes);
  maximumBase = part(shape.paddedRows());
  sumBase = part(shape.paddedRows());
  rescaleBase = part(shape.paddedRows());
}

Value AttentionTiles::scoreAddress(Value i, Value column) {
  return k.gep(f32, k.gep(f32, scoreBase, column), k.mul(i, shape.keyBlock));
}

Value AttentionTiles::rowValue(Value array, Value row) {
  return k.gep(f32, array, row);
}

Value AttentionTiles::query(Value row) const {
  return k.gep(f32, queryBase, k.mul(row, shape.keySize));
}

void AttentionTiles::startRow(Value row, Value sink) {
  Value maximum = k.constant(f32, lowestMaximum), sum = k.zero(f32);
  if (sink) {
    // As a key's score is treated: a NaN stays out of the maximum only.
    maximum = k.maxF(sink, maximum);
    sum = weightOf(sink, exponent(maximum));
  }
  k.store(maximum, rowValue(maximumBase, row));
  k.store(sum, rowValue(sumBase, row));
  Value base = k.gep(f32, mixtureBase, k.mul(row, shape.mixtureStride()));
  k.loop(k.i64(0), k.i64(shape.mixtureStride()), lanes, [&](Value column) {
    k.store(k.zero(vector), k.gep(f32, base, column), lanes * 4);
  });
}

void AttentionTiles::startGroup() {
  for (unsigned row = 0; row < shape.rows; ++row)
    k.store(k.constant(vector, lowestMaximum),
            k.gep(f32, tileMaxBase, k.i64(row * lanes)), lanes * 4);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Value AttentionTiles::keys(const AttentionHead &head, Value key) {
  Value panel = k.mul(k.div(key, 16), shape.keySize * 16);
  return k.gep(f32, head.keyPanels, k.add(panel, k.rem(key, 16)));
}

Value AttentionTiles::keyVector(Value keys, unsigned vector, Value d,
                                int64_t plus) {
  int64_t first = vector * lanes;
  int64_t offset = first / 16 * shape.keySize * 16 + plus * 16 + first % 16;
  Value at = k.gep(f32, k.gep(f32, keys, k.mul(d, 16)), k.i64(offset));
  return k.load(this->vector, at, lanes * 4);
}

SmallVector<Value> AttentionTiles::products(const AttentionHead &head,
                                            Value row, Value key,
                                            unsigned vectors) {
  Value queries = query(row), base = keys(head, key);
  auto queryNumber = [&](unsigned i, Value d, int64_t plus) {
    return k.load(f32, k.gep(f32, k.gep(f32, queries, d),
                             k.i64(i * shape.keySize + plus)));
  };
  auto keyNumbers = [&](unsigned j, Value d, int64_t plus) {
    return keyVector(base, j, d, plus);
  };
  ProductTile tile{shape.rows, SmallVector<Type>(vectors, vector)};
  // LLVM loads all unrolled rows of the first panel at once: four of them
  // beside 24 accumulators would spill.
  if (shape.rows * vectors > 16)
    tile.unroll = 2;
  return tile.emit(k, k.i64(0), k.i64(shape.keySize), queryNumber, keyNumbers);
}

void AttentionTiles::putProduct(Value i, Value column, Value product) {
  k.store(product, scoreAddress(i, column));
}

SmallVector<Value> AttentionTiles::productsAt(Value i, Value column,
                                              unsigned vectors) {
  SmallVector<Value> products;
  for (unsigned j = 0; j < vectors; ++j)
    products.push_back(
        k.load(vector, k.gep(f32, scoreAddress(i, column), k.i64(j * lanes)),
               lanes * 4));
  return products;
}

void AttentionTiles::putScores(Value i, Value column, ArrayRef<Score> scores) {
  Value maxAddress = k.gep(f32, tileMaxBase, k.mul(i, lanes));
  Value maximum = k.load(vector, maxAddress, lanes * 4);
  Value to = scoreAddress(i, column);
  for (auto [j, made] : llvm::enumerate(scores)) {
    Value s = made.score;
    if (made.visible)
      s = k.select(made.visible, s, k.constant(vector, noScore));
    k.store(s, k.gep(f32, to, k.i64(j * lanes)), lanes * 4);
    // A NaN does not enter the maximum; it makes the sum NaN.
    maximum = k.maxF(s, maximum);
  }
  k.store(maximum, maxAddress, lanes * 4);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// exp2(score * scale + shift) is exp(score - maximum), but for a factor that a
/// row's weights share: the shift is rounded, by up to |maximum| 2^-24. Numbers
/// so large that this factor could leave the range are equal or further apart
/// than any weight reaches: there a power of two keeps equal ones at exactly 0.
AttentionTiles::Exponent AttentionTiles::exponent(Value maximum) {
  const double large = std::ldexp(1.0, 30);
  Value isLarge = arith::CmpFOp::create(
      k, arith::CmpFPredicate::OGT, k.absF(maximum), k.constant(f32, large));
  Value scale = k.select(isLarge, k.constant(f32, 1.0), k.constant(f32, log2e));
  return {scale, k.negF(k.mulF(maximum, scale))};
}

Value AttentionTiles::weightOf(Value scores, const Exponent &exponent) {
  unsigned width = KernelBuilder::lanesOf(scores);
  return exp2(k,
              k.fma(scores, k.broadcast(exponent.scale, width),
                    k.broadcast(exponent.shift, width)),
              Exp2Range::Softmax);
}

void AttentionTiles::softmax(Value row, Value first, Value last) {
  k.loop(k.i64(0), k.i64(shape.rows), 1, [&](Value i) {
    Value at = k.add(row, i);
    Value tileMax =
        k.load(vector, k.gep(f32, tileMaxBase, k.mul(i, lanes)), lanes * 4);
    Value before = k.load(f32, rowValue(maximumBase, at));
    Value maximum = k.maxF(k.horizontalMax(tileMax), before);
    k.store(maximum, rowValue(maximumBase, at));
    Exponent exponent = this->exponent(maximum);
    // A maximum that stays leaves sums as they are, whatever its weight.
    Value rescale = k.select(
        arith::CmpFOp::create(k, arith::CmpFPredicate::OEQ, before, maximum),
        k.constant(f32, 1.0),
        k.extract(weightOf(k.broadcast(before, lanes), exponent), 0));
    k.store(rescale, rowValue(rescaleBase, at));

    Value scores = k.gep(f32, scoreBase, k.mul(i, shape.keyBlock));
    SmallVector<Value> sums =
        k.loop(first, last, lanes, {k.zero(vector)},
               [&](Value column, ValueRange carried) -> SmallVector<Value> {
                 Value address = k.gep(f32, scores, column);
                 Value weight =
                     weightOf(k.load(vector, address, lanes * 4), exponent);
                 k.store(weight, address, lanes * 4);
                 return {k.addF(carried[0], weight)};
               });
    Value sum = k.load(f32, rowValue(sumBase, at));
    k.store(k.addF(k.mulF(sum, rescale), k.horizontalSum(sums[0])),
            rowValue(sumBase, at));
  });
}

//===----------------------------------------------------------------------===//
// Mixture
//===----------------------------------------------------------------------===//

void AttentionTiles::mix(const AttentionHead &head, Value row, Value key,
                         Value first, Value last) {
  callFunction(k, mixture,
               {k.gep(f32, head.values, k.mul(key, head.valueStride)),
                head.valueStride, scoreBase,
                k.gep(f32, mixtureBase, k.mul(row, shape.mixtureStride())),
                rowValue(rescaleBase, row), first, last});
}

//===----------------------------------------------------------------------===//
// What is left of a row
//===----------------------------------------------------------------------===//

/// 0 for a row that has seen nothing.
Value AttentionTiles::reciprocalSum(Value row) {
  Value sum = k.load(f32, rowValue(sumBase, row));
  Value empty =
      arith::CmpFOp::create(k, arith::CmpFPredicate::OEQ, sum, k.zero(f32));
  return k.select(empty, k.zero(f32), k.divF(k.constant(f32, 1.0), sum));
}

void AttentionTiles::finishRow(
    Value row, llvm::function_ref<void(Value column, Value values)> store) {
  Value scale = reciprocalSum(row);
  Value mixture = k.gep(f32, mixtureBase, k.mul(row, shape.mixtureStride()));
  auto piece = [&](Value column, unsigned width) {
    Value at = k.gep(f32, mixture, column);
    Value values = k.load(KernelBuilder::vec(f32, width), at, width * 4);
    store(column, k.mulF(values, k.broadcast(scale, width)));
  };
  int64_t whole = shape.valueSize / lanes * lanes;
  k.loop(k.i64(0), k.i64(whole), lanes,
         [&](Value column) { piece(column, lanes); });
  for (const VectorPiece &rest : splitIntoVectors(shape.valueSize, lanes))
    if (rest.first >= whole)
      piece(k.i64(rest.first), rest.lanes);
}

Value AttentionTiles::logSumExp(Value row) {
  Value maximum = k.load(f32, rowValue(maximumBase, row));
  Value sum = k.load(f32, rowValue(sumBase, row));
  // The logarithm of 0, a row that has seen nothing, is -inf.
  return k.addF(maximum, log(k, sum));
}

Value AttentionTiles::weights(Value row, Value scores) {
  unsigned lanes = KernelBuilder::lanesOf(scores);
  Value maximum = k.load(f32, rowValue(maximumBase, row));
  Value weight = k.mulF(weightOf(scores, exponent(maximum)),
                        k.broadcast(reciprocalSum(row), lanes));
  // A row that is NaN has no weight either where no key counts.
  Value none = arith::CmpFOp::create(k, arith::CmpFPredicate::OEQ, scores,
                                     k.constant(scores.getType(), noScore));
  return k.select(none, k.zero(scores.getType()), weight);
}
