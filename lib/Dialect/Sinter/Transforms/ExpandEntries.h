//===- ExpandEntries.h - the steps of sinter-expand-entries -----*- C++ -*-===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each step takes a function of the module and reports its errors where the
// cause stands. After an error the function may be left half changed.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_DIALECT_SINTER_TRANSFORMS_EXPANDENTRIES_H
#define SINTER_LIB_DIALECT_SINTER_TRANSFORMS_EXPANDENTRIES_H

#include "sinter/Dialect/Sinter/IR/Sinter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <string>

namespace sinter {

/// Checks that every function of the module can be inlined: no recursion, one
/// block each, callees in the module.
mlir::LogicalResult checkCalls(mlir::ModuleOp module);

/// Inlines all calls in `function`; needs `checkCalls`.
void inlineCalls(mlir::func::FuncOp function);

/// The path of layer `number` of `scope` inside `parent`: "parent.scope.3", or
/// with the number in place of `{}` if the scope has one.
std::string layerPath(llvm::StringRef parent, llvm::StringRef scope,
                      int64_t number);

/// The absolute name of a weight called `name` in the layer `number` at `path`,
/// whose layers stand in `parent`.
std::string weightPath(llvm::StringRef parent, llvm::StringRef path,
                       int64_t number, llvm::StringRef name);

/// The copies of a scoped state that are used: layer number to new symbol.
using StateCopies = std::map<int64_t, std::string>;

/// Copies of every scoped state of the module, by the state.
using ScopedStates = llvm::MapVector<mlir::Operation *, StateCopies>;

/// Unrolls all layers of `function`, makes the names of weights absolute and
/// uses of scoped states uses of their copies, which are added to `states`.
mlir::LogicalResult unrollLayers(mlir::func::FuncOp function,
                                 ScopedStates &states);

/// Applies the `with` and `keep` of `entry` to `function`, a copy of the
/// entry's function without calls and layers.
mlir::LogicalResult bindEntry(EntryOp entry, mlir::func::FuncOp function);

/// Checks the rules on state in one expanded entry.
mlir::LogicalResult checkState(mlir::func::FuncOp function);

} // namespace sinter

#endif // SINTER_LIB_DIALECT_SINTER_TRANSFORMS_EXPANDENTRIES_H
