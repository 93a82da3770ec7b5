//===- RegionToVector.cpp - Scalar regions on lanes -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/RegionToVector.h"
#include "sinter/Conversion/FusedToCPU/VectorMath.h"
#include "sinter/Dialect/Fused/IR/Fused.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace sinter;
using namespace sinter::cpu;

//===----------------------------------------------------------------------===//
// Translation
//===----------------------------------------------------------------------===//

namespace {
class RegionEmitter {
public:
  RegionEmitter(KernelBuilder &k, unsigned lanes) : k(k), lanes(lanes) {}

  void bind(Value argument, RegionArgument value) {
    bound.insert({argument, std::move(value)});
  }
  LogicalResult emit(Operation &op);
  /// Numbers: an index that differs by lane becomes an i32 vector.
  Value number(Value value);

private:
  Value emitOne(Operation &op);
  Value emitElementwise(Operation &op);
  Value emitIndexArithmetic(Operation &op);
  Value emitIndexCast(Value operand, Type to);
  Value emitMaximum(Operation &op, bool maximum, bool keepNaN);
  Value emitDivision(Operation &op);
  Value emitClass(Operation &op);
  Value emitBitCount(Operation &op);
  Value emitRead(fused::ReadOp op);
  LaneIndex laneIndex(Value value);
  Value indexVector(const LaneIndex &index);
  Value saturate(Value value);
  SmallVector<Value> operands(Operation &op);
  Type kernelType(Type type, unsigned lanes) const;

  KernelBuilder &k;
  unsigned lanes;
  llvm::DenseMap<Value, RegionArgument> bound;
};
} // namespace

/// Index is i64 as a scalar and i32 in vectors.
Type RegionEmitter::kernelType(Type type, unsigned lanes) const {
  if (type.isIndex())
    type = lanes == 1 ? k.getI64Type() : k.getI32Type();
  return KernelBuilder::vec(type, lanes);
}

/// An integer of any width as i32, lane by lane.
Value RegionEmitter::saturate(Value value) {
  Type type = value.getType();
  if (KernelBuilder::elementOf(type).getIntOrFloatBitWidth() <= 32)
    return k.intCast(value, k.getI32Type());
  Value low = k.constantInt(type, std::numeric_limits<int32_t>::min());
  Value high = k.constantInt(type, std::numeric_limits<int32_t>::max());
  return k.intCast(k.max(low, k.min(value, high)), k.getI32Type());
}

Value RegionEmitter::indexVector(const LaneIndex &index) {
  if (index.perLane.empty()) {
    Value base = k.broadcast(saturate(index.base), lanes);
    return k.add(base, k.lanesConstant(k.getI32Type(), index.offsets));
  }
  Value result = k.constantInt(k.vec(k.getI32Type(), lanes), 0);
  for (auto [lane, value] : llvm::enumerate(index.perLane))
    result = k.insert(saturate(value), result, lane);
  return result;
}

Value RegionEmitter::number(Value value) {
  RegionArgument &argument = bound.find(value)->second;
  if (auto *known = std::get_if<Value>(&argument))
    return *known;
  const auto &index = std::get<LaneIndex>(argument);
  Value result = index.isUniform() ? index.base : indexVector(index);
  return result;
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
  for (auto [value, operand] : llvm::zip_equal(values, op.getOperands())) {
    if (KernelBuilder::lanesOf(value) > 1)
      continue;
    if (operand.getType().isIndex())
      value = saturate(value);
    value = k.broadcast(value, lanes);
  }
  return values;
}

Value RegionEmitter::emitElementwise(Operation &op) {
  SmallVector<Value> values = operands(op);
  unsigned shape = values.empty() ? 1 : KernelBuilder::lanesOf(values.front());
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(values);
  state.addTypes(kernelType(op.getResult(0).getType(), shape));
  state.addAttributes(op.getAttrs());
  return k.create(state)->getResult(0);
}

/// Sums of indices keep their form, so that reads at them stay neighbours.
Value RegionEmitter::emitIndexArithmetic(Operation &op) {
  LaneIndex a = laneIndex(op.getOperand(0)), b = laneIndex(op.getOperand(1));
  AffineExpr d0 = getAffineDimExpr(0, k.getContext());
  AffineExpr d1 = getAffineDimExpr(1, k.getContext());
  AffineExpr expr = isa<arith::SubIOp>(op)   ? d0 - d1
                    : isa<arith::MulIOp>(op) ? d0 * d1
                                             : d0 + d1;
  if (isa<arith::MulIOp>(op) && !a.isUniform() && !b.isUniform())
    return emitElementwise(op);
  if (!a.perLane.empty() || !b.perLane.empty())
    return emitElementwise(op);
  bind(op.getResult(0), cpu::evaluate(k, expr, {a, b}, {}));
  return nullptr;
}

