//===- AttentionMask.cpp - Mask operands as regions -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionMask.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include <limits>

using namespace mlir;
using namespace sinter;

/// Dimensions of fused.attention.
static constexpr unsigned rank = 6;

/// Own arguments of a mask, b, h, q, k, and of a score, which has s before.
static constexpr unsigned maskArguments = 4, scoreArguments = 5;

/// The own arguments of a region, `own` many, then captures `first` and on.
static SmallVector<Value> argumentsFor(ValueRange args, unsigned own,
                                       unsigned first, unsigned count) {
  SmallVector<Value> result(args.take_front(own));
  llvm::append_range(result, args.slice(own + first, count));
  return result;
}

/// Adds the conjunct `body`, which gets the own arguments and `captures`.
static void conjoin(fused::AttentionRegion &mask,
                    ArrayRef<fused::Access> captures,
                    fused::RegionBuilder body) {
  unsigned before = mask.captures.size(), added = captures.size();
  llvm::append_range(mask.captures, captures);
  if (!mask.body) {
    mask.body = std::move(body);
    return;
  }
  mask.body = [first = std::move(mask.body), second = std::move(body), before,
               added](OpBuilder &b, Location loc, ValueRange args) {
    Value x =
        first(b, loc, argumentsFor(args, maskArguments, 0, before)).front();
    Value y = second(b, loc, argumentsFor(args, maskArguments, before, added))
                  .front();
    return SmallVector<Value>{arith::AndIOp::create(b, loc, x, y)};
  };
}

/// Adds what `body` gives for the own arguments and `captures` to the score.
static void addToScore(fused::AttentionRegion &score,
                       ArrayRef<fused::Access> captures,
                       fused::RegionBuilder body) {
  unsigned before = score.captures.size(), added = captures.size();
  llvm::append_range(score.captures, captures);
  score.body = [first = std::move(score.body), second = std::move(body), before,
                added](OpBuilder &b, Location loc, ValueRange args) {
    Value x = args[0];
    if (first)
      x = first(b, loc, argumentsFor(args, scoreArguments, 0, before)).front();
    SmallVector<Value> own = argumentsFor(args, scoreArguments, before, added);
    Value y = second(b, loc, ArrayRef(own).drop_front()).front();
    return SmallVector<Value>{arith::AddFOp::create(b, loc, x, y)};
  };
}

namespace {
/// How a region reads the mask: captures, and the value at (b, h, q, k) given
/// these and the captures.
struct MaskRead {
  SmallVector<fused::Access> captures;
  fused::RegionBuilder value;
};
} // namespace

/// Without a cache the mask has an element for each query and key, or repeats.
static MaskRead readByMap(AttentionOp op) {
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> exprs;
  for (auto [dim, size] :
       llvm::enumerate(op.getDenseMask().getType().getShape()))
    exprs.push_back(size == 1 ? getAffineConstantExpr(0, context)
                              : getAffineDimExpr(dim, context));
  AffineMap map = AffineMap::get(rank, 0, exprs, context);
  return {{{op.getDenseMask(), map}},
          [](OpBuilder &, Location, ValueRange args) {
            return SmallVector<Value>{args.back()};
          }};
}

/// Keys of a cache are more or fewer than the mask's columns, so a read has
/// computed indices; queries of the mask count from 0.
static MaskRead readByIndex(const fused::AttentionSpec &spec, AttentionOp op) {
  MaskRead read;
  read.captures.push_back({op.getDenseMask(), AffineMap()});
  bool hasOffset = spec.offset.has_value();
  if (hasOffset)
    read.captures.push_back(*spec.offset);
  RankedTensorType type = op.getDenseMask().getType();
  read.value = [type, hasOffset](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> indices(args.take_front(maskArguments));
    if (hasOffset) {
      Value offset = arith::IndexCastOp::create(b, loc, b.getIndexType(),
                                                args[maskArguments + 1]);
      indices[2] = arith::SubIOp::create(b, loc, indices[2], offset);
    }
    for (auto [index, size] : llvm::zip_equal(indices, type.getShape()))
      if (size == 1)
        index = arith::ConstantIndexOp::create(b, loc, 0);
    return SmallVector<Value>{fused::ReadOp::create(
        b, loc, type.getElementType(), args[maskArguments], indices)};
  };
  return read;
}

/// A boolean mask is a conjunct; an additive one also is, where it is -inf, so
/// that no row is made of -inf alone.
void sinter::addDenseMask(fused::AttentionSpec &spec, AttentionOp op) {
  if (!op.getDenseMask())
    return;
  MaskRead read = op.getCacheAttr() ? readByIndex(spec, op) : readByMap(op);
  if (getElementTypeOrSelf(op.getDenseMask().getType()).isInteger(1)) {
    conjoin(spec.mask, read.captures, read.value);
    return;
  }
  conjoin(
      spec.mask, read.captures,
      [read](OpBuilder &b, Location loc, ValueRange args) {
        Value nothing = arith::ConstantOp::create(
            b, loc, b.getF32FloatAttr(-std::numeric_limits<float>::infinity()));
        return SmallVector<Value>{
            arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE,
                                  read.value(b, loc, args).front(), nothing)};
      });
  addToScore(spec.score, read.captures, read.value);
}
