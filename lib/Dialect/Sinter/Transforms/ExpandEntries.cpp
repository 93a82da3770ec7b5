//===- ExpandEntries.cpp - entries to straight-line functions -------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandEntries.h"

#include "sinter/Dialect/Sinter/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

namespace sinter {
#define GEN_PASS_DEF_SINTEREXPANDENTRIES
#include "sinter/Dialect/Sinter/Transforms/Passes.h.inc"
} // namespace sinter

using namespace mlir;
using namespace sinter;

/// Puts a public copy of `entry`'s function in its place and erases it.
static LogicalResult expandEntry(EntryOp entry) {
  auto original = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      entry, entry.getFunctionAttr());
  if (!original)
    return entry.emitOpError("expects a 'func.func', got ")
           << entry.getFunctionAttr();
  OpBuilder builder(entry);
  auto function = cast<func::FuncOp>(builder.clone(*original));
  function.setPublic();
  function.setSymName(entry.getSymName());
  if (failed(bindEntry(entry, function)))
    return failure();
  entry.erase();
  return success();
}

/// Replaces every scoped state by its copies, in the order of the layers.
static LogicalResult expandStates(ModuleOp module, const ScopedStates &used) {
  SymbolTable symbols(module);
  for (StateOp state : llvm::make_early_inc_range(module.getOps<StateOp>())) {
    if (!state.getScope())
      continue;
    OpBuilder builder(state);
    const auto *copies = used.find(state);
    if (copies != used.end()) {
      for (const auto &[number, name] : copies->second) {
        if (symbols.lookup(name))
          return state.emitOpError("makes the state '")
                 << name << "', a symbol that is there already";
        auto copy = cast<StateOp>(builder.clone(*state));
        copy.setSymName(name);
        copy.removeScopeAttr();
      }
    }
    state.erase();
  }
  return success();
}

namespace {
struct ExpandEntriesPass
    : sinter::impl::SinterExpandEntriesBase<ExpandEntriesPass> {
  void runOnOperation() override {
    if (failed(expand(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult expand(ModuleOp module);
};
} // namespace

LogicalResult ExpandEntriesPass::expand(ModuleOp module) {
  if (failed(checkCalls(module)))
    return failure();
  SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
  for (func::FuncOp function : functions)
    inlineCalls(function);
  // Before the entries are copied, so that each layer is unrolled once.
  llvm::SmallDenseSet<StringRef> used;
  for (EntryOp entry : module.getOps<EntryOp>())
    used.insert(entry.getFunction());
  ScopedStates states;
  for (func::FuncOp function : functions) {
    // A private function that only others call has no scope of its own.
    if (function.isPrivate() && !used.contains(function.getSymName())) {
      function.erase();
      continue;
    }
    if (failed(unrollLayers(function, states)))
      return failure();
  }
  if (failed(expandStates(module, states)))
    return failure();
  for (EntryOp entry : llvm::make_early_inc_range(module.getOps<EntryOp>()))
    if (failed(expandEntry(entry)))
      return failure();
  for (auto function :
       llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
    if (function.isPrivate())
      function.erase();
    else if (failed(checkState(function)))
      return failure();
  }
  return success();
}