Value RegionEmitter::emitIndexCast(Value operand, Type to) {
  Value value = number(operand);
  if (KernelBuilder::lanesOf(value) == 1)
    return k.intCast(value, to.isIndex() ? k.getI64Type() : to);
  return to.isIndex() ? saturate(value) : k.intCast(value, to);
}

/// Whether a value of the region is a constant other than NaN.
static bool isNumber(Value value) {
  FloatAttr attr;
  return matchPattern(value, m_Constant(&attr)) && !attr.getValue().isNaN();
}

/// maximumf and minimumf (a NaN wins), maxnumf and minnumf (a number wins).
Value RegionEmitter::emitMaximum(Operation &op, bool maximum, bool keepNaN) {
  SmallVector<Value> v = operands(op);
  auto choose = [&](Value a, Value b) {
    return maximum ? k.maxF(a, b) : k.minF(a, b);
  };
  // One instruction gives its second operand where either is NaN.
  if (isNumber(op.getOperand(1)))
    return keepNaN ? choose(v[1], v[0]) : choose(v[0], v[1]);
  if (isNumber(op.getOperand(0)))
    return keepNaN ? choose(v[0], v[1]) : choose(v[1], v[0]);
  // Its second operand is NaN already where that is what is wanted.
  Value a = keepNaN ? v[0] : v[1], b = keepNaN ? v[1] : v[0];
  Value nan = arith::CmpFOp::create(k, arith::CmpFPredicate::UNO, a, a);
  if (keepNaN)
    return k.select(nan, a, choose(a, b));
  return k.select(nan, b, choose(b, a));
}

/// Lanes past the end of a row may hold a zero divisor, which would trap.
Value RegionEmitter::emitDivision(Operation &op) {
  SmallVector<Value> v = operands(op);
  Type type = v[0].getType();
  Value zero = arith::CmpIOp::create(k, arith::CmpIPredicate::eq, v[1],
                                     k.constantInt(type, 0));
  v[1] = k.select(zero, k.constantInt(type, 1), v[1]);
  OperationState state(op.getLoc(), op.getName());
  state.addOperands(v);
  state.addTypes(type);
  return k.create(state)->getResult(0);
}

Value RegionEmitter::emitClass(Operation &op) {
  Value x = number(op.getOperand(0)), size = k.absF(x);
  Value infinity = k.constant(x.getType(), HUGE_VAL);
  auto predicate = isa<math::IsNaNOp>(op)   ? arith::CmpFPredicate::UNO
                   : isa<math::IsInfOp>(op) ? arith::CmpFPredicate::OEQ
                                            : arith::CmpFPredicate::OLT;
  return arith::CmpFOp::create(k, predicate, size, infinity);
}

Value RegionEmitter::emitBitCount(Operation &op) {
  Value x = number(op.getOperand(0));
  Type type = x.getType();
  if (isa<math::CtPopOp>(op))
    return LLVM::CtPopOp::create(k, type, x);
  if (isa<math::CountLeadingZerosOp>(op))
    return LLVM::CountLeadingZerosOp::create(k, type, x,
                                             /*is_zero_poison=*/false);
  return LLVM::CountTrailingZerosOp::create(k, type, x,
                                            /*is_zero_poison=*/false);
}

Value RegionEmitter::emitRead(fused::ReadOp op) {
  const auto &table = std::get<TensorView>(bound.find(op.getTable())->second);
  SmallVector<LaneIndex> indices;
  for (Value index : op.getIndices())
    indices.push_back(laneIndex(index));
  return readClamped(k, table, indices);
}

