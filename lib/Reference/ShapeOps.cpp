//===- ShapeOps.cpp - The dialect's data movement on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"

using namespace mlir;

namespace sinter {

static LogicalResult runSplit(SplitOp op, EntryRun &run) {
  SmallVector<Tensor> pieces =
      reference::split(run.get(op.getInput()), op.getSizes());
  for (auto [result, piece] : llvm::zip_equal(op.getResults(), pieces))
    run.define(result, std::move(piece));
  return success();
}

static LogicalResult runLast(LastOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  FailureOr<RowValues> lengths =
      rowLengths(op, run.getOptional(op.getLengths()), x.dim(0), x.dim(1));
  if (failed(lengths))
    return failure();
  for (int64_t &length : *lengths)
    --length;
  run.define(op.getResult(), reference::take(x, *lengths));
  return success();
}

static LogicalResult runTake(TakeOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  RowValues at = run.getRows(op.getAt());
  if (failed(checkSame(op, "size of at", x.dim(0),
                       static_cast<int64_t>(at.size()))))
    return failure();
  auto argument = dyn_cast<BlockArgument>(op.getAt());
  bool isInput =
      argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
  for (int64_t index : at)
    if (isInput && (index < 0 || index >= x.dim(1)))
      return op.emitError("index '")
             << index << "' is outside of the '" << x.dim(1) << "' positions";
  run.define(op.getResult(), reference::take(x, at));
  return success();
}

static LogicalResult runBroadcast(BroadcastOp op, EntryRun &run) {
  const Tensor &x = run.get(op.getInput());
  ArrayRef<int64_t> shape = run.get(op.getLike()).shape();
  for (auto [expected, actual] :
       llvm::zip_equal(shape.take_back(x.rank()), x.shape()))
    if (actual != 1 && failed(checkSame(op, "extent", expected, actual)))
      return failure();
  run.define(op.getResult(), reference::broadcast(x, shape));
  return success();
}

static LogicalResult runTranspose(TransposeOp op, EntryRun &run) {
  run.define(op.getResult(),
             reference::transpose(run.get(op.getInput()), op.getPermutation()));
  return success();
}

void addShapeOps(OpTable &table) {
  table.add<SplitOp>(runSplit);
  table.add<LastOp>(runLast);
  table.add<TakeOp>(runTake);
  table.add<BroadcastOp>(runBroadcast);
  table.add<TransposeOp>(runTranspose);
}

} // namespace sinter
