//===- RegionToVector.cpp - Scalar regions on lanes -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/RegionToVector.h"
#include "IndexRanges.h"
#include "RegionFunctions.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

namespace {
class RegionEmitter {
public:
  RegionEmitter(KernelBuilder &k, unsigned lanes, ClampReport report)
      : k(k), lanes(lanes), report(report) {}

  /// An argument of the region.
  void bindArgument(Value argument, const RegionArgument &value) {
    if (auto *index = std::get_if<LaneIndex>(&value))
      ranges.setLoopIndex(argument, /*mayBeNegative=*/index->isUniform());
    bind(argument, value);
  }
  LogicalResult emit(Operation &op);
  /// As numbers: an index that differs by lane becomes a vector.
  Value number(Value value);
  /// Once per point, whatever the number of reads.
  void reportClamps();

private:
  void bind(Value value, RegionArgument bound) {
    this->bound.insert({value, std::move(bound)});
  }
  Value emitOne(Operation &op);
  Value emitElementwise(Operation &op, ArrayRef<Value> values);
  Value emitConstant(arith::ConstantOp op);
  Value emitIndexArithmetic(Operation &op);
  Value emitIndexCast(Operation &op);
  Value emitIndexComparison(arith::CmpIOp op);
  bool isAffine(Value value);
  Value emitGeneric(Operation &op);
  Value emitRead(fused::ReadOp op);
  LaneIndex laneIndex(Value value);
  Value indexVector(const LaneIndex &index, Type element);
  Value narrowed(Operation &op, Value result);
  bool needsWide(Operation &op, ArrayRef<Value> values);
  SmallVector<Value> operands(Operation &op);

