//===- Scalar.cpp - Evaluation of scalar regions --------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Reference/Scalar.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"
#include <deque>

using namespace mlir;

namespace sinter {

/// A recursive function would never end; scalar functions nest a few deep.
static constexpr unsigned maxCallDepth = 64;

/// A region with its values numbered: block arguments first, then constants and
/// outside values, then results in order.
class ScalarProgram {
public:
  LogicalResult build(Region &region, OuterLookup outer, unsigned depth);
  FailureOr<SmallVector<ScalarValue>> run(ArrayRef<ScalarOrTensor> arguments,
                                          Noise *noise);

private:
  /// One op: a scalar function, a call, or (neither) a read of a tensor.
  struct Step {
    Operation *op;
    ScalarFunction function = nullptr;
    ScalarErrorBound errorBound;
    std::shared_ptr<ScalarProgram> callee;
    SmallVector<unsigned> operands;
    SmallVector<unsigned> results;
  };

  SmallVector<Step, 0> steps;
  SmallVector<ScalarOrTensor, 0> slots;
  SmallVector<unsigned> yields;
  /// Constant tensors of the region; a deque keeps their addresses.
  std::deque<Tensor> constants;
  DenseMap<Value, unsigned> numbers;

  unsigned define(Value value, ScalarOrTensor content);
  FailureOr<unsigned> slotOf(Operation *user, Value value, Region &region,
                             OuterLookup outer);
  LogicalResult addOp(Operation *op, Region &region, OuterLookup outer,
                      unsigned depth);
  LogicalResult addConstant(arith::ConstantOp op);
  LogicalResult prepare(Step &step, unsigned depth);
  LogicalResult execute(Step &step, Noise *noise);
  std::optional<ScalarValue> read(const Step &step);
  std::optional<ScalarValue> extent(const Step &step);
};

unsigned ScalarProgram::define(Value value, ScalarOrTensor content) {
  numbers[value] = slots.size();
  slots.push_back(content);
  return slots.size() - 1;
}

FailureOr<unsigned> ScalarProgram::slotOf(Operation *user, Value value,
                                          Region &region, OuterLookup outer) {
  auto known = numbers.find(value);
  if (known != numbers.end())
    return known->second;
  std::optional<ScalarOrTensor> content;
  if (!region.isAncestor(value.getParentRegion()))
    content = outer(value);
  if (!content)
    return user->emitError("the reference has no value for an operand of '")
           << user->getName() << "'";
  return define(value, *content);
}

LogicalResult ScalarProgram::addConstant(arith::ConstantOp op) {
  if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
      elements && isReferenceElementType(elements.getElementType())) {
    constants.push_back(Tensor::fromElements(elements));
    define(op.getResult(), constants.back());
    return success();
  }
  std::optional<ScalarValue> value = ScalarValue::fromAttribute(op.getValue());
  if (!value)
    return op.emitError("the reference does not know constants of type ")
           << op.getType();
  define(op.getResult(), *value);
  return success();
}

LogicalResult ScalarProgram::prepare(Step &step, unsigned depth) {
  Operation *op = step.op;
  StringRef name = op->getName().getStringRef();
  if (llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>))
    step.function = lookupScalarFunction(name);
  if (step.function)
    step.errorBound = ScalarErrorBound::get(op);
  if (step.function || name == "fused.read" ||
      isa<tensor::ExtractOp, tensor::DimOp>(op))
    return success();
  auto call = dyn_cast<func::CallOp>(op);
  if (!call)
    return op->emitError("the reference does not know '")
           << name << "' in a scalar region";
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      op, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return op->emitError("function '") << call.getCallee() << "' has no body";
  if (depth >= maxCallDepth)
    return op->emitError("calls nest more than ")
           << maxCallDepth << " deep; is '" << call.getCallee()
           << "' recursive?";
  step.callee = std::make_shared<ScalarProgram>();
  auto nothing = [](Value) -> std::optional<ScalarOrTensor> {
    return std::nullopt;
  };
  return step.callee->build(callee.getBody(), nothing, depth + 1);
}

LogicalResult ScalarProgram::addOp(Operation *op, Region &region,
                                   OuterLookup outer, unsigned depth) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return addConstant(constant);
  Step step;
  step.op = op;
  for (Value operand : op->getOperands()) {
    FailureOr<unsigned> slot = slotOf(op, operand, region, outer);
    if (failed(slot))
      return failure();
    step.operands.push_back(*slot);
  }
  if (op->hasTrait<OpTrait::IsTerminator>()) {
    yields = step.operands;
    return success();
  }
  if (failed(prepare(step, depth)))
    return failure();
  for (Value result : op->getResults())
    step.results.push_back(define(result, ScalarOrTensor()));
  steps.push_back(std::move(step));
  return success();
}

