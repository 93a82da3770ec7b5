//===- Manifest.cpp - the model's description as JSON ---------------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HeaderText.h"
#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace sinter::package;
using llvm::json::OStream;

static std::string hex(uint64_t value) {
  return llvm::formatv("{0:x-16}", value);
}

static std::string expression(const SizeExpr &value) {
  return value.printC([](llvm::StringRef name) {
    return name == kWorkers ? std::string("workers") : name.str();
  });
}

static void writeShape(OStream &json, llvm::ArrayRef<Extent> shape) {
  json.attributeArray("shape", [&] {
    for (const Extent &extent : shape) {
      if (extent.isConstant())
        json.value(extent.value);
      else
        json.value(extent.name);
    }
  });
}

template <typename Dim> static void writeDim(OStream &json, const Dim &dim) {
  json.attribute("name", dim.name);
  json.attribute("c_name", cDimension(dim.name));
  json.attribute("lower", dim.lower);
  json.attribute("upper", dim.upper);
}

static void writeTensor(OStream &json, const Tensor &tensor) {
  static constexpr llvm::StringLiteral roles[] = {"input", "lengths", "output"};
  json.attribute("name", tensor.name);
  json.attribute("c_name", cParameter(tensor.name));
  json.attribute("role", roles[tensor.role]);
  json.attribute("type", nameOf(tensor.type));
  writeShape(json, tensor.shape);
  if (tensor.role == Tensor::Lengths) {
    if (tensor.extent.isConstant())
      json.attribute("counts", tensor.extent.value);
    else
      json.attribute("counts", tensor.extent.name);
  }
  if (tensor.limit > 0)
    json.attribute("limit", tensor.limit);
  if (!tensor.below.empty())
    json.attribute("below", tensor.below);
  if (tensor.lengths >= 0)
    json.attribute("lengths", tensor.lengths);
}

static void writeCursors(OStream &json, const EntryInterface &entry) {
  static constexpr llvm::StringLiteral kinds[] = {"read", "append", "fill",
                                                  "restart"};
  json.attributeArray("cursors", [&] {
    for (const CursorUse &use : entry.cursors)
      json.object([&] {
        json.attribute("name", use.cursor);
        json.attribute("use", kinds[use.kind]);
      });
  });
}

static void writeEntry(OStream &json, const ModelInterface &model,
                       const EntryInterface &entry) {
  json.attribute("name", entry.name);
  json.attribute("function", model.prefix() + "_" + cIdentifier(entry.name));
  json.attribute("session", entry.usesSession);
  json.attribute("weights", entry.usesWeights && !model.weights.embedded &&
                                !model.onDevice);
  json.attributeArray("dimensions", [&] {
    for (const EntryDim &dim : entry.dims)
      json.object([&] {
        writeDim(json, dim);
        json.attribute("argument", dim.kind == EntryDim::Parameter);
        if (!dim.session.empty())
          json.attribute("session", dim.session);
        if (dim.kind == EntryDim::State)
          json.attribute("current", true);
      });
  });
  json.attributeArray("tensors", [&] {
    for (const Tensor &tensor : entry.tensors)
      json.object([&] { writeTensor(json, tensor); });
  });
  writeCursors(json, entry);
  if (!entry.reads.empty())
    json.attributeArray("reads", [&] {
      for (const std::string &state : entry.reads)
        json.value(state);
    });
  json.attributeArray("workspace_arguments", [&] {
    for (const EntryDim *dim : entry.sizeDims())
      json.value(dim->name);
    if (!model.onDevice)
      json.value("workers");
  });
  json.attribute("workspace_bytes", expression(entry.workspaceBytes()));
}

static void writeSession(OStream &json, const ModelInterface &model) {
  json.attributeArray("dimensions", [&] {
    for (const SessionDim &dim : model.sessionDims)
      json.object([&] { writeDim(json, dim); });
  });
  json.attribute("bytes", expression(model.sessionBytes()));
  json.attributeArray("states", [&] {
    for (const State &state : model.states)
      json.object([&] {
        json.attribute("name", state.name);
        json.attribute("type", nameOf(state.type));
        if (state.kind == State::Tensor) {
          writeShape(json, state.shape);
          return;
        }
        json.attribute("cursor", state.cursor);
        json.attribute("heads", state.heads);
        json.attribute("key", state.key);
        json.attribute("value", state.value);
      });
  });
}

/// What an application that reads this must give memory for.
static void writeDevice(OStream &json, const ModelInterface &model) {
  json.attribute("handle_bytes", int64_t(deviceHandleBytes(model)));
  json.attribute("memory_bytes", int64_t(deviceMemoryBytes(model)));
  if (model.hasSession())
    json.attribute("session_handle_bytes", int64_t(sessionHandleBytes(model)));
}

std::string sinter::package::writeManifest(const ModelInterface &model,
                                           uint64_t weightsHash) {
  std::string text;
  llvm::raw_string_ostream os(text);
  OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("format", 1);
    json.attribute("name", model.name);
    json.attribute("prefix", model.prefix());
    json.attribute("sinter", model.version);
    json.attribute("target", model.target);
    json.attribute("denormals", model.flushDenormals ? "flush" : "preserve");
    json.attribute("abi",
                   std::string(llvm::formatv("{0:x-8}", abiHash(model))));
    json.attribute("model", hex(modelHash(model, weightsHash)));
    json.attributeObject("weights", [&] {
      json.attribute("bytes", int64_t(model.weights.bytes));
      json.attribute("embedded", model.weights.embedded);
      json.attribute("hash", hex(weightsHash));
    });
    if (model.onDevice)
      json.attributeObject("device", [&] { writeDevice(json, model); });
    if (model.hasSession())
      json.attributeObject("session", [&] { writeSession(json, model); });
    json.attributeArray("entries", [&] {
      for (const EntryInterface &entry : model.entries)
        json.object([&] { writeEntry(json, model, entry); });
    });
    json.attributeArray("kernels", [&] {
      for (const std::string &kernel : model.kernels)
        json.value(kernel);
    });
  });
  os << "\n";
  return text;
}
