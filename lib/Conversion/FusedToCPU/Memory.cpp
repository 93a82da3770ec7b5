//===- Memory.cpp - Tensors as kernels see them ---------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/Memory.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// LaneIndex
//===----------------------------------------------------------------------===//

LaneIndex LaneIndex::uniform(Value value, int64_t multiple) {
  LaneIndex index;
  index.base = value;
  index.multiple = multiple;
  if (std::optional<int64_t> constant = KernelBuilder::constantOf(value))
    index.multiple = *constant ? std::abs(*constant) : int64_t(1) << 32;
  return index;
}

LaneIndex LaneIndex::consecutive(Value value, unsigned lanes,
                                 int64_t multiple) {
  LaneIndex index = uniform(value, multiple);
  if (lanes > 1)
    index.offsets = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return index;
}

bool LaneIndex::isConsecutive() const {
  return !offsets.empty() && llvm::all_of(llvm::enumerate(offsets), [](auto e) {
    return e.value() == int64_t(e.index());
  });
}

Value LaneIndex::at(KernelBuilder &k, unsigned lane) const {
  if (!perLane.empty())
    return perLane[lane];
  return offsets.empty() ? base : k.add(base, offsets[lane]);
}

/// Offsets that are all equal move into the base.
static LaneIndex normalized(KernelBuilder &k, LaneIndex index) {
  if (index.offsets.empty() || !llvm::all_equal(index.offsets))
    return index;
  int64_t shift = index.offsets.front();
  index.offsets.clear();
  if (shift) {
    index.base = k.add(index.base, shift);
    index.multiple = std::gcd(index.multiple, shift);
  }
  return index;
}

template <typename F>
static LaneIndex laneByLane(KernelBuilder &k, unsigned lanes, F &&f) {
  LaneIndex result;
  for (unsigned lane = 0; lane < lanes; ++lane)
    result.perLane.push_back(f(lane));
  return result;
}

static LaneIndex addLanes(KernelBuilder &k, const LaneIndex &a,
                          const LaneIndex &b) {
  unsigned lanes = std::max(a.lanes(), b.lanes());
  if (!a.perLane.empty() || !b.perLane.empty())
    return laneByLane(k, lanes, [&](unsigned lane) {
      return k.add(a.at(k, lane), b.at(k, lane));
    });
  LaneIndex result = LaneIndex::uniform(k.add(a.base, b.base),
                                        std::gcd(a.multiple, b.multiple));
  if (lanes > 1)
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.offsets.push_back((a.offsets.empty() ? 0 : a.offsets[lane]) +
                               (b.offsets.empty() ? 0 : b.offsets[lane]));
  return normalized(k, result);
}

/// Times a factor that is the same in all lanes.
static LaneIndex mulLanes(KernelBuilder &k, const LaneIndex &a, Value factor) {
  std::optional<int64_t> constant = KernelBuilder::constantOf(factor);
  if (!a.perLane.empty() || (!a.offsets.empty() && !constant))
    return laneByLane(k, a.lanes(), [&](unsigned lane) {
      return k.mul(a.at(k, lane), factor);
    });
  int64_t known = constant && *constant ? std::abs(*constant) : 1;
  // Beyond 2^32 nobody asks, and products of such could overflow.
  int64_t multiple =
      a.multiple < (int64_t(1) << 31) && known < (int64_t(1) << 31)
          ? a.multiple * known
          : known;
  LaneIndex result = LaneIndex::uniform(k.mul(a.base, factor), multiple);
  for (int64_t offset : a.offsets)
    result.offsets.push_back(offset * *constant);
  return normalized(k, result);
}

/// Quotient or remainder by a positive constant.
static LaneIndex divideLanes(KernelBuilder &k, const LaneIndex &a,
                             int64_t divisor, bool quotient) {
  auto apply = [&](Value value) {
    return quotient ? k.div(value, divisor) : k.rem(value, divisor);
  };
  if (a.isUniform())
    return LaneIndex::uniform(apply(a.base));
  // With a base that the divisor divides, base and lanes part ways.
  if (a.perLane.empty() && a.multiple % divisor == 0 &&
      llvm::all_of(a.offsets, [](int64_t offset) { return offset >= 0; })) {
    LaneIndex result =
        LaneIndex::uniform(quotient ? k.div(a.base, divisor) : k.i64(0),
                           quotient ? a.multiple / divisor : 1);
    for (int64_t offset : a.offsets)
      result.offsets.push_back(quotient ? offset / divisor : offset % divisor);
    return normalized(k, result);
  }
  return laneByLane(k, a.lanes(),
                    [&](unsigned lane) { return apply(a.at(k, lane)); });
}

