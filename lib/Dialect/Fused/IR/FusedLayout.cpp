//===- FusedLayout.cpp - How a tensor lies in memory ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

using namespace mlir;
using namespace sinter::fused;

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  AffineMap map;
  if (parser.parseLess() || parser.parseAffineMap(map) || parser.parseGreater())
    return {};
  return LayoutAttr::get(parser.getContext(), map);
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << '<' << getMap() << '>';
}

LayoutAttr LayoutAttr::getPanels(MLIRContext *context, unsigned rank,
                                 unsigned blocked, unsigned inner) {
  SmallVector<AffineExpr> results;
  for (unsigned dim = 0; dim != rank; ++dim)
    if (dim != blocked && dim != inner)
      results.push_back(getAffineDimExpr(dim, context));
  AffineExpr position = getAffineDimExpr(blocked, context);
  results.push_back(position.floorDiv(panelWidth));
  results.push_back(getAffineDimExpr(inner, context));
  results.push_back(position % panelWidth);
  return get(context, AffineMap::get(rank, 0, results, context));
}

bool LayoutAttr::isPanels(unsigned blocked, unsigned inner) const {
  unsigned rank = getMap().getNumDims();
  return blocked < rank && inner < rank &&
         *this == getPanels(getContext(), rank, blocked, inner);
}

int64_t LayoutAttr::getPanelWidth(unsigned dim) const {
  for (unsigned inner = 0, rank = getMap().getNumDims(); inner != rank; ++inner)
    if (inner != dim && isPanels(dim, inner))
      return panelWidth;
  return 1;
}

AffineMap LayoutAttr::getAffineMap() const { return getMap(); }

bool LayoutAttr::isIdentity() const { return getMap().isIdentity(); }

LogicalResult
LayoutAttr::verifyLayout(ArrayRef<int64_t> shape,
                         function_ref<InFlightDiagnostic()> emitError) const {
  if (getMap().getNumSymbols() != 0)
    return emitError() << "a layout has no symbols";
  if (getMap().getNumDims() != shape.size())
    return emitError() << "a layout of " << getMap().getNumDims()
                       << " dimensions does not fit a rank of " << shape.size();
  return success();
}

LogicalResult LayoutAttr::getStridesAndOffset(ArrayRef<int64_t> shape,
                                              SmallVectorImpl<int64_t> &strides,
                                              int64_t &offset) const {
  return mlir::detail::getAffineMapStridesAndOffset(getMap(), shape, strides,
                                                    offset);
}

/// The largest value of `expr` plus one, where dimension i runs over
/// [0, extent i); extents are the dimensions of the result.
static AffineExpr extentOf(AffineExpr expr) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary) // A dimension's extent is itself; a constant c needs c + 1.
    return isa<AffineDimExpr>(expr) ? expr : expr + 1;
  AffineExpr lhs = extentOf(binary.getLHS());
  switch (expr.getKind()) {
  case AffineExprKind::Mod:
    return binary.getRHS();
  case AffineExprKind::FloorDiv:
    return lhs.ceilDiv(binary.getRHS());
  case AffineExprKind::CeilDiv:
    return (lhs - 1).ceilDiv(binary.getRHS()) + 1;
  case AffineExprKind::Mul:
    return (lhs - 1) * binary.getRHS() + 1;
  default:
    return lhs + extentOf(binary.getRHS()) - 1;
  }
}

AffineMap LayoutAttr::getExtentMap() const {
  SmallVector<AffineExpr> extents;
  for (AffineExpr expr : getMap().getResults())
    extents.push_back(extentOf(expr));
  return AffineMap::get(getMap().getNumDims(), 0, extents, getContext());
}

SmallVector<int64_t>
LayoutAttr::physicalShape(ArrayRef<int64_t> logical) const {
  SmallVector<int64_t> shape;
  SmallVector<AffineExpr> known;
  for (auto [i, extent] : llvm::enumerate(logical))
    known.push_back(ShapedType::isDynamic(extent)
                        ? getAffineDimExpr(i, getContext())
                        : getAffineConstantExpr(extent, getContext()));
  for (AffineExpr expr : getExtentMap().getResults()) {
    auto constant =
        dyn_cast<AffineConstantExpr>(expr.replaceDimsAndSymbols(known, {}));
    shape.push_back(constant ? constant.getValue() : ShapedType::kDynamic);
  }
  return shape;
}

LayoutAttr sinter::fused::getLayout(Type shaped) {
  if (auto tensor = dyn_cast<RankedTensorType>(shaped))
    return dyn_cast_or_null<LayoutAttr>(tensor.getEncoding());
  if (auto memref = dyn_cast<MemRefType>(shaped))
    return dyn_cast<LayoutAttr>(memref.getLayout());
  return {};
}
