//===- DeriveChecks.cpp - What a call must check before it runs -----------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Sinter/IR/Shapes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace sinter {
#define GEN_PASS_DEF_SINTERDERIVECHECKS
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

namespace {

/// Derives the checks of one entry from the uses of its arguments.
class CheckDeriver {
public:
  explicit CheckDeriver(func::FuncOp entry)
      : entry(entry), builder(entry.getContext()) {}

  void derive() {
    entry.walk([&](Operation *op) {
      if (auto embedding = dyn_cast<EmbeddingOp>(op))
        deriveRange(embedding);
      else if (auto attention = dyn_cast<AttentionOp>(op))
        deriveLengths(attention.getLengths(), attention.getKey());
      else if (auto fill = dyn_cast<FillOp>(op))
        deriveLengths(fill.getLengths(), fill.getKey());
      else if (auto last = dyn_cast<LastOp>(op))
        deriveLengths(last.getLengths(), last.getInput());
      else if (auto lstm = dyn_cast<LstmOp>(op))
        deriveLengths(lstm.getLengths(), lstm.getInput());
    });
    if (!positions.empty())
      entry->setAttr("sinter.positions", builder.getArrayAttr(positions));
    deriveUntouchedRows();
  }

private:
  /// An argument that indexes a table must be inside it; so must positions.
  void deriveRange(EmbeddingOp op) {
    int64_t rows =
        cast<RankedTensorType>(op.getTable().getType()).getDimSize(0);
    Value indices = op.getIndices();
    if (auto argument = dyn_cast<BlockArgument>(indices)) {
      unsigned number = argument.getArgNumber();
      auto known = entry.getArgAttrOfType<IntegerAttr>(number, "sinter.range");
      if (!known || known.getInt() > rows)
        entry.setArgAttr(number, "sinter.range",
                         builder.getI64IntegerAttr(rows));
      return;
    }
    auto at = indices.getDefiningOp<PositionsOp>();
    if (!at)
      return;
    NamedAttrList check;
    check.set("extent", traceDim(at.getInput(), 1));
    check.set("limit", builder.getI64IntegerAttr(rows));
    if (at.getAfterAttr())
      check.set("cursor", at.getAfterAttr());
    if (check.get("extent"))
      positions.push_back(check.getDictionary(entry.getContext()));
  }

  /// `lengths` counts the second dimension of `counted`.
  void deriveLengths(Value lengths, Value counted) {
    auto argument = dyn_cast_or_null<BlockArgument>(lengths);
    if (!argument || argument.getOwner() != &entry.getBody().front() ||
        !counted)
      return;
    if (Attribute extent = traceDim(counted, 1))
      entry.setArgAttr(argument.getArgNumber(), "sinter.lengths", extent);
  }

  /// The last element of a row of length 0 does not exist, so results made of
  /// it leave the row as the caller has it.
  void deriveUntouchedRows() {
    llvm::DenseMap<Value, BlockArgument> madeOfLast;
    for (Operation &op : entry.getBody().front()) {
      BlockArgument lengths;
      if (auto last = dyn_cast<LastOp>(op))
        lengths = dyn_cast_or_null<BlockArgument>(last.getLengths());
      for (Value operand : op.getOperands())
        if (BlockArgument known = madeOfLast.lookup(operand))
          lengths = known;
      if (!lengths)
        continue;
      for (Value result : op.getResults())
        madeOfLast[result] = lengths;
      if (!isa<func::ReturnOp>(op))
        continue;
      for (auto [number, operand] : llvm::enumerate(op.getOperands()))
        if (BlockArgument known = madeOfLast.lookup(operand))
          entry.setResultAttr(number, "sinter.rows",
                              builder.getI64IntegerAttr(known.getArgNumber()));
    }
  }

  /// The extent of dimension `dim` of `value`: a number, the name of a
  /// dimension of an argument, or null.
  Attribute traceDim(Value value, int64_t dim) {
    auto type = cast<RankedTensorType>(value.getType());
    if (!type.isDynamicDim(dim))
      return builder.getI64IntegerAttr(type.getDimSize(dim));
    if (auto argument = dyn_cast<BlockArgument>(value))
      return nameOf(argument, dim);
    Operation *op = value.getDefiningOp();
    if (OpTrait::hasElementwiseMappableTraits(op))
      return traceDim(op->getOperand(0), dim);
    OpBuilder temporary(op);
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(temporary, op, shapes)))
      return {};
    OpFoldResult extent = shapes[cast<OpResult>(value).getResultNumber()][dim];
    if (auto attr = dyn_cast<Attribute>(extent))
      return builder.getI64IntegerAttr(cast<IntegerAttr>(attr).getInt());
    auto source = cast<Value>(extent).getDefiningOp<tensor::DimOp>();
    if (!source || !source.getConstantIndex())
      return {};
    return traceDim(source.getSource(), *source.getConstantIndex());
  }

  Attribute nameOf(BlockArgument argument, int64_t dim) {
    auto names = entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                   "sinter.dims");
    auto shape = cast<RankedTensorType>(argument.getType()).getShape();
    int64_t number = llvm::count(shape.take_front(dim), ShapedType::kDynamic);
    if (!names || number >= static_cast<int64_t>(names.size()))
      return {};
    return names[number];
  }

  func::FuncOp entry;
  Builder builder;
  SmallVector<Attribute> positions;
};

struct DeriveChecksPass
    : sinter::impl::SinterDeriveChecksBase<DeriveChecksPass> {
  void runOnOperation() override {
    for (auto entry : getOperation().getOps<func::FuncOp>())
      if (entry.isPublic() && !entry.isExternal())
        CheckDeriver(entry).derive();
  }
};

} // namespace