LaneIndex cpu::evaluate(KernelBuilder &k, AffineExpr expr,
                        ArrayRef<LaneIndex> dims, ArrayRef<LaneIndex> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LaneIndex::uniform(k.i64(constant.getValue()));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneIndex lhs = evaluate(k, binary.getLHS(), dims, symbols);
  LaneIndex rhs = evaluate(k, binary.getRHS(), dims, symbols);
  if (expr.getKind() == AffineExprKind::Add)
    return addLanes(k, lhs, rhs);
  if (expr.getKind() == AffineExprKind::Mul)
    return rhs.isUniform() ? mulLanes(k, lhs, rhs.base)
                           : mulLanes(k, rhs, lhs.base);
  int64_t divisor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return divideLanes(
        k, addLanes(k, lhs, LaneIndex::uniform(k.i64(divisor - 1))), divisor,
        /*quotient=*/true);
  return divideLanes(k, lhs, divisor,
                     expr.getKind() == AffineExprKind::FloorDiv);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

SmallVector<Value> TensorView::physicalExtents(KernelBuilder &k) const {
  if (!layout)
    return extents;
  SmallVector<LaneIndex> logical;
  for (Value extent : extents)
    logical.push_back(LaneIndex::uniform(extent));
  auto attr = fused::LayoutAttr::get(k.getContext(), layout);
  SmallVector<Value> physical;
  for (AffineExpr expr : attr.getExtentMap().getResults())
    physical.push_back(evaluate(k, expr, logical, {}).base);
  return physical;
}

LaneAddress cpu::locate(KernelBuilder &k, const TensorView &view,
                        ArrayRef<LaneIndex> indices) {
  SmallVector<LaneIndex> physical(indices);
  if (view.layout) {
    physical.clear();
    for (AffineExpr expr : view.layout.getResults())
      physical.push_back(evaluate(k, expr, indices, {}));
  }
  SmallVector<Value> extents = view.physicalExtents(k);
  LaneIndex offset = LaneIndex::uniform(k.i64(0));
  Value stride = k.i64(1);
  for (unsigned i = physical.size(); i-- > 0;) {
    offset = addLanes(k, offset, mulLanes(k, physical[i], stride));
    if (i)
      stride = k.mul(stride, extents[i]);
  }
  return {view, offset};
}

LaneAddress cpu::locate(KernelBuilder &k, const TensorView &view, AffineMap map,
                        ArrayRef<LaneIndex> dims, ArrayRef<LaneIndex> symbols) {
  SmallVector<LaneIndex> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(evaluate(k, expr, dims, symbols));
  return locate(k, view, indices);
}

Type cpu::storageType(KernelBuilder &k, Type element) {
  return element.isInteger(1) ? k.getIntegerType(8) : element;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// Lanes [first, last) lie side by side.
static unsigned runEnd(const LaneIndex &offset, unsigned first) {
  unsigned last = first + 1;
  while (last < offset.offsets.size() &&
         offset.offsets[last] == offset.offsets[last - 1] + 1)
    ++last;
  return last;
}

static Value decode(KernelBuilder &k, Value stored, Type element) {
  if (!element.isInteger(1))
    return stored;
  return arith::CmpIOp::create(k, arith::CmpIPredicate::ne, stored,
                               k.constantInt(stored.getType(), 0));
}

static Value encode(KernelBuilder &k, Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  return arith::ExtUIOp::create(
      k, KernelBuilder::like(value.getType(), k.getIntegerType(8)), value);
}

/// One lane after the other; a lane at or past `active` reads lane 0, which is
/// there.
static Value gatherLanes(KernelBuilder &k, const LaneAddress &address,
                         Value active) {
  Type type = storageType(k, address.view.element);
  unsigned lanes = address.offset.lanes();
  Value result = k.zero(KernelBuilder::vec(type, lanes));
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Value offset = address.offset.at(k, lane);
    if (active && lane)
      offset =
          k.select(k.lt(k.i64(lane), active), offset, address.offset.at(k, 0));
    Value at = k.gep(type, address.view.pointer, offset);
    result = k.insert(k.load(type, at), result, lane);
  }
  return result;
}

Value cpu::loadLanes(KernelBuilder &k, const LaneAddress &address,
                     Value active) {
  const LaneIndex &offset = address.offset;
  Type element = storageType(k, address.view.element);
  Value pointer = address.view.pointer;
  if (offset.isUniform())
    return decode(k, k.load(element, k.gep(element, pointer, offset.base)),
                  address.view.element);
  Value stored;
  if (offset.isConsecutive()) {
    Type type = KernelBuilder::vec(element, offset.lanes());
    Value at = k.gep(element, pointer, offset.base);
    stored = active ? k.maskedLoad(type, at, k.laneMask(offset.lanes(), active))
                    : k.load(type, at);
  } else {
    stored = gatherLanes(k, address, active);
  }
  return decode(k, stored, address.view.element);
}

/// Stores that are not one run: run by run where the runs are known and no lane
/// is masked, else lane by lane.
static void scatterLanes(KernelBuilder &k, Value stored,
                         const LaneAddress &address, Value active) {
  Type element = storageType(k, address.view.element);
  const LaneIndex &offset = address.offset;
  for (unsigned lane = 0, lanes = offset.lanes(); lane < lanes;) {
    unsigned end =
        active || !offset.perLane.empty() ? lane + 1 : runEnd(offset, lane);
    auto write = [&] {
      Value at = k.gep(element, address.view.pointer, offset.at(k, lane));
      k.store(k.slice(stored, lane, end - lane), at);
    };
    if (active && lane)
      k.ifThen(k.lt(k.i64(lane), active), write);
    else
      write();
    lane = end;
  }
}

void cpu::storeLanes(KernelBuilder &k, Value value, const LaneAddress &address,
                     Value active, Value condition) {
  if (condition)
    return k.ifThen(condition, [&] { storeLanes(k, value, address, active); });
  const LaneIndex &offset = address.offset;
  Type element = storageType(k, address.view.element);
  Value stored = encode(k, value, address.view.element);
  if (offset.isUniform()) {
    Value at = k.gep(element, address.view.pointer, offset.base);
    return k.store(k.extract(stored, 0), at);
  }
  stored = k.broadcast(stored, offset.lanes());
  if (!offset.isConsecutive())
    return scatterLanes(k, stored, address, active);
  Value at = k.gep(element, address.view.pointer, offset.base);
  if (active)
    return k.maskedStore(stored, at, k.laneMask(offset.lanes(), active));
  k.store(stored, at);
}
