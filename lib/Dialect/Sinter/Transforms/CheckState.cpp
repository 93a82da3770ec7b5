//===- CheckState.cpp - the rules on state, in one entry ------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandEntries.h"
#include "sinter/Dialect/Sinter/IR/SessionRows.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace sinter;

namespace {
/// How an op uses a state.
struct StateUse {
  Operation *op;
  FlatSymbolRefAttr state;
  /// It leaves new content behind.
  bool changes;
  /// It sees the content of the entry's start only.
  bool from;
  /// What moves the cursor: the rows' lengths, if given, and the new elements.
  Value lengths, moved;
};

/// What an entry has done to one state, or to one cursor, so far.
struct History {
  Operation *change = nullptr;
  Operation *from = nullptr;
  StateUse moving = {};
};
} // namespace

static std::optional<StateUse> getUse(Operation *op) {
  if (auto write = dyn_cast<WriteOp>(op))
    return StateUse{op, write.getStateAttr(), true, false, {}, {}};
  if (auto fill = dyn_cast<FillOp>(op))
    return StateUse{op,    fill.getStateAttr(), true,
                    false, fill.getLengths(),   fill.getKey()};
  auto attention = dyn_cast<AttentionOp>(op);
  if (!attention || !attention.getCacheAttr())
    return std::nullopt;
  bool append = attention.getAppend().has_value();
  return StateUse{op,      attention.getCacheAttr(), append,
                  !append, attention.getLengths(),   attention.getKey()};
}

static LogicalResult reportSecond(Operation *op, Operation *first,
                                  const Twine &message) {
  InFlightDiagnostic diag = op->emitOpError(message);
  diag.attachNote(first->getLoc()) << "the other use is here";
  return diag;
}

/// At most one change; `from` not beside a change.
static LogicalResult checkUse(const StateUse &use, History &history) {
  if (use.changes && history.change)
    return reportSecond(use.op, history.change,
                        "changes state '" + use.state.getValue() +
                            "' a second time in one entry");
  if (use.changes)
    history.change = use.op;
  if (use.from)
    history.from = use.op;
  if (history.change && history.from)
    return reportSecond(use.op, use.from ? history.change : history.from,
                        "mixes 'from' with a change of state '" +
                            use.state.getValue() + "' in one entry");
  return success();
}

/// All caches of a cursor move by the same lengths.
static LogicalResult checkMove(const StateUse &use, StringRef cursor,
                               History &history) {
  if (!history.moving.op) {
    history.moving = use;
    return success();
  }
  auto extent = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getDimSize(1);
  };
  if (history.moving.lengths == use.lengths &&
      isa<FillOp>(history.moving.op) == isa<FillOp>(use.op) &&
      agree(extent(history.moving.moved), extent(use.moved)))
    return success();
  return reportSecond(use.op, history.moving.op,
                      "moves the cursor '" + cursor +
                          "' differently than another cache of it");
}

/// A cursor says how far every cache of it is filled, so an entry that moves it
/// writes all of them that any entry uses.
static LogicalResult checkLeft(ModuleOp module,
                               const llvm::StringMap<History> &states,
                               const llvm::StringMap<History> &cursors) {
  for (auto state : module.getOps<StateOp>()) {
    if (!state.getCacheType())
      continue;
    auto cursor = cursors.find(state.getCursor());
    if (cursor == cursors.end() || states.lookup(state.getSymName()).change ||
        SymbolTable::symbolKnownUseEmpty(state, module))
      continue;
    InFlightDiagnostic diag = cursor->second.moving.op->emitOpError()
                              << "moves the cursor '" << state.getCursor()
                              << "', but the entry adds nothing to cache '"
                              << state.getSymName() << "' of it";
    diag.attachNote(state.getLoc())
        << "caches that are not filled together have dimensions of other names";
    return diag;
  }
  return success();
}

/// The tensor with the rows that an op reads or changes, and their state.
static std::pair<Value, FlatSymbolRefAttr> getRows(Operation *op) {
  if (auto read = dyn_cast<ReadOp>(op))
    return {read.getResult(), read.getStateAttr()};
  if (auto write = dyn_cast<WriteOp>(op))
    return {write.getValue(), write.getStateAttr()};
  if (auto fill = dyn_cast<FillOp>(op))
    return {fill.getKey(), fill.getStateAttr()};
  if (auto attention = dyn_cast<AttentionOp>(op))
    return {attention.getQuery(), attention.getCacheAttr()};
  return {};
}

/// A constant number of rows is the only one that a session can have; it is
/// noted at the states whose rows have a name.
static LogicalResult noteRows(Operation *op, SymbolTableCollection &symbols) {
  auto [value, name] = getRows(op);
  if (!name)
    return success();
  auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, name);
  auto type = cast<RankedTensorType>(value.getType());
  auto tensor = dyn_cast<RankedTensorType>(state.getType());
  if (type.isDynamicDim(0) || (tensor && !tensor.isDynamicDim(0)))
    return success();
  int64_t rows = type.getDimSize(0);
  auto known = state->getAttrOfType<IntegerAttr>(sessionRowsAttrName);
  if (known && known.getInt() != rows) {
    InFlightDiagnostic diag = op->emitOpError("has '")
                              << rows << "' rows, but another use of state '"
                              << state.getSymName() << "' has '"
                              << known.getInt() << "'";
    diag.attachNote() << "all entries work on all rows of a session";
    return diag;
  }
  state->setAttr(sessionRowsAttrName,
                 Builder(op->getContext()).getI64IntegerAttr(rows));
  return success();
}

LogicalResult sinter::checkState(func::FuncOp function) {
  llvm::StringMap<History> states, cursors;
  SymbolTableCollection symbols;
  WalkResult result = function.walk([&](Operation *op) {
    if (failed(noteRows(op, symbols)))
      return WalkResult::interrupt();
    std::optional<StateUse> use = getUse(op);
    if (!use)
      return WalkResult::advance();
    if (failed(checkUse(*use, states[use->state.getValue()])))
      return WalkResult::interrupt();
    if (!use->changes || !use->moved)
      return WalkResult::advance();
    auto state = symbols.lookupNearestSymbolFrom<StateOp>(op, use->state);
    if (failed(checkMove(*use, state.getCursor(), cursors[state.getCursor()])))
      return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return checkLeft(function->getParentOfType<ModuleOp>(), states, cursors);
}
