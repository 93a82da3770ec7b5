//===- ApiBuilder.h - The exported functions of a model ---------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_PACKAGE_APIBUILDER_H
#define SINTER_LIB_TARGET_PACKAGE_APIBUILDER_H

#include "TableBuilder.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::package {

/// Emits the exported functions: each packs its typed arguments and calls one
/// function of the runtime.
class ApiBuilder {
public:
  ApiBuilder(llvm::Module &module, const ModelInterface &model,
             TableBuilder &tables)
      : module(module), model(model), tables(tables),
        builder(module.getContext()), prefix(model.prefix()) {}
  void build(uint64_t weightsHash);

private:
  llvm::Type *i32() { return builder.getInt32Ty(); }
  llvm::Type *i64() { return builder.getInt64Ty(); }
  llvm::Type *pointer() { return builder.getPtrTy(); }

  /// Starts `<prefix>_<name>`; the builder stands in its body.
  llvm::Function *begin(const std::string &name, llvm::Type *result,
                        llvm::ArrayRef<llvm::Type *> parameters);
  /// Calls a function of the runtime and returns what it returns.
  void finish(llvm::StringRef callee, llvm::Type *result,
              llvm::ArrayRef<llvm::Value *> arguments);
  /// `<prefix>_<name>(parameters)` is `runtime(&model, parameters)`.
  void forward(const std::string &name, llvm::StringRef runtime,
               llvm::Type *result, llvm::ArrayRef<llvm::Type *> parameters);
  /// An array on the stack that holds the values, eight bytes each.
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> values);
  void returnConstant(const std::string &name, llvm::Constant *value);

  void buildEntry(const EntryInterface &entry, unsigned index);
  void buildWorkspaceSize(const EntryInterface &entry, unsigned index);
  void buildSession();
  void buildCursorFunctions();
  void buildExtents(const EntryInterface &entry, unsigned index);
  void buildWeights();
  void buildAbout(uint64_t weightsHash);

  /// The same on a device.
  void buildDevice();
  void buildDeviceSession();
  void buildDeviceCursorFunctions();

  /// The values, packed, of a function's parameters for the session's
  /// dimensions, which start at number `first`.
  llvm::Value *packSessionDims(llvm::Function *function, size_t first);
  std::string cursorSuffix(const Cursor &cursor) const {
    return model.cursors.size() > 1 ? "_" + cIdentifier(cursor.name) : "";
  }

  llvm::Module &module;
  const ModelInterface &model;
  TableBuilder &tables;
  llvm::IRBuilder<> builder;
  std::string prefix;
};

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_APIBUILDER_H
