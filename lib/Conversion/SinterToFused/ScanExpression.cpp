//===- ScanExpression.cpp - A step of a scan as expressions ---------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanExpression.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::scan;

Expressions::Expressions(ScanOp scan)
    : scan(scan), context(scan.getContext()) {}

/// W of a value [B, W] with constant W; nothing for any other.
static std::optional<int64_t> widthOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() != 2 || type.isDynamicDim(1) ||
      type.getDimSize(1) == 0)
    return std::nullopt;
  return type.getDimSize(1);
}

LogicalResult Expressions::build() {
  chooseProjected();
  Operation *yield = scan.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(yield->getOperands())) {
    std::optional<int64_t> width = widthOf(value);
    if (!width || !getElementTypeOrSelf(value.getType()).isF32()) {
      stop(yield, "it yields something else than rows [B, W] of f32");
      return failure();
    }
    Node *node = get(value, {0, *width});
    if (!node)
      return failure();
    bool isOutput = number < scan.getNumOutputs();
    (isOutput ? outputs : states).push_back(node);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool Expressions::isOutside(Value value) const {
  return !ScanOp(scan).getBody().isAncestor(value.getParentRegion());
}

Node *Expressions::stop(Operation *op, const Twine &why) {
  if (!obstacle.op)
    obstacle = {op, why.str()};
  return nullptr;
}

Node *Expressions::add(Node node) {
  for (Node *operand : node.operands)
    node.level = std::max(node.level, operand->level);
  if (node.kind == Node::Product)
    node.level = node.factor->isArgument()
                     ? 0
                     : std::max<int64_t>(node.factor->level, 0) + 1;
  // What is reduced is read several times, so it is kept if it is costly.
  for (Node *operand : node.operands)
    if (node.kind == Node::Reduction && operand->isCostly &&
        operand->level >= 0)
      node.level = std::max(node.level, operand->level + 1);
  nodes.push_back(std::move(node));
  return &nodes.back();
}

Node *Expressions::get(Value value, Range range) {
  auto &made = known[value];
  if (auto found = made.find(range); found != made.end())
    return found->second;
  Node *node = make(value, range);
  known[value][range] = node;
  return node;
}

/// The operation whose result `op` gives another shape.
static Operation *behindViews(Operation *op) {
  while (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op)) {
    Operation *source = op->getOperand(0).getDefiningOp();
    if (!source || source->getBlock() != op->getBlock())
      break;
    op = source;
  }
  return op;
}

Node *Expressions::make(Value value, Range range) {
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && !isOutside(value))
    return makeArgument(argument, range);
  if (isOutside(value))
    return makeOutside(value, scan.getLoc(), range);
  Operation *op = value.getDefiningOp();
  if (!widthOf(value))
    return stop(op, "it makes something else than rows [B, W]");
  if (std::optional<Linear> linear = asLinear(op))
    return makeLinear(*linear, range);
  return llvm::TypeSwitch<Operation *, Node *>(op)
      .Case([&](SplitOp split) {
        int64_t first = range.first;
        for (int64_t size : split.getSizes().take_front(
                 cast<OpResult>(value).getResultNumber()))
          first += size;
        return get(split.getInput(), range.from(first));
      })
      .Case([&](BroadcastOp o) { return makeBroadcast(o, range); })
      .Case([&](tensor::ConcatOp o) { return makeConcat(o, range); })
      .Case([&](tensor::ExtractSliceOp o) { return makeSlice(o, range); })
      .Case([&](tensor::CastOp o) { return get(o.getSource(), range); })
      .Case<LayerNormOp, RmsNormOp, SoftmaxOp, LogSoftmaxOp>(
          [&](Operation *o) { return makeNorm(o, range); })
      .Default([&](Operation *o) {
        if (isElementwise(o))
          return makeElementwise(o, range);
        return stop(behindViews(o),
                    "it is no projection, norm or element-wise arithmetic");
      });
}

AffineExpr Expressions::columnAt(Range range) const {
  AffineExpr first = getAffineConstantExpr(range.first, context);
  return range.isRepeated ? first : getAffineDimExpr(DimU, context) + first;
}

Node *Expressions::makeArgument(BlockArgument argument, Range range) {
  unsigned number = argument.getArgNumber(),
           sequences = scan.getSequences().size();
  std::optional<int64_t> width = widthOf(argument);
  if (!width)
    return stop(scan, "it has steps or states that are not rows [B, W]");
  Type type = getElementTypeOrSelf(argument.getType());
  if (number < sequences) {
    return makeCapture(scan.getSequences()[number], scan.getLoc(), range.units,
                       {getAffineDimExpr(DimB, context),
                        getAffineDimExpr(DimT, context), columnAt(range)});
  }
  if (!type.isF32())
    return stop(scan, "it has a state that is not f32");
  if (range.isRepeated)
    return stop(scan, "a number of a state is repeated");
  if (range.first != 0 || range.units != *width)
    return stop(scan, "a part of a state is used alone");
  return add({Node::State,
              scan.getLoc(),
              type,
              range.units,
              -1,
              {},
              number - sequences});
}

