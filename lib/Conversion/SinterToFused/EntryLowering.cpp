//===- EntryLowering.cpp - Lowering of one entry --------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sinter;

EntryLowering::EntryLowering(func::FuncOp entry)
    : builder(entry.getContext()), entry(entry) {}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

Value EntryLowering::constantIndex(int64_t value) {
  Value &constant = constants[value];
  if (!constant) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&entry.front());
    constant = arith::ConstantIndexOp::create(builder, entry.getLoc(), value);
  }
  return constant;
}

bool EntryLowering::isSameExtent(Value a, Value b) {
  if (a == b)
    return true;
  APInt x, y;
  return matchPattern(a, m_ConstantInt(&x)) &&
         matchPattern(b, m_ConstantInt(&y)) && x == y;
}

/// The dynamic extents of arguments have names, equal ones being one value.
Value EntryLowering::namedExtent(BlockArgument argument, int64_t dim) {
  auto type = cast<RankedTensorType>(argument.getType());
  auto names =
      entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), dimsAttrName);
  int64_t dynamic = type.getDynamicDimIndex(dim);
  if (names && dynamic < static_cast<int64_t>(names.size()))
    return dimension(cast<StringAttr>(names[dynamic]));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&entry.front());
  return tensor::DimOp::create(builder, entry.getLoc(), argument,
                               constantIndex(dim));
}

Value EntryLowering::dimension(StringAttr name) {
  Value &extent = namedExtents[name.getValue()];
  if (!extent) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&entry.front());
    extent = fused::DimOp::create(builder, entry.getLoc(),
                                  builder.getIndexType(), name);
  }
  return extent;
}

/// A dynamic extent of a session's storage: a capacity, or, behind the rows of
/// a tensor, the current extent.
Value EntryLowering::storedExtent(fused::StateOp state, int64_t dim) {
  auto storage = SymbolTable::lookupNearestSymbolFrom<fused::StorageOp>(
      state, state.getSymbolAttr());
  auto type = cast<RankedTensorType>(state.getType());
  auto name = cast<StringAttr>(storage.getDims()[type.getDynamicDimIndex(dim)]);
  if (llvm::is_contained(storage.getCurrentDims(), name))
    return dimension(name);
  Value &extent = capacities[name.getValue()];
  if (!extent) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&entry.front());
    extent = fused::CapacityOp::create(builder, entry.getLoc(),
                                       builder.getIndexType(), name);
  }
  return extent;
}

Value EntryLowering::extent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return constantIndex(type.getDimSize(dim));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    // What a loop carries has the extents that it starts with.
    if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp()))
      return extent(loop.getTiedLoopInit(argument)->get(), dim);
    return namedExtent(argument, dim);
  }
  Operation *op = tensor.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return extent(loop.getTiedLoopInit(cast<OpResult>(tensor))->get(), dim);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return extent(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(),
                  dim);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return resolve(empty.getDynamicSizes()[type.getDynamicDimIndex(dim)]);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return extent(cast.getSource(), dim);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return resolve(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    Value product;
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    for (int64_t source : group) {
      Value factor = extent(collapse.getSrc(), source);
      product = !product ? factor
                         : builder.createOrFold<arith::MulIOp>(op->getLoc(),
                                                               product, factor);
    }
    return product;
  }
  if (auto state = dyn_cast<fused::StateOp>(op))
    return storedExtent(state, dim);
  return tensor::DimOp::create(builder, op->getLoc(), tensor,
                               constantIndex(dim));
}

Value EntryLowering::resolve(OpFoldResult value) {
  if (std::optional<int64_t> number = getConstantIntValue(value))
    return constantIndex(*number);
  auto dim = cast<Value>(value).getDefiningOp<tensor::DimOp>();
  if (!dim || !dim.getConstantIndex())
    return cast<Value>(value);
  return extent(dim.getSource(), *dim.getConstantIndex());
}

SmallVector<Value> EntryLowering::extents(Value tensor) {
  SmallVector<Value> result;
  for (int64_t dim :
       llvm::seq(cast<RankedTensorType>(tensor.getType()).getRank()))
    result.push_back(extent(tensor, dim));
  return result;
}

