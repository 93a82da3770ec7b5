//===- StateOps.cpp - Weights, session state and constants of an entry ---===//
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

static LogicalResult runWeight(WeightOp op, EntryRun &run) {
  StringRef file = op.getFile().value_or("");
  for (auto [name, result] : llvm::zip_equal(
           op.getNames().getAsRange<StringAttr>(), op.getTensors())) {
    FailureOr<SharedTensor> weight =
        run.weights(name.getValue(), file,
                    cast<RankedTensorType>(result.getType()), op.getLoc());
    if (failed(weight))
      return failure();
    run.define(result, *weight);
  }
  return success();
}

static LogicalResult runRead(ReadOp op, EntryRun &run) {
  const Tensor *state = run.session.tensor(op.getState());
  if (!state)
    return op.emitError("the session has no state '") << op.getState() << "'";
  run.define(op.getResult(), *state);
  return success();
}

/// The numbers of a state's dimensions in a value that replaces it fit the
/// session.
static LogicalResult checkStateDims(WriteOp op, const Tensor &value,
                                    const Session &session) {
  auto state =
      SymbolTable::lookupNearestSymbolFrom<StateOp>(op, op.getStateAttr());
  auto type = cast<RankedTensorType>(state.getType());
  unsigned next = 0;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    auto name = cast<StringAttr>(state.getDims()[next++]);
    auto limit = session.limit(name.getValue());
    if (!limit || (limit->isFixed ? value.dim(dim) == limit->size
                                  : value.dim(dim) <= limit->size))
      continue;
    return op.emitError("dimension ")
           << name << " is '" << value.dim(dim) << "', expected "
           << (limit->isFixed ? "" : "at most ") << "'" << limit->size << "'";
  }
  return success();
}

static LogicalResult runWrite(WriteOp op, EntryRun &run) {
  if (!run.session.tensor(op.getState()))
    return op.emitError("the session has no state '") << op.getState() << "'";
  const Tensor &value = run.get(op.getValue());
  if (failed(checkStateDims(op, value, run.session)))
    return failure();
  run.update.tensors.emplace_back(op.getState().str(), value);
  return success();
}

static LogicalResult runFill(FillOp op, EntryRun &run) {
  const CacheContent *cache = run.session.cache(op.getState());
  if (!cache)
    return op.emitError("the session has no cache '") << op.getState() << "'";
  const Tensor &key = run.get(op.getKey()), &value = run.get(op.getValue());
  if (failed(checkSame(op, "batch", cache->keys.dim(0), key.dim(0))) ||
      failed(checkSame(op, "batch of value", key.dim(0), value.dim(0))) ||
      failed(checkSame(op, "time of value", key.dim(1), value.dim(1))))
    return failure();
  FailureOr<RowValues> count =
      rowLengths(op, run.getOptional(op.getLengths()), key.dim(0), key.dim(1));
  if (failed(count))
    return failure();
  for (auto [b, length] : llvm::enumerate(*count))
    if (length > cache->keys.dim(1))
      return op.emitError("row '")
             << b << "' has '" << length << "' positions, the cache '"
             << op.getState() << "' holds '" << cache->keys.dim(1) << "'";
  run.update.caches.push_back(
      {op.getState().str(), key, value, RowValues(key.dim(0), 0), *count});
  // A row of length 0 is left alone, whatever the entry does elsewhere.
  RowValues end = *count;
  const RowValues &now = *run.session.cursor(cache->cursor);
  for (auto [b, length] : llvm::enumerate(end))
    if (op.getLengths() && length == 0)
      length = now[b];
  return run.moveCursor(op, cache->cursor, end);
}

static LogicalResult runRestart(RestartOp op, EntryRun &run) {
  const RowValues *cursor = run.session.cursor(op.getCursor());
  if (!cursor)
    return op.emitError("the session has no cursor '") << op.getCursor() << "'";
  // A row of length 0 is left alone.
  RowValues end(cursor->size(), 0);
  const std::vector<bool> &idle = run.update.idleRows;
  for (size_t b = 0; b < std::min(end.size(), idle.size()); ++b)
    if (idle[b])
      end[b] = (*cursor)[b];
  return run.moveCursor(op, op.getCursor(), end);
}

void addStateOps(OpTable &table) {
  table.add<WeightOp>(runWeight);
  table.add<ReadOp>(runRead);
  table.add<WriteOp>(runWrite);
  table.add<FillOp>(runFill);
  table.add<RestartOp>(runRestart);
}

} // namespace sinter
