//===- AttentionMask.cpp - What a mask skips, as a region -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The analysis emits scalar operations. They go into a region of their own,
// which is printed like one of the model's.
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
#include "sinter/Analysis/AttentionAccess.h"
#include "sinter/Analysis/MaskTiles.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

namespace {
/// A region with arguments b, h, ends of queries and keys, then captures.
class MaskRegion {
public:
  MaskRegion(fused::AttentionOp op, bool sharesHead);

  Region &mask() { return op.getMask(); }
  KeyRange keyRange() {
    return emitKeyRange(builder, op.getLoc(), mask(), box, captures, reader());
  }
  TileState tileState() {
    return emitTileState(builder, op.getLoc(), mask(), box, captures, reader());
  }
  LogicalResult print(SpecPrinter &spec, const Twine &name, ValueRange yields);

private:
  /// Own arguments of a mask.
  static constexpr unsigned ownArguments = 4;

  Value add(Type type, RegionBinding binding) {
    bindings.push_back(binding);
    return block->addArgument(type, op.getLoc());
  }
  void addCaptures(bool sharesHead);
  Value readTable(fused::ReadOp read, ValueRange indices);
  llvm::function_ref<Value(fused::ReadOp, ValueRange)> reader() { return read; }

  fused::AttentionOp op;
  Region region;
  Block *block;
  OpBuilder builder;
  MaskBox box;
  SmallVector<RegionBinding> bindings;
  /// Of the mask's captures: a scalar, or null.
  SmallVector<Value> captures;
  /// Of the mask's captures: a table, or null.
  SmallVector<Value> tables;
  std::function<Value(fused::ReadOp, ValueRange)> read;
};
} // namespace

MaskRegion::MaskRegion(fused::AttentionOp op, bool sharesHead)
    : op(op), block(&region.emplaceBlock()), builder(op.getContext()),
      read([this](fused::ReadOp op, ValueRange indices) {
        return readTable(op, indices);
      }) {
  Type index = builder.getIndexType();
  box.batch = add(index, RegionBinding::index(DimB));
  Value head = add(index, RegionBinding::index(DimH));
  if (sharesHead)
    box.head = head;
  for (Value *end :
       {&box.queryBegin, &box.queryEnd, &box.keyBegin, &box.keyEnd})
    *end = add(index, RegionBinding::given());
  addCaptures(sharesHead);
  builder.setInsertionPointToEnd(block);
}

/// Captures that are one number all over a tile, and tables.
void MaskRegion::addCaptures(bool sharesHead) {
  for (auto [i, operand, attr] :
       llvm::enumerate(op.getMaskCaptures(), op.getMaskMaps())) {
    AffineMap map = fused::getOptionalMap(attr);
    Type type = mask().getArgument(ownArguments + i).getType();
    bool varies =
        map && (map.isFunctionOfDim(DimQ) || map.isFunctionOfDim(DimK) ||
                (!sharesHead && map.isFunctionOfDim(DimH)));
    Value argument =
        varies ? Value() : add(type, RegionBinding::read(operand, map));
    captures.push_back(map ? argument : Value());
    tables.push_back(map ? Value() : argument);
  }
}

/// What a table that the mask captures holds. A clamp there is for the mask
/// itself to report.
Value MaskRegion::readTable(fused::ReadOp read, ValueRange indices) {
  unsigned number = cast<BlockArgument>(read.getTable()).getArgNumber();
  return fused::ReadOp::create(builder, read.getLoc(),
                               read.getResult().getType(),
                               tables[number - ownArguments], indices);
}

LogicalResult MaskRegion::print(SpecPrinter &spec, const Twine &name,
                                ValueRange yields) {
  fused::YieldOp::create(builder, op.getLoc(), yields);
  // The analysis leaves constants that it has folded.
  for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*block)))
    if (isOpTriviallyDead(&inner))
      inner.erase();
  std::string text = name.str();
  return spec.pointFunction({text, block, bindings, {}, std::nullopt});
}

LogicalResult cuda::printMaskTiles(SpecPrinter &spec, fused::AttentionOp op,
                                   StringRef prefix, bool sharesHead) {
  MaskRegion range(op, sharesHead);
  KeyRange keys = range.keyRange();
  if (failed(range.print(spec, prefix + "key_range",
                         {keys.begin, keys.end, keys.fullBegin, keys.fullEnd})))
    return failure();
  if (examineMask(op.getMask()).isKeyRangeExact)
    return success();
  MaskRegion tile(op, sharesHead);
  TileState state = tile.tileState();
  return tile.print(spec, prefix + "tile_state", {state.may, state.must});
}