/// Null where the result is bound already or the op is unknown.
Value RegionEmitter::emitOne(Operation &op) {
  auto unary = [&] { return number(op.getOperand(0)); };
  auto both = [&] { return operands(op); };
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case([&](arith::ConstantOp constant) -> Value {
        if (!constant.getType().isIndex())
          return emitElementwise(op);
        return k.i64(cast<IntegerAttr>(constant.getValue()).getInt());
      })
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp>([&](auto) {
        return op.getResult(0).getType().isIndex() ? emitIndexArithmetic(op)
                                                   : emitElementwise(op);
      })
      .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto) {
        return emitIndexCast(op.getOperand(0), op.getResult(0).getType());
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return emitDivision(op); })
      .Case([&](arith::MaximumFOp) { return emitMaximum(op, true, true); })
      .Case([&](arith::MinimumFOp) { return emitMaximum(op, false, true); })
      .Case([&](arith::MaxNumFOp) { return emitMaximum(op, true, false); })
      .Case([&](arith::MinNumFOp) { return emitMaximum(op, false, false); })
      .Case<arith::RemFOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp>([&](auto) { return Value(); })
      .Case([&](math::ExpOp) { return cpu::exp(k, unary()); })
      .Case([&](math::Exp2Op) { return cpu::exp2(k, unary()); })
      .Case([&](math::ExpM1Op) { return cpu::expm1(k, unary()); })
      .Case([&](math::LogOp) { return cpu::log(k, unary()); })
      .Case([&](math::Log2Op) { return cpu::log2(k, unary()); })
      .Case([&](math::Log1pOp) { return cpu::log1p(k, unary()); })
      .Case([&](math::Log10Op) {
        Value x = cpu::log2(k, unary());
        return k.mulF(x, k.constant(x.getType(), 0.3010299956639812));
      })
      .Case([&](math::TanhOp) { return cpu::tanh(k, unary()); })
      .Case([&](math::ErfOp) { return cpu::erf(k, unary()); })
      .Case([&](math::SinOp) { return cpu::sin(k, unary()); })
      .Case([&](math::CosOp) { return cpu::cos(k, unary()); })
      .Case([&](math::SqrtOp) { return k.sqrtF(unary()); })
      .Case([&](math::RsqrtOp) { return cpu::rsqrt(k, unary()); })
      .Case([&](math::AbsFOp) { return k.absF(unary()); })
      .Case([&](math::FloorOp) { return k.floorF(unary()); })
      .Case([&](math::RoundEvenOp) { return k.roundF(unary()); })
      .Case([&](math::CeilOp) {
        return Value(LLVM::FCeilOp::create(k, unary()));
      })
      .Case([&](math::TruncOp) {
        return Value(LLVM::FTruncOp::create(k, unary()));
      })
      .Case([&](math::RoundOp) {
        return Value(LLVM::RoundOp::create(k, unary()));
      })
      .Case<math::IsNaNOp, math::IsInfOp, math::IsFiniteOp>(
          [&](auto) { return emitClass(op); })
      .Case([&](math::ClampFOp) {
        SmallVector<Value> v = both();
        return k.minF(v[2], k.maxF(v[1], v[0]));
      })
      .Case<math::CountLeadingZerosOp, math::CountTrailingZerosOp,
            math::CtPopOp>([&](auto) { return emitBitCount(op); })
      .Case([&](math::FPowIOp) {
        SmallVector<Value> v = both();
        Value y = arith::SIToFPOp::create(k, v[0].getType(), v[1]);
        return cpu::pow(k, v[0], y);
      })
      .Case([&](math::PowFOp) {
        SmallVector<Value> v = both();
        return cpu::pow(k, v[0], v[1]);
      })
      .Case([&](math::FmaOp) {
        SmallVector<Value> v = both();
        return k.fma(v[0], v[1], v[2]);
      })
      .Case([&](math::CopySignOp) {
        SmallVector<Value> v = both();
        return Value(LLVM::CopySignOp::create(k, v[0], v[1]));
      })
      .Case([&](math::AbsIOp) {
        Value x = unary();
        return Value(arith::MaxSIOp::create(
            k, x, k.sub(k.constantInt(x.getType(), 0), x)));
      })
      .Case([&](fused::SigmoidOp) { return cpu::sigmoid(k, unary()); })
      .Case([&](fused::ReadOp read) { return emitRead(read); })
      .Default([&](Operation *) {
        bool arithmetic = isa<arith::ArithDialect>(op.getDialect()) &&
                          op.getNumResults() == 1;
        return arithmetic ? emitElementwise(op) : Value();
      });
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
                ArrayRef<RegionArgument> arguments, unsigned lanes) {
  assert(block.getNumArguments() == arguments.size());
  RegionEmitter emitter(k, lanes);
  for (auto [argument, value] :
       llvm::zip_equal(block.getArguments(), arguments))
    emitter.bind(argument, value);
  for (Operation &op : block.without_terminator())
    if (failed(emitter.emit(op)))
      return failure();
  SmallVector<Value> yields;
  for (Value yielded : block.getTerminator()->getOperands())
    yields.push_back(emitter.number(yielded));
  return yields;
}
