//===- LinalgOps.cpp - Structured ops of upstream linalg on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"
#include "sinter/Reference/AffinePoint.h"

using namespace mlir;

namespace sinter {

static Shape evaluate(AffineMap map, ArrayRef<int64_t> point) {
  Shape values;
  for (AffineExpr expr : map.getResults())
    values.push_back(evaluateAt(expr, point));
  return values;
}

namespace {

/// The loop nest of a structured op.
class LoopNest {
public:
  LoopNest(linalg::LinalgOp op, EntryRun &run)
      : op(op), run(run), maps(op.getIndexingMapsArray()) {}

  LogicalResult execute();

private:
  bool takeIndices(Region &copy);
  FailureOr<Shape> ranges();
  FailureOr<int64_t> offsetOf(size_t i, ArrayRef<int64_t> point);
  LogicalResult step(ArrayRef<int64_t> point, RegionEvaluator &body);
  const Tensor &operand(size_t i) {
    auto inputs = static_cast<size_t>(op.getNumDpsInputs());
    return i < inputs ? run.get(op->getOperand(i)) : outputs[i - inputs];
  }

  linalg::LinalgOp op;
  EntryRun &run;
  SmallVector<AffineMap> maps;
  SmallVector<Tensor> outputs;
  /// The body's last arguments are the indices of the loops.
  bool hasIndices = false;
};

} // namespace

/// The extents of the loops.
FailureOr<Shape> LoopNest::ranges() {
  Shape extents;
  for (size_t i = 0; i < maps.size(); ++i)
    llvm::append_range(extents, operand(i).shape());
  AffineMap toLoops = op.getShapesToLoopsMap();
  if (!toLoops)
    return op.emitError("the reference can't tell the extents of the loops");
  return evaluate(toLoops, extents);
}

/// Where operand i is read or written at a point; fails outside of it.
FailureOr<int64_t> LoopNest::offsetOf(size_t i, ArrayRef<int64_t> point) {
  Shape indices = evaluate(maps[i], point);
  for (auto [index, extent] : llvm::zip_equal(indices, operand(i).shape()))
    if (index < 0 || index >= extent)
      return op.emitError("index '") << index << "' of operand '" << i
                                     << "' is outside of '" << extent << "'";
  return operand(i).offset(indices);
}

LogicalResult LoopNest::step(ArrayRef<int64_t> point, RegionEvaluator &body) {
  SmallVector<ScalarOrTensor> arguments;
  SmallVector<int64_t> offsets;
  for (size_t i = 0; i < maps.size(); ++i) {
    FailureOr<int64_t> offset = offsetOf(i, point);
    if (failed(offset))
      return failure();
    offsets.push_back(*offset);
    arguments.push_back(operand(i).get(*offset));
  }
  if (hasIndices)
    for (int64_t index : point)
      arguments.push_back(
          ScalarValue::ofInteger(IndexType::get(op.getContext()), index));
  auto values = body.run(arguments);
  if (failed(values))
    return failure();
  ArrayRef<int64_t> written =
      ArrayRef<int64_t>(offsets).take_back(outputs.size());
  for (auto [output, offset, value] :
       llvm::zip_equal(outputs, written, *values))
    output.set(offset, value);
  return success();
}

/// Puts into `copy` the body with arguments, one per loop, for `linalg.index`;
/// false where it has none.
bool LoopNest::takeIndices(Region &copy) {
  if (op.getBlock()->getOps<linalg::IndexOp>().empty())
    return false;
  IRMapping mapping;
  op->getRegion(0).cloneInto(&copy, mapping);
  Block &body = copy.front();
  unsigned first = body.getNumArguments();
  for (unsigned dim = 0; dim < op.getNumLoops(); ++dim)
    body.addArgument(IndexType::get(op.getContext()), op.getLoc());
  for (auto index :
       llvm::make_early_inc_range(body.getOps<linalg::IndexOp>())) {
    index.replaceAllUsesWith(body.getArgument(first + index.getDim()));
    index.erase();
  }
  return true;
}

LogicalResult LoopNest::execute() {
  for (Value init : op.getDpsInits())
    outputs.push_back(run.get(init));
  FailureOr<Shape> loops = ranges();
  if (failed(loops))
    return failure();
  Region withIndices;
  hasIndices = takeIndices(withIndices);
  FailureOr<RegionEvaluator> body =
      RegionEvaluator::create(hasIndices ? withIndices : op->getRegion(0),
                              [this](Value value) { return run.outer(value); });
  if (failed(body))
    return failure();
  LogicalResult status = success();
  forEachIndex(*loops, [&](ArrayRef<int64_t> point) {
    if (succeeded(status))
      status = step(point, *body);
  });
  for (auto [result, output] : llvm::zip_equal(op->getResults(), outputs))
    run.define(result, std::move(output));
  return status;
}

bool isStructuredOp(Operation *op) {
  return isa<linalg::LinalgOp>(op) && op->getNumResults() > 0;
}

LogicalResult runStructuredOp(Operation *op, EntryRun &run) {
  return LoopNest(cast<linalg::LinalgOp>(op), run).execute();
}

} // namespace sinter