SmallVector<Value> EntryLowering::resultExtents(OpResult result) {
  if (isElementwise(result.getOwner()))
    for (Value operand : result.getOwner()->getOperands())
      if (operand.getType() == result.getType() ||
          isa<RankedTensorType>(operand.getType()))
        return extents(operand);
  SmallVector<Value> values;
  for (OpFoldResult extent : reifyExtents(builder, result.getLoc(), result))
    values.push_back(resolve(extent));
  return values;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value EntryLowering::empty(RankedTensorType type, ArrayRef<Value> extents) {
  SmallVector<Value> dynamic;
  for (auto [size, extent] : llvm::zip_equal(type.getShape(), extents))
    if (ShapedType::isDynamic(size))
      dynamic.push_back(extent);
  return tensor::EmptyOp::create(builder, entry.getLoc(), type, dynamic);
}

Value EntryLowering::destination(OpResult result) {
  return empty(cast<RankedTensorType>(result.getType()), resultExtents(result));
}

SmallVector<Value> EntryLowering::extents(RankedTensorType type,
                                          ValueRange dynamic) {
  SmallVector<Value> extents;
  auto next = dynamic.begin();
  for (int64_t size : type.getShape())
    extents.push_back(ShapedType::isDynamic(size) ? resolve(*next++)
                                                  : constantIndex(size));
  return extents;
}

SmallVector<Value> sinter::passThrough(OpBuilder &, Location, ValueRange args) {
  return {args[0]};
}

Value EntryLowering::filled(RankedTensorType type, ArrayRef<Value> extents,
                            TypedAttr value, Location loc) {
  fused::MapSpec spec;
  spec.space = spaceOfRank(type.getRank());
  spec.destinations.add(empty(type, extents),
                        identityMap(type.getContext(), type.getRank()));
  // Regions compute in f32; the store rounds.
  if (auto number = dyn_cast<FloatAttr>(value);
      number && number.getType().getIntOrFloatBitWidth() < 32)
    value = builder.getF32FloatAttr(number.getValueAsDouble());
  spec.body = [&](OpBuilder &b, Location l, ValueRange) {
    return SmallVector<Value>{arith::ConstantOp::create(b, l, value)};
  };
  return fused::buildMap(builder, loc, spec).getResult(0);
}

RankedTensorType EntryLowering::vectorType(Value extent) {
  int64_t size = getConstantIntValue(extent).value_or(ShapedType::kDynamic);
  return RankedTensorType::get({size}, builder.getI64Type());
}

Value EntryLowering::numbered(Location loc, Value extent) {
  RankedTensorType type = vectorType(extent);
  fused::MapSpec spec;
  spec.space = spaceOfRank(1);
  spec.indexDims = {0};
  spec.destinations.add(empty(type, {extent}),
                        identityMap(builder.getContext(), 1));
  spec.body = [&](OpBuilder &b, Location l, ValueRange args) {
    return SmallVector<Value>{
        arith::IndexCastOp::create(b, l, b.getI64Type(), args[0])};
  };
  return fused::buildMap(builder, loc, spec).getResult(0);
}

/// Reads are clamped, so one far behind the end of 0, 1, ..., extent gives the
/// last number.
Value EntryLowering::inMemory(Location loc, Value extent) {
  Value count =
      builder.createOrFold<arith::AddIOp>(loc, extent, constantIndex(1));
  fused::MapSpec spec;
  spec.space = spaceOfRank(1);
  spec.inputs.push_back({numbered(loc, count), AffineMap()});
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  spec.destinations.add(empty(type, {constantIndex(1)}),
                        identityMap(builder.getContext(), 1));
  spec.body = [&](OpBuilder &b, Location l, ValueRange args) {
    Value end = arith::ConstantIndexOp::create(b, l, INT64_MAX);
    return SmallVector<Value>{fused::ReadOp::create(
        b, l, type.getElementType(), args[0], end, /*reports=*/false)};
  };
  return fused::buildMap(builder, loc, spec).getResult(0);
}

Value EntryLowering::cursor(StringRef name, bool after) {
  Value &cursor = (after ? cursorsAfter : cursorsAtStart)[name];
  if (!cursor) {
    auto type =
        RankedTensorType::get({ShapedType::kDynamic}, builder.getI64Type());
    cursor =
        fused::CursorOp::create(builder, entry.getLoc(), type, name, after);
  }
  return cursor;
}

Value EntryLowering::expand(Location loc, Value tensor, int64_t dim,
                            ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape;
  SmallVector<ReassociationIndices> groups;
  SmallVector<OpFoldResult> extents;
  for (int64_t i : llvm::seq(type.getRank())) {
    ReassociationIndices &group = groups.emplace_back();
    ArrayRef<int64_t> pieces = type.getShape().slice(i, 1);
    if (i == dim)
      pieces = sizes;
    for (int64_t piece : pieces) {
      group.push_back(shape.size());
      shape.push_back(piece);
      extents.push_back(ShapedType::isDynamic(piece)
                            ? OpFoldResult(extent(tensor, i))
                            : builder.getIndexAttr(piece));
    }
  }
  auto result = RankedTensorType::get(shape, type.getElementType());
  return tensor::ExpandShapeOp::create(builder, loc, result, tensor, groups,
                                       extents);
}

Value EntryLowering::collapse(Location loc, Value tensor, int64_t first) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<ReassociationIndices> groups;
  for (int64_t i = 0; i < rank; ++i) {
    groups.push_back({i});
    if (i == first)
      groups.back().push_back(++i);
  }
  return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
}

fused::Space sinter::spaceOfRank(int64_t rank) {
  switch (rank) {
  case 1:
    return {{"i"}};
  case 2:
    return {{"b", "i"}};
  case 3:
    return {{"b", "t", "i"}};
  default:
    break;
  }
  static constexpr StringLiteral names[maxRank] = {
      "b", "t", "h", "i", "j", "l", "m", "p", "r", "u", "v", "w"};
  fused::Space space;
  for (StringLiteral name : ArrayRef(names).take_front(rank))
    space.names.push_back(name);
  return space;
}

AffineMap sinter::identityMap(MLIRContext *context, int64_t rank) {
  return AffineMap::getMultiDimIdentityMap(rank, context);
}

AffineMap sinter::selectMap(MLIRContext *context, int64_t rank,
                            ArrayRef<unsigned> dims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim : dims)
    results.push_back(getAffineDimExpr(dim, context));
  return AffineMap::get(rank, 0, results, context);
}
