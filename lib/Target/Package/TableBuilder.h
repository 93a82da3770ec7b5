//===- TableBuilder.h - constants that mirror the runtime's structures --*- C++
//-*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_TARGET_PACKAGE_TABLEBUILDER_H
#define SINTER_LIB_TARGET_PACKAGE_TABLEBUILDER_H

#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

namespace sinter::package {

/// Builds the constants of one model. Every member of the runtime's structures
/// is an i64 or a ptr, so a structure is the list of its members.
class TableBuilder {
public:
  TableBuilder(llvm::Module &module, const ModelInterface &model);

  /// The tables of the model and of each entry; `weights` as in emitDescriptor.
  llvm::Error build(llvm::ArrayRef<char> weights);

  llvm::GlobalVariable *model() const { return modelTable; }
  llvm::GlobalVariable *entry(unsigned index) const {
    return entryTables[index];
  }
  /// A private, null-terminated string.
  llvm::Constant *string(llvm::StringRef text);

private:
  llvm::Constant *number(int64_t value);
  llvm::Constant *null();
  llvm::Constant *record(llvm::ArrayRef<llvm::Constant *> members);
  /// A private constant array; null when empty.
  llvm::Constant *array(llvm::ArrayRef<llvm::Constant *> elements);
  llvm::Constant *numbers(llvm::ArrayRef<int64_t> values);
  llvm::Constant *functionOrNull(const std::string &name);

  llvm::Error buildKernels();
  void addKernel(const std::string &name, llvm::Constant *value);
  llvm::Constant *deviceKernel(const DeviceKernelCode &kernel, int64_t index);
  llvm::Constant *bytes(llvm::StringRef content);
  llvm::Error buildEntry(const EntryInterface &entry, unsigned index);
  llvm::Constant *entryDims(const EntryInterface &entry);
  llvm::Constant *tensors(const EntryInterface &entry);
  llvm::Constant *cursorUses(const EntryInterface &entry);
  llvm::Constant *positions(const EntryInterface &entry);
  llvm::Constant *extentReads(const EntryInterface &entry);
  llvm::Constant *extentWrites(const EntryInterface &entry);
  llvm::Constant *slots(const EntryInterface &entry);
  llvm::Constant *sessionDims();
  llvm::Constant *states();
  llvm::Constant *tensorShape(const State &state);
  llvm::Constant *stateBytes();
  llvm::Constant *checks();
  /// Null where weights come from a file.
  llvm::Constant *embeddedWeights(llvm::StringRef blob);
  int64_t sessionDimIndex(llvm::StringRef name) const;

  llvm::Module &module;
  const ModelInterface &interface;
  llvm::LLVMContext &context;
  llvm::GlobalVariable *modelTable = nullptr;
  std::vector<llvm::GlobalVariable *> entryTables;
  std::vector<llvm::Constant *> kernels;
};

} // namespace sinter::package

#endif // SINTER_LIB_TARGET_PACKAGE_TABLEBUILDER_H