  KernelBuilder &k;
  unsigned lanes;
  ClampReport report;
  /// Whether a read that reports was clamped; null: there is none.
  Value clamped;
  IndexRanges ranges;
  llvm::DenseMap<Value, RegionArgument> bound;
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers: an index is i64 as a scalar, in vectors i32 where its range allows
//===----------------------------------------------------------------------===//

/// An integer as i32; beyond its range, the nearest there is.
static Value saturate(KernelBuilder &k, Value value) {
  Type type = value.getType();
  if (KernelBuilder::elementOf(type).getIntOrFloatBitWidth() <= 32)
    return k.intCast(value, k.getI32Type());
  Value low = k.constantInt(type, std::numeric_limits<int32_t>::min());
  Value high = k.constantInt(type, std::numeric_limits<int32_t>::max());
  return k.intCast(k.max(low, k.min(value, high)), k.getI32Type());
}

Value RegionEmitter::indexVector(const LaneIndex &index, Type element) {
  if (index.perLane.empty()) {
    Value base = k.broadcast(k.intCast(index.base, element), lanes);
    return k.add(base, k.lanesConstant(element, index.offsets));
  }
  Value result = k.constantInt(k.vec(element, lanes), 0);
  for (auto [lane, value] : llvm::enumerate(index.perLane))
    result = k.insert(k.intCast(value, element), result, lane);
  return result;
}

Value RegionEmitter::number(Value value) {
  RegionArgument &argument = bound.find(value)->second;
  if (auto *known = std::get_if<Value>(&argument))
    return *known;
  const auto &index = std::get<LaneIndex>(argument);
  if (index.isUniform())
    return index.base;
  return indexVector(index,
                     ranges.isNarrow(value) ? k.getI32Type() : k.getI64Type());
}

LaneIndex RegionEmitter::laneIndex(Value value) {
  RegionArgument &argument = bound.find(value)->second;
  if (auto *index = std::get_if<LaneIndex>(&argument))
    return *index;
  Value known = std::get<Value>(argument);
  if (KernelBuilder::lanesOf(known) == 1)
    return LaneIndex::uniform(k.intCast(known, k.getI64Type()));
  LaneIndex result;
  for (unsigned lane = 0; lane < lanes; ++lane)
    result.perLane.push_back(k.intCast(k.extract(known, lane), k.getI64Type()));
  return result;
}

/// Whether an op on vectors of indices needs 64 bits to be exact.
bool RegionEmitter::needsWide(Operation &op, ArrayRef<Value> values) {
  auto isIndex = [](Value value) { return value.getType().isIndex(); };
  if (op.getNumResults() == 1 && isIndex(op.getResult(0)) &&
      !ranges.isNarrow(op.getResult(0)))
    return true;
  auto comparison = dyn_cast<arith::CmpIOp>(op);
  bool saturates =
      comparison && comparison.getPredicate() < arith::CmpIPredicate::ult;
  // These see a negative number as one above all others.
  bool isUnsigned =
      isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp, arith::ShRUIOp>(
          op);
  for (auto [value, operand] : llvm::zip_equal(values, op.getOperands())) {
    if (!isIndex(operand))
      continue;
    bool scalar = KernelBuilder::lanesOf(value) == 1;
    if (!ranges.isNarrow(operand) && !(scalar && saturates))
      return true;
    if (isUnsigned && ranges.get(operand).low < 0)
      return true;
  }
  return false;
}

/// All operands in one shape: scalars if all are, else vectors.
SmallVector<Value> RegionEmitter::operands(Operation &op) {
  SmallVector<Value> values;
  bool vectors = false;
  for (Value operand : op.getOperands()) {
    values.push_back(number(operand));
    vectors |= KernelBuilder::lanesOf(values.back()) > 1;
  }
  if (!vectors)
    return values;
  bool wide = needsWide(op, values);
  for (auto [value, operand] : llvm::zip_equal(values, op.getOperands())) {
    if (operand.getType().isIndex())
      value = wide                       ? k.intCast(value, k.getI64Type())
              : ranges.isNarrow(operand) ? k.intCast(value, k.getI32Type())
                                         : saturate(k, value);
    value = k.broadcast(value, lanes);
  }
  return values;
}

/// A vector of indices in 32 bits where they fit.
Value RegionEmitter::narrowed(Operation &op, Value result) {
  if (!result || !op.getResult(0).getType().isIndex() ||
      KernelBuilder::lanesOf(result) == 1 || !ranges.isNarrow(op.getResult(0)))
    return result;
  return k.intCast(result, k.getI32Type());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Value RegionEmitter::emitElementwise(Operation &op, ArrayRef<Value> values) {
  unsigned shape = values.empty() ? 1 : KernelBuilder::lanesOf(values.back());
  Type element = op.getResult(0).getType();
  // Arithmetic on indices has an index as its last operand.
  if (element.isIndex())
    element = KernelBuilder::elementOf(values.back().getType());
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(values);
  state.addTypes(KernelBuilder::vec(element, shape));
  state.addAttributes(op.getAttrs());
  return k.create(state)->getResult(0);
}

Value RegionEmitter::emitConstant(arith::ConstantOp op) {
  if (!op.getType().isIndex())
    return emitElementwise(*op, {});
  return k.i64(cast<IntegerAttr>(op.getValue()).getInt());
}

/// Sums of indices keep their form, so that reads at them stay neighbours.
Value RegionEmitter::emitIndexArithmetic(Operation &op) {
  LaneIndex a = laneIndex(op.getOperand(0)), b = laneIndex(op.getOperand(1));
  bool bothVary = isa<arith::MulIOp>(op) && !a.isUniform() && !b.isUniform();
  if (bothVary || !a.perLane.empty() || !b.perLane.empty())
    return emitGeneric(op);
  AffineExpr d0 = getAffineDimExpr(0, k.getContext());
  AffineExpr d1 = getAffineDimExpr(1, k.getContext());
  AffineExpr expr = isa<arith::SubIOp>(op)   ? d0 - d1
                    : isa<arith::MulIOp>(op) ? d0 * d1
                                             : d0 + d1;
  bind(op.getResult(0), cpu::evaluate(k, expr, {a, b}, {}));
  return nullptr;
}

static bool hasNarrowOffsets(const LaneIndex &index) {
  return index.perLane.empty() &&
         llvm::all_of(index.offsets,
                      [](int64_t offset) { return llvm::isInt<32>(offset); });
}

/// Whether a value is base + offset in each lane and not near the ends of 64
/// bits; or a scalar.
bool RegionEmitter::isAffine(Value value) {
  RegionArgument &argument = bound.find(value)->second;
  if (auto *known = std::get_if<Value>(&argument))
    return KernelBuilder::lanesOf(*known) == 1;
  constexpr int64_t limit = int64_t(1) << 61;
  IndexRange range = ranges.get(value);
  return std::get<LaneIndex>(argument).perLane.empty() && range.low >= -limit &&
         range.high <= limit;
}

/// Offsets are constants: what differs by call is one scalar, so that 32 bits
/// suffice whatever the indices. Null where the plain way is as good.
Value RegionEmitter::emitIndexComparison(arith::CmpIOp op) {
  if (!op.getLhs().getType().isIndex() || !isAffine(op.getLhs()) ||
      !isAffine(op.getRhs()) || op.getPredicate() >= arith::CmpIPredicate::ult)
    return nullptr;
  auto isCheap = [&](Value value) {
    return ranges.isNarrow(value) || laneIndex(value).isUniform();
  };
  if (isCheap(op.getLhs()) && isCheap(op.getRhs()))
    return nullptr;
  auto bounded = [&](Value value) {
    LaneIndex index = laneIndex(value);
    int64_t limit = int64_t(1) << 62;
    if (index.isUniform())
      index.base = k.max(k.i64(-limit), k.min(index.base, k.i64(limit)));
    return index;
  };
  AffineExpr d0 = getAffineDimExpr(0, k.getContext());
  AffineExpr d1 = getAffineDimExpr(1, k.getContext());
  LaneIndex difference = cpu::evaluate(
      k, d0 - d1, {bounded(op.getLhs()), bounded(op.getRhs())}, {});
  if (difference.isUniform() || !hasNarrowOffsets(difference))
    return nullptr;
  Value offsets = k.lanesConstant(k.getI32Type(), difference.offsets);
  Value limit = saturate(k, k.sub(k.i64(0), difference.base));
  return arith::CmpIOp::create(k, op.getPredicate(), offsets,
                               k.broadcast(limit, lanes));
}

/// From or to an index; what fits no i32 is i64 in vectors.
Value RegionEmitter::emitIndexCast(Operation &op) {
  Type to = op.getResult(0).getType();
  // Lanes that differ by constants are made in the type that is wanted.
  auto *lane = std::get_if<LaneIndex>(&bound.find(op.getOperand(0))->second);
  if (lane && !lane->isUniform() && hasNarrowOffsets(*lane) &&
      to.getIntOrFloatBitWidth() == 32)
    return indexVector(*lane, to);
  Value value = number(op.getOperand(0));
  if (to.isIndex())
    to = k.getI64Type();
  if (isa<arith::IndexCastUIOp>(op)) {
    Type type = KernelBuilder::like(value.getType(), to);
    unsigned from =
        KernelBuilder::elementOf(value.getType()).getIntOrFloatBitWidth();
    if (from < to.getIntOrFloatBitWidth() &&
        !op.getOperand(0).getType().isIndex())
      return arith::ExtUIOp::create(k, type, value);
  }
  if (KernelBuilder::lanesOf(value) > 1 &&
      op.getResult(0).getType().isIndex() && ranges.isNarrow(op.getResult(0)))
    to = k.getI32Type();
  return k.intCast(value, to);
}

Value RegionEmitter::emitGeneric(Operation &op) {
  SmallVector<Value> values = operands(op);
  if (Value result = emitFunction(k, op, values))
    return narrowed(op, result);
  bool isPlain =
      isa<arith::ArithDialect>(op.getDialect()) && op.getNumResults() == 1;
  return isPlain ? narrowed(op, emitElementwise(op, values)) : Value();
}

Value RegionEmitter::emitRead(fused::ReadOp op) {
  const auto &table = std::get<TensorView>(bound.find(op.getTable())->second);
  SmallVector<LaneIndex> indices;
  for (Value index : op.getIndices())
    indices.push_back(laneIndex(index));
  if (op.getReports() && report.address)
    if (Value one = isClamped(k, table, indices, report.active))
      clamped = clamped ? k.createOrFold<arith::OrIOp>(clamped, one) : one;
  return readClamped(k, table, indices);
}

void RegionEmitter::reportClamps() {
  if (!clamped)
    return;
  k.ifThen(clamped, [&] {
    LLVM::StoreOp::create(k, k.i64(1), report.address, /*alignment=*/8,
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::monotonic);
  });
}

/// Null where the result is bound already or the op is unknown.
Value RegionEmitter::emitOne(Operation &op) {
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](arith::ConstantOp constant) { return emitConstant(constant); })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp>([&](auto) {
        return op.getResult(0).getType().isIndex() ? emitIndexArithmetic(op)
                                                   : emitGeneric(op);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>(
          [&](auto) { return emitIndexCast(op); })
      .Case([&](arith::CmpIOp comparison) {
        Value result = emitIndexComparison(comparison);
        return result ? result : emitGeneric(op);
      })
      .Case([&](fused::ReadOp read) { return emitRead(read); })
      .Default([&](Operation *) { return emitGeneric(op); });
}

LogicalResult RegionEmitter::emit(Operation &op) {
  Location outer = k.getLoc();
  k.setLoc(op.getLoc());
  Value result = emitOne(op);
  k.setLoc(outer);
  if (result)
    bind(op.getResult(0), result);
  else if (op.getNumResults() != 1 || !bound.contains(op.getResult(0)))
    return op.emitError("'")
           << op.getName() << "' has no translation in a region on a CPU";
  return success();
}

FailureOr<SmallVector<Value>>
cpu::emitRegion(KernelBuilder &k, Block &block,
                ArrayRef<RegionArgument> arguments, unsigned lanes,
                ClampReport report) {
  assert(block.getNumArguments() == arguments.size());
  RegionEmitter emitter(k, lanes, report);
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    emitter.bindArgument(argument, value);
  for (Operation &op : block.without_terminator())
    if (failed(emitter.emit(op)))
      return failure();
  emitter.reportClamps();
  SmallVector<Value> yields;
  for (Value yielded : block.getTerminator()->getOperands())
    yields.push_back(emitter.number(yielded));
  return yields;
}
