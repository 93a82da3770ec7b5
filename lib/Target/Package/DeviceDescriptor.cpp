//===- DeviceDescriptor.cpp - Functions of a model on a device ------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApiBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace sinter::package;
using llvm::Value;

void ApiBuilder::buildDevice() {
  bool hasWeights = model.weights.bytes != 0;
  bool isArgument = hasWeights && !model.weights.embedded;
  llvm::SmallVector<llvm::Type *> parameters = {pointer(), i64()};
  if (hasWeights)
    parameters.append({pointer(), i64()});
  if (isArgument)
    parameters.push_back(pointer());
  parameters.append({pointer(), pointer()});
  llvm::Function *open = begin("device_open", i32(), parameters);
  auto *argument = open->arg_begin();
  Value *null = llvm::ConstantPointerNull::get(builder.getPtrTy());
  llvm::SmallVector<Value *> arguments = {tables.model(), argument,
                                          argument + 1};
  argument += 2;
  arguments.push_back(hasWeights ? argument++ : null);
  arguments.push_back(hasWeights ? argument++ : (Value *)builder.getInt64(0));
  arguments.push_back(isArgument ? argument++ : null);
  arguments.append({argument, argument + 1});
  finish("sinter_device_open", i32(), arguments);
  forward("device_close", "sinter_device_close", i32(), {pointer()});
  forward("status", "sinter_device_status", i32(), {pointer(), pointer()});
}

void ApiBuilder::buildDeviceCursorFunctions() {
  for (auto [index, cursor] : llvm::enumerate(model.cursors)) {
    std::string suffix = cursorSuffix(cursor);
    llvm::Function *length =
        begin("session_length" + suffix, i64(), {pointer(), i64(), pointer()});
    finish("sinter_device_session_length", i64(),
           {tables.model(), length->getArg(0), builder.getInt64(index),
            length->getArg(1), length->getArg(2)});
    if (model.hasTensorState())
      continue;
    llvm::Function *truncate = begin("session_truncate" + suffix, i32(),
                                     {pointer(), i64(), i64(), pointer()});
    finish("sinter_device_session_truncate", i32(),
           {tables.model(), truncate->getArg(0), builder.getInt64(index),
            truncate->getArg(1), truncate->getArg(2), truncate->getArg(3)});
  }
}

void ApiBuilder::buildDeviceSession() {
  size_t count = model.sessionDims.size();
  llvm::SmallVector<llvm::Type *> parameters = {pointer(), i64(), pointer(),
                                                i64()};
  parameters.append(count, i64());
  parameters.append({pointer(), pointer()});
  llvm::Function *init = begin("session_init", i32(), parameters);
  finish("sinter_device_session_init", i32(),
         {tables.model(), init->getArg(0), init->getArg(1), init->getArg(2),
          init->getArg(3), packSessionDims(init, 4), init->getArg(4 + count),
          init->getArg(5 + count)});
  forward("session_restore", "sinter_device_session_restore", i32(),
          {pointer(), i64(), pointer(), i64(), pointer(), pointer()});
  buildDeviceCursorFunctions();
  if (model.hasTensorState())
    forward("session_reset", "sinter_device_session_reset", i32(),
            {pointer(), i64(), pointer()});
  forward("session_copy_row", "sinter_device_session_copy_row", i32(),
          {pointer(), pointer(), i64(), pointer(), i64(), pointer()});
}