//===----------------------------------------------------------------------===//
// From outside
//===----------------------------------------------------------------------===//

Node *Expressions::makeCapture(Value tensor, Location loc, int64_t units,
                               ArrayRef<AffineExpr> indices) {
  auto map = AffineMap::get(numDims, 0, indices, context);
  Node node{Node::Capture, loc, getElementTypeOrSelf(tensor.getType()), units};
  node.access = {tensor, map};
  return add(node);
}

/// An operand of rank 1 or 2 that has the step's shape from the right.
Node *Expressions::makeOutside(Value value, Location loc, Range range) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getRank() > 2)
    return stop(scan, "an element-wise operand is no tensor [B, W]");
  DenseElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)) && splat.isSplat()) {
    auto attr = splat.getSplatValue<TypedAttr>();
    Node node{Node::Number, loc, attr.getType(), range.units};
    node.code = [attr](OpBuilder &b, Location l, ValueRange) -> Value {
      return arith::ConstantOp::create(b, l, attr);
    };
    return add(node);
  }
  SmallVector<AffineExpr> indices;
  auto index = [&](unsigned dim, AffineExpr expr) {
    bool isOne = type.getDimSize(dim) == 1;
    indices.push_back(isOne ? getAffineConstantExpr(0, context) : expr);
  };
  if (type.getRank() == 2)
    index(0, getAffineDimExpr(DimB, context));
  if (type.getRank() != 0)
    index(type.getRank() - 1, columnAt(range));
  return makeCapture(value, loc, range.units, indices);
}

/// A scalar operand: a constant.
Node *Expressions::makeNumber(Operation *user, Value value, int64_t units) {
  TypedAttr attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return stop(user, "it uses a number that is not constant");
  Node node{Node::Number, user->getLoc(), value.getType(), units};
  node.code = [attr](OpBuilder &b, Location l, ValueRange) -> Value {
    return arith::ConstantOp::create(b, l, attr);
  };
  return add(node);
}

Node *Expressions::makeBroadcast(BroadcastOp op, Range range) {
  Value input = op.getInput();
  if (!isa<RankedTensorType>(input.getType()))
    return makeNumber(op, input, range.units);
  if (isOutside(input))
    return makeOutside(input, op.getLoc(), range);
  std::optional<int64_t> width = widthOf(input);
  if (width && *width == *widthOf(op.getResult()))
    return get(input, range);
  if (width && *width == 1)
    return get(input, {0, range.units, /*isRepeated=*/true});
  return stop(op, "it repeats something else than a number per row");
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

Node *Expressions::makeConcat(tensor::ConcatOp op, Range range) {
  if (op.getDim() != 1)
    return stop(op, "it joins rows");
  int64_t first = 0;
  for (Value input : op.getInputs()) {
    std::optional<int64_t> width = widthOf(input);
    if (!width)
      return stop(op, "it joins parts of unknown size");
    if (range.first >= first && range.first + range.columns() <= first + *width)
      return get(input, range.from(range.first - first));
    first += *width;
  }
  return stop(op, "it is used across its parts");
}

Node *Expressions::makeSlice(tensor::ExtractSliceOp op, Range range) {
  ArrayRef<int64_t> offsets = op.getStaticOffsets(),
                    strides = op.getStaticStrides();
  if (op.getSourceType().getRank() != 2 || offsets[0] != 0 ||
      ShapedType::isDynamic(offsets[1]) || strides[0] != 1 || strides[1] != 1)
    return stop(op, "it cuts something else than columns");
  return get(op.getSource(), range.from(range.first + offsets[1]));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Node *Expressions::compute(Operation *op, ArrayRef<Node *> operands,
                           ScalarCode code, bool isCheap) {
  Node node{Node::Compute, op->getLoc(),
            getElementTypeOrSelf(op->getResult(0).getType()),
            operands.front()->units};
  node.operands.assign(operands.begin(), operands.end());
  node.code = std::move(code);
  node.isCheap = isCheap;
  node.isCostly = (!isCheap && !isa<LayerNormOp, RmsNormOp>(op)) ||
                  llvm::any_of(operands, [](Node *o) { return o->isCostly; });
  return add(node);
}

/// Arithmetic of a cycle or two.
static bool isCheap(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp,
             arith::CmpFOp, arith::SelectOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, ReluOp>(op);
}

Node *Expressions::makeElementwise(Operation *op, Range range) {
  SmallVector<Node *> operands;
  for (Value operand : op->getOperands()) {
    bool isTensor = isa<RankedTensorType>(operand.getType());
    operands.push_back(isTensor ? get(operand, range)
                                : makeNumber(op, operand, range.units));
    if (!operands.back())
      return nullptr;
  }
  return compute(
      op, operands,
      [op](OpBuilder &b, Location, ValueRange values) {
        return emitScalar(b, op, values);
      },
      isCheap(op));
}
