//===- ScanProducts.cpp - Products and norms of a scan's step -------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "ScanExpression.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sinter;
using namespace sinter::scan;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::optional<Expressions::Linear> Expressions::asLinear(Operation *op) {
  if (auto linear = dyn_cast<LinearOp>(op))
    return Linear{op, linear.getInput(), linear.getWeight(), linear.getBias(),
                  linear.getInOut()};
  auto matmul = dyn_cast<MatmulOp>(op);
  if (!matmul || matmul.getTransposeLhs() ||
      cast<RankedTensorType>(matmul.getRhs().getType()).getRank() != 2)
    return std::nullopt;
  return Linear{op, matmul.getLhs(), matmul.getRhs(), Value(),
                !matmul.getTransposeRhs()};
}

/// Takes a concatenation apart: its product is the sum of its parts' products.
void Expressions::collectParts(Value value, int64_t first,
                               SmallVectorImpl<Part> &parts) {
  if (auto cast = value.getDefiningOp<tensor::CastOp>())
    return collectParts(cast.getSource(), first, parts);
  auto concat = value.getDefiningOp<tensor::ConcatOp>();
  if (!concat || isOutside(value) || concat.getDim() != 1) {
    auto type = cast<RankedTensorType>(value.getType());
    parts.push_back({value, {first, type.getShape().back()}});
    return;
  }
  for (Value input : concat.getInputs()) {
    collectParts(input, first, parts);
    first += cast<RankedTensorType>(input.getType()).getDimSize(1);
  }
}

/// The sequence with the most products.
void Expressions::chooseProjected() {
  SmallVector<int64_t> columns(scan.getSequences().size(), 0);
  for (Operation &op : scan.getBody().front()) {
    std::optional<Linear> linear = asLinear(&op);
    if (!linear)
      continue;
    SmallVector<Part> parts;
    collectParts(linear->input, 0, parts);
    for (const Part &part : parts) {
      auto step = dyn_cast<BlockArgument>(part.value);
      auto type = cast<RankedTensorType>(op.getResult(0).getType());
      if (step && !isOutside(step) && step.getArgNumber() < columns.size())
        columns[step.getArgNumber()] += type.getShape().back();
    }
  }
  for (auto [number, count] : llvm::enumerate(columns))
    if (count > (projected ? columns[*projected] : 0))
      projected = number;
}

Node *Expressions::makeLinear(const Linear &linear, Range range) {
  auto weight = dyn_cast<RankedTensorType>(linear.weight.getType());
  if (!isOutside(linear.weight) || (linear.bias && !isOutside(linear.bias)))
    return stop(linear.op, "its weight is computed by the step");
  if (!weight || !weight.hasStaticShape() || !weight.getElementType().isF32())
    return stop(linear.op, "its weight is no constant matrix of f32");
  SmallVector<Part> parts;
  collectParts(linear.input, 0, parts);
  auto sum = [&](Node *a, Node *b) {
    auto code = [](OpBuilder &builder, Location loc, ValueRange values) {
      return Floats{builder, loc}.add(values[0], values[1]);
    };
    return compute(linear.op, {a, b}, code, /*isCheap=*/true);
  };
  Node *result = nullptr;
  for (const Part &part : parts) {
    Node *product = makeProduct(linear, part, range);
    if (!product)
      return nullptr;
    result = result ? sum(result, product) : product;
  }
  if (!linear.bias)
    return result;
  Node *bias = makeOutside(linear.bias, linear.op->getLoc(), range);
  return bias ? sum(result, bias) : nullptr;
}

