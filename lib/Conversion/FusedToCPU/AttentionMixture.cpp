//===- AttentionMixture.cpp - Weighted sums of values ---------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionTiles.h"
#include "ProductTile.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

namespace {
class Mixture {
public:
  Mixture(KernelBuilder &k, const AttentionShape &shape, ValueRange arguments)
      : k(k), shape(shape), f32(k.getF32Type()), values(arguments[0]),
        stride(arguments[1]), weights(arguments[2]), mixtures(arguments[3]),
        rescale(arguments[4]), first(arguments[5]), last(arguments[6]) {}

  void setStride(int64_t known) { stride = k.i64(known); }
  void emit();

private:
  void emitTile(Value base, ArrayRef<VectorPiece> columns);

  KernelBuilder &k;
  const AttentionShape &shape;
  Type f32;
  Value values, stride, weights, mixtures, rescale, first, last;
};
} // namespace

/// Columns, counted from column `base` on.
void Mixture::emitTile(Value base, ArrayRef<VectorPiece> columns) {
  ProductTile tile{shape.rows, {}};
  for (const VectorPiece &piece : columns)
    tile.columns.push_back(KernelBuilder::vec(f32, piece.lanes));
  auto weight = [&](unsigned i, Value key, int64_t plus) {
    return k.load(f32, k.gep(f32, k.gep(f32, weights, key),
                             k.i64(i * shape.keyBlock + plus)));
  };
  Value from = k.gep(f32, values, base);
  auto value = [&](unsigned j, Value key, int64_t plus) {
    Value at = k.gep(f32, from, k.mul(k.add(key, plus), stride));
    return k.load(tile.columns[j], k.gep(f32, at, k.i64(columns[j].first)));
  };
  SmallVector<Value> sums = tile.emit(k, first, last, weight, value);
  Value to = k.gep(f32, mixtures, base);
  for (unsigned i = 0; i < shape.rows; ++i) {
    Value factor = k.load(f32, k.gep(f32, rescale, k.i64(i)));
    for (auto [j, piece] : llvm::enumerate(columns)) {
      Value at = k.gep(f32, to, k.i64(i * shape.mixtureStride() + piece.first));
      Value before = k.load(tile.columns[j], at, piece.lanes * 4);
      k.store(k.fma(k.broadcast(factor, piece.lanes), before,
                    sums[i * columns.size() + j]),
              at, piece.lanes * 4);
    }
  }
}

void Mixture::emit() {
  int64_t lanes = k.target.lanes;
  SmallVector<VectorPiece> pieces = splitIntoVectors(shape.valueSize, lanes);
  if (pieces.empty())
    return;
  unsigned tiles = llvm::divideCeil(pieces.size(), shape.valueVectors);
  unsigned perTile = llvm::divideCeil(pieces.size(), tiles);
  // Wide values have many tiles alike.
  int64_t width = perTile * lanes, alike = shape.valueSize / width * width;
  if (alike > 4 * width) {
    k.loop(k.i64(0), k.i64(alike), width, [&](Value column) {
      emitTile(column, ArrayRef(pieces).take_front(perTile));
    });
    pieces.erase(pieces.begin(), pieces.begin() + alike / lanes);
  }
  for (ArrayRef<VectorPiece> rest = pieces; !rest.empty();) {
    ArrayRef<VectorPiece> columns = rest.take_front(perTile);
    emitTile(k.i64(0), columns);
    rest = rest.drop_front(columns.size());
  }
}

LLVM::LLVMFuncOp cpu::makeMixture(KernelLowering &lowering, StringRef suffix,
                                  const AttentionShape &shape,
                                  std::optional<int64_t> valueStride) {
  MLIRContext *context = lowering.getSkeleton()->getContext();
  Type ptr = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  return lowering.function(suffix, {ptr, i64, ptr, ptr, ptr, i64, i64}, Type(),
                           [&](KernelBuilder &k, ValueRange arguments) {
                             Mixture mixture(k, shape, arguments);
                             if (valueStride)
                               mixture.setStride(*valueStride);
                             mixture.emit();
                             return Value();
                           });
}
