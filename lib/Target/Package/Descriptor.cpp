//===- Descriptor.cpp - a model's tables and C API in an LLVM module ------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Target/Package/Descriptor.h"
#include "ApiBuilder.h"
#include "runtime/model.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace sinter::package;
using llvm::Value;

llvm::Function *ApiBuilder::begin(const std::string &name, llvm::Type *result,
                                  llvm::ArrayRef<llvm::Type *> parameters) {
  auto *type = llvm::FunctionType::get(result, parameters, false);
  std::string symbol = prefix + "_" + name;
  // A kernel may be called like that: it is internal and gives way.
  if (llvm::GlobalValue *taken = module.getNamedValue(symbol))
    taken->setName(symbol + ".local");
  auto *function = llvm::Function::Create(
      type, llvm::GlobalValue::ExternalLinkage, symbol, module);
  function->setDoesNotThrow();
  // Checks come before anything that a processor might lack.
  function->addFnAttr("target-cpu", "x86-64");
  builder.SetInsertPoint(
      llvm::BasicBlock::Create(module.getContext(), "", function));
  return function;
}

void ApiBuilder::finish(llvm::StringRef callee, llvm::Type *result,
                        llvm::ArrayRef<Value *> arguments) {
  auto types = llvm::map_to_vector(
      arguments, [](Value *value) { return value->getType(); });
  llvm::FunctionCallee function = module.getOrInsertFunction(
      callee, llvm::FunctionType::get(result, types, false));
  builder.CreateRet(builder.CreateCall(function, arguments));
}

void ApiBuilder::forward(const std::string &name, llvm::StringRef runtime,
                         llvm::Type *result,
                         llvm::ArrayRef<llvm::Type *> parameters) {
  llvm::Function *function = begin(name, result, parameters);
  llvm::SmallVector<Value *> arguments = {tables.model()};
  for (llvm::Argument &argument : function->args())
    arguments.push_back(&argument);
  finish(runtime, result, arguments);
}

Value *ApiBuilder::pack(llvm::ArrayRef<Value *> values) {
  auto *type = llvm::ArrayType::get(i64(), std::max<size_t>(values.size(), 1));
  Value *storage = builder.CreateAlloca(type);
  for (auto [index, value] : llvm::enumerate(values))
    builder.CreateStore(
        value, builder.CreateConstInBoundsGEP2_64(type, storage, 0, index));
  return storage;
}