Node *Expressions::makeProduct(const Linear &linear, const Part &part,
                               Range range) {
  auto type = cast<RankedTensorType>(part.value.getType());
  if (type.getRank() != 2 || ShapedType::isDynamic(part.inputs.units) ||
      !type.getElementType().isF32())
    return stop(linear.op, "its input is no row [B, W] of f32");
  Node node{Node::Product, linear.op->getLoc(), type.getElementType(),
            range.units};
  node.matrix = {linear.weight, linear.isInOut, range, part.inputs};
  auto argument = dyn_cast<BlockArgument>(part.value);
  if (argument && !isOutside(argument) &&
      argument.getArgNumber() < scan.getSequences().size()) {
    node.number = argument.getArgNumber();
    if (node.number == projected) {
      node.kind = Node::Projection;
      return add(node);
    }
    // One node per sequence, so that its products are one stack.
    Node *&step = known[argument][{-1, part.inputs.units}];
    if (!step)
      step = add({Node::Step,
                  linear.op->getLoc(),
                  type.getElementType(),
                  part.inputs.units,
                  -1,
                  {},
                  node.number});
    node.factor = step;
    return add(node);
  }
  node.factor = get(part.value, {0, part.inputs.units});
  return node.factor ? add(node) : nullptr;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

Node *Expressions::reduce(Operation *op, fused::Reduction kind,
                          ArrayRef<Node *> operands, ScalarCode code) {
  Node node{Node::Reduction, op->getLoc(), operands.front()->type,
            operands.front()->units};
  node.operands.assign(operands.begin(), operands.end());
  node.code = std::move(code);
  node.reduction = kind;
  return add(node);
}

/// code(component, earlier reductions) for each of `count` components, joined
/// by `join`.
static ScalarCode
overComponents(size_t count,
               std::function<Value(Floats, Value, ValueRange)> code,
               std::function<Value(Floats, Value, Value)> join) {
  return [=](OpBuilder &b, Location loc, ValueRange values) {
    Floats f{b, loc};
    Value result;
    for (Value component : values.take_front(count)) {
      Value made = code(f, component, values.drop_front(count));
      result = result ? join(f, result, made) : made;
    }
    return result;
  };
}

/// What a norm of rows of `width` numbers, in `count` components, reduces. The
/// variance is taken around the mean.
static SmallVector<std::pair<fused::Reduction, ScalarCode>>
passesOf(Operation *op, int64_t width, size_t count) {
  auto sum = [&](auto code) {
    return std::pair(
        fused::Reduction::sum,
        overComponents(count, code,
                       [](Floats f, Value a, Value b) { return f.add(a, b); }));
  };
  auto itself = [](Floats, Value x, ValueRange) { return x; };
  if (isa<LayerNormOp>(op))
    return {sum(itself), sum([width](Floats f, Value x, ValueRange earlier) {
              Value d = f.centred(x, earlier[0], width);
              return f.mul(d, d);
            })};
  if (isa<RmsNormOp>(op))
    return {sum([](Floats f, Value x, ValueRange) { return f.mul(x, x); })};
  auto maximum = overComponents(count, itself, [](Floats f, Value a, Value b) {
    return f.maximum(a, b);
  });
  return {{fused::Reduction::max, maximum},
          sum([](Floats f, Value x, ValueRange earlier) {
            return f.exp(f.shiftByMaximum(x, earlier[0]));
          })};
}

/// The reductions of a norm over the whole row, in components of `units` units
/// each; empty after an obstacle.
ArrayRef<Node *> Expressions::reductionsOf(Operation *op, int64_t units) {
  SmallVector<Node *> &made = reductions[{op, units}];
  if (!made.empty())
    return made;
  Value input = op->getOperand(0);
  int64_t width = cast<RankedTensorType>(input.getType()).getDimSize(1);
  SmallVector<Node *> operands;
  for (int64_t first = 0; first < width; first += units) {
    operands.push_back(get(input, {first, units}));
    if (!operands.back())
      return {};
  }
  for (auto &[kind, code] : passesOf(op, width, operands.size())) {
    made.push_back(reduce(op, kind, operands, code));
    operands.push_back(made.back());
  }
  return made;
}

/// From a number of the row, its reductions and the vectors at its unit.
static ScalarCode normCode(Operation *op, int64_t width) {
  using Values = ValueRange;
  return TypeSwitch<Operation *, ScalarCode>(op)
      .Case([&](LayerNormOp norm) {
        double eps = norm.getEps().convertToDouble();
        return [=](OpBuilder &b, Location loc, Values v) {
          Floats f{b, loc};
          Value scale = f.inverseDeviation(v[2], width, eps);
          Value y = f.mul(f.centred(v[0], v[1], width), scale);
          if (v.size() > 3)
            y = f.mul(y, v[3]);
          return v.size() > 4 ? f.add(y, v[4]) : y;
        };
      })
      .Case([&](RmsNormOp norm) {
        double eps = norm.getEps().convertToDouble();
        bool hasOffset = norm.getUnitOffset();
        return [=](OpBuilder &b, Location loc, Values v) {
          Floats f{b, loc};
          Value y = f.mul(v[0], f.inverseDeviation(v[1], width, eps));
          if (v.size() <= 2)
            return y;
          return f.mul(y, hasOffset ? f.add(v[2], f.number(1)) : v[2]);
        };
      })
      .Default([](Operation *softmax) {
        bool isLog = isa<LogSoftmaxOp>(softmax);
        return [=](OpBuilder &b, Location loc, Values v) {
          Floats f{b, loc};
          return f.softmax(f.shiftByMaximum(v[0], v[1]), v[2], isLog);
        };
      });
}

Node *Expressions::makeNorm(Operation *op, Range range) {
  Value input = op->getOperand(0);
  int64_t width = cast<RankedTensorType>(input.getType()).getDimSize(1);
  if (range.isRepeated)
    return stop(op, "a number of its result is repeated");
  if (width % range.units != 0)
    return stop(op, "it is used in parts that are not equal");
  SmallVector<Node *> operands = {get(input, range)};
  if (!operands[0])
    return nullptr;
  ArrayRef<Node *> made = reductionsOf(op, range.units);
  if (made.empty())
    return nullptr;
  llvm::append_range(operands, made);
  for (Value vector : op->getOperands().drop_front()) {
    if (!isOutside(vector))
      return stop(op, "its gain or bias is computed by the step");
    operands.push_back(makeOutside(vector, op->getLoc(), range));
    if (!operands.back())
      return nullptr;
  }
  return compute(op, operands, normCode(op, width), /*isCheap=*/false);
}