LogicalResult ScalarProgram::build(Region &region, OuterLookup outer,
                                   unsigned depth) {
  if (!region.hasOneBlock())
    return emitError(region.getLoc(),
                     "the reference evaluates regions of one block only");
  for (BlockArgument argument : region.getArguments())
    define(argument, ScalarOrTensor());
  for (Operation &op : region.front())
    if (failed(addOp(&op, region, outer, depth)))
      return failure();
  return success();
}

std::optional<ScalarValue> ScalarProgram::read(const Step &step) {
  const Tensor &table = *slots[step.operands.front()].tensor;
  Shape indices;
  for (unsigned operand : llvm::drop_begin(step.operands))
    indices.push_back(slots[operand].scalar.integer);
  std::optional<int64_t> offset = table.clampedOffset(indices);
  if (!offset)
    return ScalarValue{table.elementType()};
  return table.get(*offset);
}

std::optional<ScalarValue> ScalarProgram::extent(const Step &step) {
  const Tensor &tensor = *slots[step.operands[0]].tensor;
  int64_t dim = slots[step.operands[1]].scalar.integer;
  if (dim < 0 || dim >= tensor.rank())
    return std::nullopt;
  return ScalarValue::ofInteger(step.op->getResult(0).getType(),
                                tensor.dim(dim));
}

LogicalResult ScalarProgram::execute(Step &step, Noise *noise) {
  if (step.callee) {
    SmallVector<ScalarOrTensor> arguments;
    for (unsigned operand : step.operands)
      arguments.push_back(slots[operand]);
    auto results = step.callee->run(arguments, noise);
    if (failed(results))
      return failure();
    for (auto [slot, value] : llvm::zip_equal(step.results, *results))
      slots[slot] = value;
    return success();
  }
  std::optional<ScalarValue> result;
  SmallVector<ScalarValue, 4> operands;
  if (step.function) {
    for (unsigned operand : step.operands)
      operands.push_back(slots[operand].scalar);
    result = step.function(step.op, step.op->getResult(0).getType(), operands);
  } else {
    result = isa<tensor::DimOp>(step.op) ? extent(step) : read(step);
  }
  if (!result)
    return step.op->emitError("the result of '")
           << step.op->getName() << "' is undefined for these operands";
  slots[step.results.front()] =
      noise ? noise->disturb(*result, step.errorBound, operands) : *result;
  return success();
}

FailureOr<SmallVector<ScalarValue>>
ScalarProgram::run(ArrayRef<ScalarOrTensor> arguments, Noise *noise) {
  assert(arguments.size() <= slots.size() && "one value per block argument");
  llvm::copy(arguments, slots.begin());
  for (Step &step : steps)
    if (failed(execute(step, noise)))
      return failure();
  SmallVector<ScalarValue> results;
  for (unsigned slot : yields)
    results.push_back(slots[slot].scalar);
  return results;
}

RegionEvaluator::RegionEvaluator()
    : program(std::make_unique<ScalarProgram>()) {}
RegionEvaluator::RegionEvaluator(RegionEvaluator &&) = default;
RegionEvaluator &RegionEvaluator::operator=(RegionEvaluator &&) = default;
RegionEvaluator::~RegionEvaluator() = default;

FailureOr<RegionEvaluator> RegionEvaluator::create(Region &region,
                                                   OuterLookup outer) {
  RegionEvaluator evaluator;
  if (failed(evaluator.program->build(region, outer, /*depth=*/0)))
    return failure();
  return evaluator;
}

FailureOr<SmallVector<ScalarValue>>
RegionEvaluator::run(ArrayRef<ScalarOrTensor> arguments, Noise *noise) {
  return program->run(arguments, noise);
}

FailureOr<SmallVector<ScalarValue>>
evaluateRegion(Region &region, ArrayRef<ScalarOrTensor> arguments,
               OuterLookup outer) {
  FailureOr<RegionEvaluator> evaluator = RegionEvaluator::create(region, outer);
  if (failed(evaluator))
    return failure();
  return evaluator->run(arguments);
}

} // namespace sinter
