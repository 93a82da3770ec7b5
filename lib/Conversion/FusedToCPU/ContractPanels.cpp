//===- ContractPanels.cpp - Activations as weight panels ------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An activation [.., n, k] as second operand: a task turns its columns into
// panels [n / 16][k][16] once, square by square in registers, for all its rows.
//
//===----------------------------------------------------------------------===//

#include "ContractTile.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

static constexpr int64_t panel = TargetInfo::panelColumns;
/// Larger panels leave L2, and scratch is per worker.
static constexpr int64_t mostPanelBytes = 1024 * 1024;

bool ContractTile::wantsPanels() {
  int64_t depth = lowering.staticExtent(rowDims + 1);
  if (packed || !sharesWeights() || ShapedType::isDynamic(depth) ||
      depth * 4 * panel * 4 * paired() > mostPanelBytes)
    return false;
  AffineExpr k = getAffineDimExpr(rowDims + 1, op.getContext());
  for (auto [weight, map] : llvm::zip_equal(
           segment.getWeights(),
           segment.getWeightMaps().getAsValueRange<AffineMapAttr>())) {
    bool others =
        llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(rowDims + 1);
        });
    if (fused::getLayout(weight.getType()) || map.getResults().back() != k ||
        others)
      return false;
  }
  return true;
}

int64_t ContractTile::scratchBytes() {
  return packs()
             ? panelColumns * lowering.staticExtent(rowDims + 1) * 4 * paired()
             : 0;
}

/// Rows become columns, in log2 steps that swap ever larger blocks.
static void transpose(KernelBuilder &k, MutableArrayRef<Value> rows) {
  int64_t lanes = rows.size();
  for (int64_t block = 1; block < lanes; block *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      bool right = lane & block;
      upper.push_back(right ? lanes + lane - block : lane);
      lower.push_back(right ? lanes + lane : lane + block);
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & block)
        continue;
      Value a = rows[i], b = rows[i + block];
      rows[i] = k.shuffle(a, b, upper);
      rows[i + block] = k.shuffle(a, b, lower);
    }
  }
}

/// The 16 columns from `column` on.
void ContractTile::packPanel(KernelBuilder &k, const Operands &at,
                             const Row &row, unsigned weight, Value column) {
  unsigned lanes = k.target.lanes;
  Type f32 = k.getF32Type(), vector = KernelBuilder::vec(f32, lanes);
  Value zero = k.i64(0), depth = at.extents.back();
  const TensorView &view = at.weights[weight];
  AffineMap map =
      cast<AffineMapAttr>(segment.getWeightMaps()[weight]).getValue();
  Value last = k.sub(at.extents[rowDims], k.i64(1));
  SmallVector<Value> sources;
  for (int64_t c = 0; c < panel; ++c) {
    LaneIndex n = LaneIndex::uniform(k.min(k.add(column, c), last));
    LaneAddress address = locate(k, view, map, dimsOf(k, row, n, zero));
    sources.push_back(k.gep(f32, view.pointer, address.offset.base));
  }
  Value to =
      k.gep(f32, at.panels, k.mul(depth, k.add(column, weight * panelColumns)));
  Value whole = k.roundDown(depth, lanes);
  k.loop(zero, whole, lanes, [&](Value t) {
    for (int64_t first = 0; first < panel; first += lanes) {
      SmallVector<Value> square;
      for (unsigned i = 0; i < lanes; ++i)
        square.push_back(k.load(vector, k.gep(f32, sources[first + i], t)));
      transpose(k, square);
      Value at = k.gep(f32, to, k.mul(t, panel));
      for (unsigned i = 0; i < lanes; ++i)
        k.store(square[i], k.gep(f32, at, k.i64(i * panel + first)), 4 * lanes);
    }
  });
  k.loop(whole, depth, 1, [&](Value t) {
    Value at = k.gep(f32, to, k.mul(t, panel));
    for (int64_t c = 0; c < panel; ++c)
      k.store(k.load(f32, k.gep(f32, sources[c], t)), k.gep(f32, at, k.i64(c)));
  });
}

LLVM::LLVMFuncOp ContractTile::emitPack() {
  Builder builder(op.getContext());
  Type ptr = LLVM::LLVMPointerType::get(op.getContext());
  Type i64 = builder.getI64Type();
  return lowering.function(
      llvm::formatv("_s{0}_panels", number).str(), {ptr, i64, i64, i64, ptr},
      Type(), [&](KernelBuilder &k, ValueRange arguments) {
        Operands at = operands(k, arguments[0]);
        if (!ShapedType::isDynamic(segment.getN()))
          at.extents[rowDims] = k.i64(segment.getN());
        at.panels = arguments[4];
        Row row = rowsFrom(k, at, arguments[1], 1)[0];
        k.loop(arguments[2], arguments[3], panel, [&](Value column) {
          for (unsigned weight = 0; weight < paired(); ++weight)
            packPanel(k, at, row, weight, column);
        });
        return Value();
      });
}
