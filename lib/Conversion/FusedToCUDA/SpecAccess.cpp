//===- SpecAccess.cpp - Where the element of a point lies -----------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The address of an access is a sum of affine expressions of the point, each
// times a stride: what is known of it now decides how many neighbours one
// access may move, the rest becomes conditions for the launch.
//
//===----------------------------------------------------------------------===//

#include "SpecAccess.h"
#include "RegionToCUDA.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace sinter;
using namespace sinter::cuda;

/// The most lanes that one `load` serves.
static constexpr int64_t mostLanes = 16;
/// Bytes of the widest access.
static constexpr int64_t accessBytes = 16;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::string inParentheses(std::string text, bool wanted) {
  return wanted ? "(" + text + ")" : text;
}

/// Division of what is never negative; powers of two are shifts.
static std::string divided(std::string lhs, int64_t by, bool quotient) {
  if (llvm::isPowerOf2_64(by))
    return "(" + lhs + (quotient ? " >> " : " & ") +
           std::to_string(quotient ? llvm::Log2_64(by) : by - 1) + ")";
  return lhs + (quotient ? " / " : " % ") + std::to_string(by);
}

std::string cuda::affineText(AffineExpr expr, PositionText dim,
                             PositionText symbol) {
  if (auto d = dyn_cast<AffineDimExpr>(expr))
    return dim(d.getPosition());
  if (auto s = dyn_cast<AffineSymbolExpr>(expr))
    return symbol(s.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() < 0
               ? "(" + std::to_string(constant.getValue()) + ")"
               : std::to_string(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string lhs = affineText(binary.getLHS(), dim, symbol);
  if (expr.getKind() == AffineExprKind::Add)
    return lhs + " + " + affineText(binary.getRHS(), dim, symbol);
  auto isSum = [](AffineExpr e) { return e.getKind() == AffineExprKind::Add; };
  lhs = inParentheses(lhs, isa<AffineBinaryOpExpr>(binary.getLHS()));
  if (expr.getKind() == AffineExprKind::Mul)
    return lhs + " * " +
           inParentheses(affineText(binary.getRHS(), dim, symbol),
                         isSum(binary.getRHS()));
  int64_t by = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return divided("(" + lhs + " + " + std::to_string(by - 1) + ")", by,
                   /*quotient=*/true);
  return divided(lhs, by, expr.getKind() == AffineExprKind::FloorDiv);
}

//===----------------------------------------------------------------------===//
// What lanes do to an expression
//===----------------------------------------------------------------------===//

namespace {
/// Points side by side along dimension `along`, `lanes` of them, from an index
/// that `lanes` divides.
struct Group {
  unsigned along;
  int64_t lanes;

  /// A divisor of the expression at the group's first point.
  int64_t divisor(AffineExpr expr) const;
  /// What one point adds to the expression, if each adds the same.
  std::optional<int64_t> step(AffineExpr expr) const;
};
} // namespace

/// Divides whatever is asked: the divisor of 0.
static constexpr int64_t anything = int64_t(1) << 32;

int64_t Group::divisor(AffineExpr expr) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dim.getPosition() == along ? lanes : 1;
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() ? std::abs(constant.getValue()) : anything;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return 1;
  int64_t lhs = divisor(binary.getLHS()), rhs = divisor(binary.getRHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
  case AffineExprKind::Mod:
    return std::gcd(lhs, rhs);
  case AffineExprKind::Mul:
    return lhs >= anything || rhs >= anything
               ? anything
               : std::gcd(lhs, mostLanes) * std::gcd(rhs, mostLanes);
  default:
    return lhs % rhs == 0 ? lhs / rhs : 1;
  }
}

std::optional<int64_t> Group::step(AffineExpr expr) const {
  if (!expr.isFunctionOfDim(along))
    return 0;
  if (isa<AffineDimExpr>(expr))
    return 1;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<int64_t> lhs = step(binary.getLHS());
  std::optional<int64_t> rhs = step(binary.getRHS());
  if (!lhs || !rhs)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add)
    return *lhs + *rhs;
  auto constant = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (!constant)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mul)
    return *lhs * constant.getValue();
  // A group that starts at a multiple crosses no boundary of the division.
  bool stays = *lhs == 1 && constant.getValue() % lanes == 0 &&
               divisor(binary.getLHS()) % lanes == 0;
  if (!stays || expr.getKind() == AffineExprKind::CeilDiv)
    return std::nullopt;
  return expr.getKind() == AffineExprKind::Mod ? 1 : 0;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

namespace {
/// An address in elements: `known`, and expressions times what only the launch
/// knows (a factor known now, and a text).
struct Offset {
  struct Term {
    AffineExpr expr;
    int64_t factor;
    std::string stride;
  };
  AffineExpr known;
  SmallVector<Term> terms;

