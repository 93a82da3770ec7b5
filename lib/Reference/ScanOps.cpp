//===- ScanOps.cpp - User-defined recurrence on a run ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EntryRun.h"
#include "sinter/Dialect/Sinter/IR/Sinter.h"
#include <algorithm>

using namespace mlir;

namespace sinter {

namespace {

/// One scan: its states and outputs so far.
class Scan {
public:
  Scan(ScanOp op, EntryRun &run) : op(op), run(run) {}

  LogicalResult start();
  LogicalResult step(int64_t number);
  void finish();

  int64_t steps() const {
    return lengths.empty() ? 0 : *llvm::max_element(lengths);
  }

private:
  LogicalResult runBody();
  void keepStep(int64_t number, ArrayRef<int64_t> at);

  ScanOp op;
  EntryRun &run;
  int64_t batch = 0, time = 0;
  RowValues lengths;
  std::vector<Tensor> states, outputs;
};

} // namespace

/// Zeros of the type of `value`, with `leading` in place of its first
/// dimension.
static Tensor zerosLike(Value value, ArrayRef<int64_t> leading) {
  auto type = cast<RankedTensorType>(value.getType());
  Shape shape(leading);
  llvm::append_range(shape, type.getShape().drop_front());
  return Tensor(shape, type.getElementType());
}

LogicalResult Scan::start() {
  const Tensor &first = run.get(op.getSequences().front());
  batch = first.dim(0);
  time = first.dim(1);
  for (Value sequence : op.getSequences()) {
    const Tensor &x = run.get(sequence);
    if (failed(checkSame(op, "rows of a sequence", batch, x.dim(0))) ||
        failed(checkSame(op, "time of a sequence", time, x.dim(1))))
      return failure();
  }
  FailureOr<RowValues> given =
      rowLengths(op, run.getOptional(op.getLengths()), batch, time);
  if (failed(given))
    return failure();
  lengths = *given;
  for (auto [number, state] : llvm::enumerate(op.getStates())) {
    Value initial = op.getInitial(number);
    states.push_back(initial ? run.get(initial) : zerosLike(state, {batch}));
    if (failed(checkSame(op, "rows of a state", batch, states.back().dim(0))))
      return failure();
  }
  for (Value value : op.getYieldedSteps())
    outputs.push_back(zerosLike(value, {batch, time}));
  return success();
}

LogicalResult Scan::runBody() {
  for (Operation &inner : op.getBody().front().without_terminator())
    if (failed(run.runOp(&inner)))
      return failure();
  for (Value value : op.getBody().front().getTerminator()->getOperands())
    if (failed(checkSame(op, "rows that the step yields", batch,
                         run.get(value).dim(0))))
      return failure();
  return success();
}

/// Takes over what the rows that are not past their length have yielded.
void Scan::keepStep(int64_t number, ArrayRef<int64_t> at) {
  for (int64_t b = 0; b < batch; ++b) {
    if (number >= lengths[b])
      continue;
    for (auto [state, value] : llvm::zip_equal(states, op.getYieldedStates())) {
      int64_t inner = state.innerSize(state.rank() - 1);
      for (int64_t i = 0; i < inner; ++i)
        state.copyFrom(b * inner + i, run.get(value), b * inner + i);
    }
    for (auto [output, value] :
         llvm::zip_equal(outputs, op.getYieldedSteps())) {
      int64_t inner = output.innerSize(output.rank() - 2);
      for (int64_t i = 0; i < inner; ++i)
        output.copyFrom((b * time + at[b]) * inner + i, run.get(value),
                        b * inner + i);
    }
  }
}

LogicalResult Scan::step(int64_t number) {
  // A row past its length repeats its last element, unused.
  RowValues at;
  for (int64_t length : lengths) {
    int64_t forward = std::min(number, std::max<int64_t>(length, 1) - 1);
    at.push_back(op.getReverse() ? std::max<int64_t>(length - 1 - forward, 0)
                                 : forward);
  }
  for (auto [argument, sequence] :
       llvm::zip_equal(op.getSteps(), op.getSequences()))
    run.define(argument, reference::take(run.get(sequence), at));
  for (auto [argument, state] : llvm::zip_equal(op.getStates(), states))
    run.define(argument, state);
  if (failed(runBody()))
    return failure();
  keepStep(number, at);
  return success();
}

void Scan::finish() {
  for (auto [result, value] :
       llvm::zip(op.getResults(), llvm::concat<Tensor>(outputs, states)))
    run.define(result, std::move(value));
}

static LogicalResult runScan(ScanOp op, EntryRun &run) {
  Scan scan(op, run);
  if (failed(scan.start()))
    return failure();
  for (int64_t number = 0; number < scan.steps(); ++number)
    if (failed(scan.step(number)))
      return failure();
  scan.finish();
  return success();
}

void addScanOps(OpTable &table) { table.add<ScanOp>(runScan); }

} // namespace sinter
