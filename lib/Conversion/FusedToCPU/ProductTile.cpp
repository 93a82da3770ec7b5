//===- ProductTile.cpp - Sums of products on registers --------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTile.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

SmallVector<VectorPiece> cpu::splitIntoVectors(int64_t size, unsigned lanes) {
  SmallVector<VectorPiece> pieces;
  for (int64_t first = 0; first < size;) {
    while (first + lanes > size)
      lanes /= 2;
    pieces.push_back({first, lanes});
    first += lanes;
  }
  return pieces;
}

unsigned ProductTile::sets(const TargetInfo &target) const {
  unsigned accumulators = rows * columns.size(), sets = 1;
  while (sets < unroll && accumulators * sets < 8 &&
         accumulators * sets * 2 + columns.size() + 2 <= target.registers)
    sets *= 2;
  return sets;
}

void ProductTile::step(KernelBuilder &k, MutableArrayRef<Value> sums, Value t,
                       int64_t plus, Operand a, Operand b) const {
  SmallVector<Value> vectors;
  for (unsigned j = 0; j < columns.size(); ++j)
    vectors.push_back(b(j, t, plus));
  for (unsigned i = 0; i < rows; ++i) {
    Value scalar = a(i, t, plus);
    for (unsigned j = 0; j < columns.size(); ++j) {
      Value &sum = sums[i * columns.size() + j];
      Value factor = k.broadcast(scalar, KernelBuilder::lanesOf(columns[j]));
      sum = k.fma(factor, vectors[j], sum);
    }
  }
}

SmallVector<Value> ProductTile::emit(KernelBuilder &k, Value from, Value to,
                                     Operand a, Operand b) const {
  unsigned perSet = rows * columns.size(), sets = this->sets(k.target);
  SmallVector<Value> sums;
  while (sums.size() < sets * perSet)
    sums.push_back(k.zero(columns[sums.size() % columns.size()]));
  auto setOf = [&](MutableArrayRef<Value> all, unsigned number) {
    return all.slice(number % sets * perSet, perSet);
  };

  Value count = k.sub(to, from);
  std::optional<int64_t> known = KernelBuilder::constantOf(count);
  // Short sums are straight line.
  Value body = known && *known <= 2 * unroll
                   ? from
                   : k.add(from, k.roundDown(count, unroll));
  if (body != from)
    sums = k.loop(from, body, unroll, sums, [&](Value t, ValueRange carried) {
      SmallVector<Value> next(carried);
      for (unsigned u = 0; u < unroll; ++u)
        step(k, setOf(next, u), t, u, a, b);
      return next;
    });
  if (known) {
    int64_t done = body == from ? 0 : *known / unroll * unroll;
    for (int64_t u = 0; u < *known - done; ++u)
      step(k, setOf(sums, u), body, u, a, b);
  } else {
    sums = k.loop(body, to, 1, sums, [&](Value t, ValueRange carried) {
      SmallVector<Value> next(carried);
      step(k, setOf(next, 0), t, 0, a, b);
      return next;
    });
  }
  for (unsigned n = perSet; n < sums.size(); ++n)
    sums[n % perSet] = k.addF(sums[n % perSet], sums[n]);
  sums.truncate(perSet);
  return sums;
}
