//===- DimensionTrace.cpp - which named dimension an extent is ------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionTrace.h"
#include "sinter/Dialect/Sinter/IR/Shapes.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
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

/// The sum of extents; null if one is unknown.
static Attribute sumOf(MLIRContext *context, ArrayRef<Attribute> terms) {
  SmallVector<StringRef> names;
  int64_t number = 0;
  for (Attribute term : terms) {
    if (!term)
      return {};
    SmallVector<Attribute> parts = {term};
    if (auto sum = dyn_cast<ArrayAttr>(term))
      parts.assign(sum.begin(), sum.end());
    for (Attribute part : parts)
      if (auto name = dyn_cast<StringAttr>(part))
        names.push_back(name.getValue());
      else
        number += cast<IntegerAttr>(part).getInt();
  }
  llvm::sort(names);
  Builder builder(context);
  SmallVector<Attribute> parts;
  for (StringRef name : names)
    parts.push_back(builder.getStringAttr(name));
  if (number != 0 || parts.empty())
    parts.push_back(builder.getI64IntegerAttr(number));
  return parts.size() == 1 ? parts.front() : builder.getArrayAttr(parts);
}

/// A number that describes a shape.
static Attribute traceIndex(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return Builder(value.getContext())
        .getI64IntegerAttr(constant.getValue().getSExtValue());
  if (auto sum = value.getDefiningOp<arith::AddIOp>())
    return sumOf(value.getContext(),
                 {traceIndex(sum.getLhs()), traceIndex(sum.getRhs())});
  auto source = value.getDefiningOp<tensor::DimOp>();
  return source && source.getConstantIndex()
             ? traceDimension(source.getSource(), *source.getConstantIndex())
             : Attribute();
}

static Attribute traceIndex(OpFoldResult index) {
  if (auto number = dyn_cast<Attribute>(index))
    return Builder(number.getContext())
        .getI64IntegerAttr(cast<IntegerAttr>(number).getInt());
  return traceIndex(cast<Value>(index));
}

static Attribute tracePadded(tensor::PadOp op, int64_t dim) {
  return sumOf(op.getContext(), {traceDimension(op.getSource(), dim),
                                 traceIndex(op.getMixedLowPad()[dim]),
                                 traceIndex(op.getMixedHighPad()[dim])});
}

/// The dimension of an op whose result is as long as an operand's.
static Attribute traceReified(OpResult result, int64_t dim) {
  Temporaries made;
  OpBuilder temporary(result.getOwner(), &made);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(temporary, result.getOwner(), shapes)))
    return {};
  OpFoldResult extent = shapes[result.getResultNumber()][dim];
  return traceIndex(extent);
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
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return traceIndex(cast<Value>(expand.getMixedOutputShape()[dim]));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return traceCollapsed(collapse, dim);
  if (auto pad = dyn_cast<tensor::PadOp>(op))
    return tracePadded(pad, dim);
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    if (dim != static_cast<int64_t>(concat.getDim()))
      return traceDimension(concat.getInputs().front(), dim);
    return sumOf(op->getContext(),
                 llvm::map_to_vector(concat.getInputs(), [&](Value input) {
                   return traceDimension(input, dim);
                 }));
  }
  return traceReified(cast<OpResult>(value), dim);
}

Attribute sinter::traceNamedDimension(Value value, int64_t dim) {
  Attribute extent = traceDimension(value, dim);
  return isa_and_nonnull<ArrayAttr>(extent) ? Attribute() : extent;
}

std::string sinter::spellDimension(Attribute extent) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto sum = dyn_cast<ArrayAttr>(extent))
    llvm::interleave(
        sum, os, [&](Attribute part) { os << spellDimension(part); }, " + ");
  else if (auto name = dyn_cast<StringAttr>(extent))
    os << '"' << name.getValue() << '"';
  else
    os << cast<IntegerAttr>(extent).getInt();
  return text;
}