void ApiBuilder::returnConstant(const std::string &name,
                                llvm::Constant *value) {
  begin(name, value->getType(), {});
  builder.CreateRet(value);
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

void ApiBuilder::buildEntry(const EntryInterface &entry, unsigned index) {
  bool weights = entry.usesWeights && !model.weights.embedded;
  llvm::SmallVector<llvm::Type *> parameters;
  // On a device its handle stands in the place of the weights.
  weights |= model.onDevice;
  parameters.append(int(entry.usesSession) + int(weights), pointer());
  parameters.append({pointer(), pointer(), i64()});
  for (const EntryDim &dim : entry.dims)
    if (dim.kind == EntryDim::Parameter)
      parameters.push_back(i64());
  parameters.append(entry.tensors.size(), pointer());
  llvm::Function *function = begin(cIdentifier(entry.name), i32(), parameters);

  auto *argument = function->arg_begin();
  llvm::SmallVector<Value *> packed;
  packed.push_back(entry.usesSession ? argument++
                                     : (Value *)builder.getInt64(0));
  packed.push_back(weights ? argument++ : (Value *)builder.getInt64(0));
  size_t tensorsAt = function->arg_size() - entry.tensors.size();
  while (argument != function->arg_begin() + tensorsAt)
    packed.push_back(argument++);
  // C groups the tensors by role; the runtime wants model order.
  size_t first = packed.size();
  packed.append(entry.tensors.size(), nullptr);
  for (Tensor::Role role : {Tensor::Lengths, Tensor::Input, Tensor::Output})
    for (auto [position, tensor] : llvm::enumerate(entry.tensors))
      if (tensor.role == role)
        packed[first + position] = argument++;
  Value *arguments = pack(packed);
  size_t words = entry.dims.size() + entry.tensors.size() + entry.slots.size() +
                 model.numStateSlots() + 2 * model.cursors.size();
  Value *storage = builder.CreateAlloca(
      llvm::ArrayType::get(i64(), std::max<size_t>(words, 1)));
  finish("sinter_enter", i32(), {tables.entry(index), arguments, storage});
}

void ApiBuilder::buildWorkspaceSize(const EntryInterface &entry,
                                    unsigned index) {
  std::vector<const EntryDim *> dims = entry.sizeDims();
  llvm::SmallVector<llvm::Type *> parameters(dims.size(), i64());
  if (!model.onDevice)
    parameters.push_back(i32());
  llvm::Function *function =
      begin(cIdentifier(entry.name) + "_workspace_size", i64(), parameters);
  llvm::SmallVector<Value *> values;
  for (const EntryDim &dim : entry.dims) {
    auto found = llvm::find(dims, &dim);
    if (found != dims.end()) {
      values.push_back(function->getArg(found - dims.begin()));
      continue;
    }
    // A capacity that no size depends on: any value in range.
    values.push_back(builder.getInt64(dim.lower));
  }
  Value *workers = builder.getInt64(1);
  if (!model.onDevice)
    workers = builder.CreateSExt(function->getArg(dims.size()), i64());
  finish("sinter_workspace_size", i64(),
         {tables.entry(index), pack(values), workers});
}

void ApiBuilder::buildExtents(const EntryInterface &entry, unsigned index) {
  for (auto [number, dim] : llvm::enumerate(entry.dims)) {
    if (dim.kind != EntryDim::State)
      continue;
    std::string name =
        cIdentifier(entry.name) + "_extent_" + cIdentifier(dim.name);
    llvm::SmallVector<llvm::Type *> parameters(1 + int(model.onDevice),
                                               pointer());
    llvm::Function *function = begin(name, i64(), parameters);
    llvm::SmallVector<Value *> arguments = {
        tables.entry(index), function->getArg(0), builder.getInt64(number)};
    if (model.onDevice)
      arguments.push_back(function->getArg(1));
    finish(model.onDevice ? "sinter_device_entry_extent"
                          : "sinter_entry_extent",
           i64(), arguments);
  }
}

//===----------------------------------------------------------------------===//
// Session, weights, object
//===----------------------------------------------------------------------===//

void ApiBuilder::buildCursorFunctions() {
  for (auto [index, cursor] : llvm::enumerate(model.cursors)) {
    std::string suffix = cursorSuffix(cursor);
    llvm::Function *length =
        begin("session_length" + suffix, i64(), {pointer(), i64()});
    finish("sinter_session_length", i64(),
           {tables.model(), length->getArg(0), builder.getInt64(index),
            length->getArg(1)});
    if (model.hasTensorState())
      continue;
    llvm::Function *truncate =
        begin("session_truncate" + suffix, i32(), {pointer(), i64(), i64()});
    finish("sinter_session_truncate", i32(),
           {tables.model(), truncate->getArg(0), builder.getInt64(index),
            truncate->getArg(1), truncate->getArg(2)});
  }
}

Value *ApiBuilder::packSessionDims(llvm::Function *function, size_t first) {
  llvm::SmallVector<Value *> values;
  for (size_t i = 0; i < model.sessionDims.size(); ++i)
    values.push_back(function->getArg(first + i));
  return pack(values);
}

void ApiBuilder::buildSession() {
  if (!model.hasSession())
    return;
  size_t count = model.sessionDims.size();
  llvm::SmallVector<llvm::Type *> dims(count, i64());
  llvm::Function *size = begin("session_size", i64(), dims);
  finish("sinter_session_size", i64(),
         {tables.model(), packSessionDims(size, 0)});
  if (model.onDevice)
    return buildDeviceSession();
  llvm::SmallVector<llvm::Type *> parameters = {pointer(), i64()};
  llvm::append_range(parameters, dims);
  parameters.push_back(pointer());
  llvm::Function *init = begin("session_init", i32(), parameters);
  finish("sinter_session_init", i32(),
         {tables.model(), init->getArg(0), init->getArg(1),
          packSessionDims(init, 2), init->getArg(2 + count)});
  forward("session_restore", "sinter_session_restore", i32(),
          {pointer(), i64(), pointer()});
  buildCursorFunctions();
  if (model.hasTensorState())
    forward("session_reset", "sinter_session_reset", i32(), {pointer(), i64()});
  forward("session_copy_row", "sinter_session_copy_row", i32(),
          {pointer(), i64(), pointer(), i64()});
}

void ApiBuilder::buildWeights() {
  if (!model.weights.bytes || model.weights.embedded)
    return;
  forward("weights_open", "sinter_weights_open", i32(),
          {pointer(), i64(), pointer()});
  forward("weights_verify", "sinter_weights_verify", i32(), {pointer()});
}

void ApiBuilder::buildAbout(uint64_t weightsHash) {
  uint32_t abi = abiHash(model);
  size_t lastSpace = model.target.rfind(' ') + 1; // npos + 1 is 0
  returnConstant("abi", builder.getInt32(abi));
  returnConstant(
      "isa", tables.string(llvm::StringRef(model.target).substr(lastSpace)));
  returnConstant("manifest", tables.string(writeManifest(model, weightsHash)));
  forward("status_string", "sinter_status_string", pointer(), {i32()});
  forward("kernel_name", "sinter_kernel_name", pointer(), {i32()});
  std::string guard =
      llvm::formatv("{0}_h_and_{0}_o_differ_rebuild_both_{1:x-8}", prefix, abi);
  new llvm::GlobalVariable(module, builder.getInt8Ty(), /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage,
                           builder.getInt8(0), guard);
}

void ApiBuilder::build(uint64_t weightsHash) {
  for (auto [index, entry] : llvm::enumerate(model.entries)) {
    buildWorkspaceSize(entry, index);
    buildEntry(entry, index);
    buildExtents(entry, index);
  }
  buildSession();
  buildWeights();
  if (model.onDevice)
    buildDevice();
  buildAbout(weightsHash);
}

llvm::Error sinter::package::emitDescriptor(llvm::Module &module,
                                            const ModelInterface &model,
                                            llvm::ArrayRef<char> weights) {
  if (llvm::Error e = model.verify())
    return e;
  if (weights.size() != model.weights.bytes)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "the weight blob has %zu bytes where the interface says %llu",
        weights.size(), (unsigned long long)model.weights.bytes);
  // What is defined so far is the model's own; only the API is global.
  for (llvm::GlobalValue &value : module.global_values())
    if (!value.isDeclaration() && !value.hasLocalLinkage()) {
      value.setVisibility(llvm::GlobalValue::DefaultVisibility);
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
      value.setDSOLocal(true);
    }
  TableBuilder tables(module, model);
  if (llvm::Error e = tables.build(weights))
    return e;
  uint64_t hash = hashBytes(llvm::StringRef(weights.data(), weights.size()));
  ApiBuilder(module, model, tables).build(hash);
  return llvm::Error::success();
}
