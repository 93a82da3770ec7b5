//===- DimensionTrace.cpp - which named dimension an extent is ------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionTrace.h"
#include "sinter/Dialect/Sinter/IR/Shapes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace sinter;

/// The name of dynamic dimension `dim` of `shape` in `names`, one per dynamic
/// dimension.
static Attribute nameOf(ArrayAttr names, ArrayRef<int64_t> shape, int64_t dim) {
  int64_t number = llvm::count(shape.take_front(dim), ShapedType::kDynamic);
  if (!names || number >= static_cast<int64_t>(names.size()))
    return {};
  return names[number];
}

static Attribute nameOf(BlockArgument argument, ArrayRef<int64_t> shape,
                        int64_t dim) {
  if (auto scan = dyn_cast<ScanOp>(argument.getOwner()->getParentOp())) {
    Extent extent = scan.getArgumentExtent(argument, dim);
    return traceDimension(extent.value, extent.dim);
  }
  auto entry = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!entry)
    return {};
  return nameOf(
      entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "sinter.dims"),
      shape, dim);
}

namespace {
/// Removes what was made to describe shapes, unless it got a use.
class Temporaries : public OpBuilder::Listener {
public:
  ~Temporaries() override {
    for (Operation *op : llvm::reverse(made))
      if (op->use_empty())
        op->erase();
  }
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    made.push_back(op);
  }

private:
  SmallVector<Operation *> made;
};
} // namespace

/// The dimension of an op whose result is as long as an operand's.
static Attribute traceReified(OpResult result, int64_t dim) {
  Temporaries made;
  OpBuilder temporary(result.getOwner(), &made);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(temporary, result.getOwner(), shapes)))
    return {};
  OpFoldResult extent = shapes[result.getResultNumber()][dim];
  if (auto attr = dyn_cast<Attribute>(extent))
    return temporary.getI64IntegerAttr(cast<IntegerAttr>(attr).getInt());
  auto source = cast<Value>(extent).getDefiningOp<tensor::DimOp>();
  if (!source || !source.getConstantIndex())
    return {};
  return traceDimension(source.getSource(), *source.getConstantIndex());
}

/// The dimension that several with extent 1 are joined to.
static Attribute traceCollapsed(tensor::CollapseShapeOp op, int64_t dim) {
  std::optional<int64_t> source;
  const ReassociationIndices joined = op.getReassociationIndices()[dim];
  for (int64_t candidate : joined) {
    if (op.getSrcType().getDimSize(candidate) == 1)
      continue;
    if (source)
      return {};
    source = candidate;
  }
  return source ? traceDimension(op.getSrc(), *source) : Attribute();
}

Attribute sinter::traceDimension(Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return IntegerAttr::get(IntegerType::get(value.getContext(), 64),
                            type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(value))
    return nameOf(argument, type.getShape(), dim);
  Operation *op = value.getDefiningOp();
  if (auto read = dyn_cast<ReadOp>(op)) {
    auto state =
        SymbolTable::lookupNearestSymbolFrom<StateOp>(op, read.getStateAttr());
    // That tensors of one name have one extent is a check of the call.
    return state ? nameOf(state.getDims(), type.getShape(), dim) : Attribute();
  }
  if (OpTrait::hasElementwiseMappableTraits(op))
    return traceDimension(op->getOperand(0), dim);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    auto source = cast<Value>(expand.getMixedOutputShape()[dim])
                      .getDefiningOp<tensor::DimOp>();
    if (!source || !source.getConstantIndex())
      return {};
    return traceDimension(source.getSource(), *source.getConstantIndex());
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return traceCollapsed(collapse, dim);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op))
    // The other extent is a sum, which no dimension of the entry is.
    return dim == static_cast<int64_t>(concat.getDim())
               ? Attribute()
               : traceDimension(concat.getInputs().front(), dim);
  return traceReified(cast<OpResult>(value), dim);
}
