//===- InlineCalls.cpp - inline private functions -------------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandEntries.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace sinter;

namespace {
/// Depth-first search of the call graph for what can't be inlined.
class CallChecker {
public:
  explicit CallChecker(ModuleOp module) : symbols(module) {}

  LogicalResult check(func::FuncOp function) {
    if (done.contains(function))
      return success();
    open.insert(function);
    WalkResult result = function.walk([&](func::CallOp call) {
      return failed(checkCall(call)) ? WalkResult::interrupt()
                                     : WalkResult::advance();
    });
    open.erase(function);
    done.insert(function);
    return failure(result.wasInterrupted());
  }

private:
  LogicalResult checkCall(func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || callee.isExternal())
      return call.emitOpError("calls '")
             << call.getCallee() << "', which has no body to inline";
    if (open.contains(callee))
      return call.emitOpError("calls '")
             << call.getCallee() << "' recursively, which can't be inlined";
    return check(callee);
  }

  SymbolTable symbols;
  llvm::DenseSet<Operation *> open, done;
};
} // namespace

LogicalResult sinter::checkCalls(ModuleOp module) {
  CallChecker checker(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      return function.emitOpError("has no body; a model calls nothing outside");
    if (!function.getBody().hasOneBlock())
      return function.emitOpError(
          "has several blocks; a model is straight-line "
          "code");
    if (failed(checker.check(function)))
      return failure();
  }
  return success();
}

/// Puts a copy of the callee's body in place of `call`.
static void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  call.erase();
}

void sinter::inlineCalls(func::FuncOp function) {
  SymbolTableCollection symbols;
  while (true) {
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    if (calls.empty())
      return;
    for (func::CallOp call : calls)
      inlineCall(call, symbols.lookupNearestSymbolFrom<func::FuncOp>(
                           call, call.getCalleeAttr()));
  }
}