  std::optional<int64_t> step(const Group &group) const;
  /// Whether the group starts at a multiple of `elements`, given `conditions`
  /// on the launch.
  bool isAligned(const Group &group, int64_t elements,
                 SmallVectorImpl<std::string> &conditions) const;
  std::string text(PositionText dim) const;
};
} // namespace

/// A factor and a stride in parentheses where there are two.
static std::string product(int64_t factor, const std::string &stride) {
  return factor == 1 ? "(" + stride + ")"
                     : "(" + std::to_string(factor) + " * " + stride + ")";
}

std::optional<int64_t> Offset::step(const Group &group) const {
  for (const Term &term : terms)
    if (group.step(term.expr) != 0)
      return std::nullopt;
  return group.step(known);
}

bool Offset::isAligned(const Group &group, int64_t elements,
                       SmallVectorImpl<std::string> &conditions) const {
  if (group.divisor(known) % elements)
    return false;
  for (const Term &term : terms) {
    int64_t divisor = group.divisor(term.expr);
    divisor = divisor >= anything ? elements
                                  : std::gcd(divisor, elements) *
                                        std::gcd(term.factor, elements);
    if (divisor % elements)
      conditions.push_back(product(divisor, term.stride) + " % " +
                           std::to_string(elements) + " == 0");
  }
  return true;
}

std::string Offset::text(PositionText dim) const {
  auto none = [](unsigned) { return std::string(); };
  SmallVector<std::string> sum;
  for (const Term &term : llvm::reverse(terms)) {
    if (term.expr == 0)
      continue;
    std::string position = affineText(term.expr, dim, none);
    sum.push_back(inParentheses(position, isa<AffineBinaryOpExpr>(term.expr)) +
                  " * " + product(term.factor, term.stride));
  }
  if (sum.empty() || known != 0)
    sum.push_back(affineText(known, dim, none));
  return llvm::join(sum, " + ");
}

/// Extents of the physical shape: numbers, or text where a launch tells.
static SmallVector<std::string>
physicalExtents(MemRefType type, ArrayRef<std::string> logical,
                SmallVectorImpl<int64_t> &fixed) {
  fused::LayoutAttr layout = fused::getLayout(type);
  if (!layout) {
    fixed.assign(type.getShape().begin(), type.getShape().end());
    return SmallVector<std::string>(logical);
  }
  fixed = layout.physicalShape(type.getShape());
  SmallVector<std::string> texts;
  for (AffineExpr expr : layout.getExtentMap().getResults())
    texts.push_back("(" +
                    affineText(
                        expr,
                        [&](unsigned d) { return "(" + logical[d] + ")"; },
                        [](unsigned) { return std::string(); }) +
                    ")");
  return texts;
}

static Offset offsetOf(MemRefType type, AffineMap map,
                       ArrayRef<std::string> extents) {
  AffineMap physical = map;
  if (fused::LayoutAttr layout = fused::getLayout(type))
    physical = layout.getMap().compose(map);
  SmallVector<int64_t> fixed;
  SmallVector<std::string> texts = physicalExtents(type, extents, fixed);
  Offset offset;
  offset.known = getAffineConstantExpr(0, type.getContext());
  int64_t factor = 1;
  std::string stride;
  for (unsigned i = physical.getNumResults(); i-- > 0;) {
    AffineExpr expr = physical.getResult(i);
    if (stride.empty())
      offset.known = offset.known + expr * factor;
    else
      offset.terms.push_back({expr, factor, stride});
    if (!ShapedType::isDynamic(fixed[i]))
      factor *= fixed[i];
    else
      stride = stride.empty() ? texts[i] : texts[i] + " * " + stride;
  }
  offset.known = simplifyAffineExpr(offset.known, physical.getNumDims(), 0);
  return offset;
}

Access cuda::analyseAccess(MemRefType type, AffineMap map,
                           ArrayRef<std::string> extents, unsigned along,
                           PositionText dim) {
  Offset offset = offsetOf(type, map, extents);
  Access access;
  access.offset = offset.text(dim);
  Type element = type.getElementType();
  int64_t bytes = std::max<int64_t>(
      1, element.isIndex() ? 8 : element.getIntOrFloatBitWidth() / 8);
  access.elementBytes = bytes;
  std::optional<int64_t> step = offset.step(Group{along, mostLanes});
  access.step = step && (*step == 0 || *step == 1) ? *step : -1;
  if (access.step == 0)
    return access;
  for (int64_t lanes = mostLanes; lanes > 1; lanes /= 2) {
    Group group{along, lanes};
    SmallVector<std::string> conditions;
    int64_t elements = std::min(lanes, accessBytes / bytes);
    if (offset.step(group) != 1 ||
        !offset.isAligned(group, elements, conditions))
      continue;
    access.step = 1;
    access.lanes = lanes;
    // Only the compiler's own memory has a layout, and that is aligned.
    access.addressDivisor = fused::getLayout(type) ? 1 : elements * bytes;
    access.conditions = std::move(conditions);
    return access;
  }
  return access;
}
