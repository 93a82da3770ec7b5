//===- EntrySizes.cpp - Sizes as expressions in an entry's dimensions -----===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Dialect/Fused/IR/Fused.h"
#include "sinter/Dialect/Fused/Transforms/Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace sinter::fused;

int64_t sinter::fused::elementSizeInBytes(Type elementType) {
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

static SmallVector<int64_t> physicalShape(RankedTensorType type) {
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding()))
    return layout.physicalShape(type.getShape());
  return SmallVector<int64_t>(type.getShape());
}

int64_t sinter::fused::staticSizeInBytes(RankedTensorType type) {
  int64_t elements = 1;
  for (int64_t extent : physicalShape(type))
    elements *= extent;
  return elements * elementSizeInBytes(type.getElementType());
}

EntryDims::EntryDims(func::FuncOp entry) : entry(entry) {
  for (BlockArgument argument : entry.getArguments()) {
    auto names = entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                   "sinter.dims");
    auto type = dyn_cast<ShapedType>(argument.getType());
    // A result is an argument after planning; its dimensions are others'.
    bool isResult =
        !!entry.getArgAttr(argument.getArgNumber(), "fused.extents");
    if (!names || !type || isResult)
      continue;
    for (auto name : names.getAsRange<StringAttr>())
      add(name);
    // The first dimension of an argument is the rows, which a session fixes.
    bool rowsFirst = type.getRank() > 0 && type.isDynamicDim(0);
    auto others = names.getValue().drop_front(rowsFirst && !names.empty());
    for (Attribute name : others)
      parameters.push_back(cast<StringAttr>(name));
  }
  addCurrent();
  entry.walk([&](Operation *op) {
    if (auto dim = dyn_cast<DimOp>(op))
      add(dim.getNameAttr());
    if (auto use = dyn_cast<CapacityOp>(op))
      capacity(use.getNameAttr());
  });
}

void EntryDims::addCurrent() {
  auto reads = entry->getAttrOfType<ArrayAttr>("fused.reads");
  if (!reads)
    return;
  for (auto symbol : reads.getAsRange<FlatSymbolRefAttr>())
    if (auto storage =
            SymbolTable::lookupNearestSymbolFrom<StorageOp>(entry, symbol))
      for (Attribute name : storage.getCurrentDims()) {
        current.push_back(cast<StringAttr>(name));
        add(current.back());
      }
}

void EntryDims::add(StringAttr name) {
  if (!llvm::is_contained(dims, name))
    dims.push_back(name);
}

AffineExpr EntryDims::dim(StringAttr name) {
  add(name);
  return getAffineSymbolExpr(llvm::find(dims, name) - dims.begin(),
                             entry.getContext());
}

AffineExpr EntryDims::capacity(StringAttr name) {
  if (!llvm::is_contained(parameters, name) &&
      !llvm::is_contained(current, name))
    return dim(name);
  return dim(StringAttr::get(name.getContext(), name.getValue() + ".capacity"));
}

FailureOr<SmallVector<AffineExpr>>
EntryDims::argumentExtents(BlockArgument argument) {
  auto type = cast<ShapedType>(argument.getType());
  auto names =
      entry.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(), "sinter.dims");
  SmallVector<AffineExpr> extents;
  unsigned next = 0;
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(getAffineConstantExpr(extent, entry.getContext()));
      continue;
    }
    if (!names || next == names.size())
      return entry.emitError() << "argument " << argument.getArgNumber()
                               << " has more dynamic dimensions than "
                                  "'sinter.dims' names";
    extents.push_back(dim(cast<StringAttr>(names[next++])));
  }
  return extents;
}

FailureOr<AffineExpr> EntryDims::expression(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return getAffineConstantExpr(constant.getSExtValue(), entry.getContext());
  Operation *op = index.getDefiningOp();
  if (auto dimOp = dyn_cast_or_null<DimOp>(op))
    return dim(dimOp.getNameAttr());
  if (auto use = dyn_cast_or_null<CapacityOp>(op))
    return capacity(use.getNameAttr());
  if (auto dimOp = dyn_cast_or_null<tensor::DimOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(dimOp.getSource());
    std::optional<int64_t> number = dimOp.getConstantIndex();
    if (argument && number) {
      auto extents = argumentExtents(argument);
      if (failed(extents))
        return failure();
      return (*extents)[*number];
    }
  }
  if (isa_and_nonnull<arith::AddIOp, arith::MulIOp, arith::CeilDivUIOp,
                      arith::CeilDivSIOp>(op))
    return arithmetic(op);
  return emitError(index.getLoc())
         << "this extent is no sum, product or rounded-up quotient of the "
            "entry's named dimensions";
}

FailureOr<AffineExpr> EntryDims::arithmetic(Operation *op) {
  auto lhs = expression(op->getOperand(0));
  auto rhs = expression(op->getOperand(1));
  if (failed(lhs) || failed(rhs))
    return failure();
  if (isa<arith::AddIOp>(op))
    return *lhs + *rhs;
  return isa<arith::MulIOp>(op) ? *lhs * *rhs : lhs->ceilDiv(*rhs);
}

AffineExpr EntryDims::sizeInBytes(RankedTensorType type,
                                  ArrayRef<AffineExpr> extents) {
  MLIRContext *context = entry.getContext();
  AffineExpr bytes =
      getAffineConstantExpr(elementSizeInBytes(type.getElementType()), context);
  SmallVector<AffineExpr> physical(extents);
  if (auto layout = dyn_cast_or_null<LayoutAttr>(type.getEncoding())) {
    physical.clear();
    for (AffineExpr result : layout.getMap().getResults()) {
      // The largest coordinate plus one: floordiv rounds up, mod is its
      // divisor, everything else is the extent itself.
      auto binary = dyn_cast<AffineBinaryOpExpr>(result);
      auto dimOf = [&](AffineExpr expr) {
        return extents[cast<AffineDimExpr>(expr).getPosition()];
      };
      if (!binary)
        physical.push_back(dimOf(result));
      else if (binary.getKind() == AffineExprKind::FloorDiv)
        physical.push_back(dimOf(binary.getLHS()).ceilDiv(binary.getRHS()));
      else
        physical.push_back(binary.getRHS());
    }
  }
  for (AffineExpr extent : physical)
    bytes = bytes * extent;
  return bytes;
}

Value EntryDims::materialize(OpBuilder &builder, Location loc,
                             AffineExpr expression) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return arith::ConstantIndexOp::create(builder, loc, constant.getValue());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return DimOp::create(builder, loc, builder.getIndexType(),
                         dims[symbol.getPosition()]);
  auto binary = cast<AffineBinaryOpExpr>(expression);
  Value lhs = materialize(builder, loc, binary.getLHS());
  Value rhs = materialize(builder, loc, binary.getRHS());
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, lhs, rhs);
  default:
    return arith::CeilDivUIOp::create(builder, loc, lhs, rhs);
  }
}

AffineMap EntryDims::map(ArrayRef<AffineExpr> results) const {
  return AffineMap::get(0, dims.size(), results,
                        func::FuncOp(entry).getContext());
}
