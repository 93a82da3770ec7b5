//===- Manifest.cpp - What a compiled model says of itself -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/Manifest.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/JSON.h"

using namespace llvm;

namespace sinter::execution {

const DimManifest *EntryManifest::findDim(StringRef name) const {
  auto found =
      find_if(dims, [&](const DimManifest &dim) { return dim.name == name; });
  return found == dims.end() ? nullptr : &*found;
}

int EntryManifest::findTensor(StringRef name) const {
  for (auto [i, tensor] : enumerate(tensors))
    if (tensor.name == name)
      return static_cast<int>(i);
  return -1;
}

const EntryManifest *Manifest::findEntry(StringRef name) const {
  auto found = find_if(
      entries, [&](const EntryManifest &entry) { return entry.name == name; });
  return found == entries.end() ? nullptr : &*found;
}

bool fromJSON(const json::Value &value, ExtentManifest &extent,
              json::Path path) {
  if (std::optional<StringRef> name = value.getAsString())
    extent.name = name->str();
  else if (std::optional<int64_t> number = value.getAsInteger())
    extent.value = *number;
  else
    return path.report("expected a name or a number"), false;
  return true;
}

bool fromJSON(const json::Value &value, DimManifest &dim, json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.map("name", dim.name) && o.map("lower", dim.lower) &&
         o.map("upper", dim.upper) &&
         o.mapOptional("argument", dim.isArgument) &&
         o.mapOptional("current", dim.isCurrent) &&
         o.mapOptional("session", dim.session);
}

bool fromJSON(const json::Value &value, TensorManifest &tensor,
              json::Path path) {
  json::ObjectMapper o(value, path);
  std::string role, type;
  int64_t lengths = -1;
  if (!o || !o.map("name", tensor.name) || !o.map("role", role) ||
      !o.map("type", type) || !o.map("shape", tensor.shape) ||
      !o.mapOptional("counts", tensor.counts) ||
      !o.mapOptional("limit", tensor.limit) ||
      !o.mapOptional("below", tensor.below) ||
      !o.mapOptional("lengths", lengths))
    return false;
  tensor.lengths = static_cast<int>(lengths);
  tensor.role = StringSwitch<TensorManifest::Role>(role)
                    .Case("lengths", TensorManifest::Lengths)
                    .Case("output", TensorManifest::Output)
                    .Default(TensorManifest::Input);
  std::optional<StoredType> known = parseStoredType(type);
  if (!known)
    return path.field("type").report("expected an element type"), false;
  tensor.type = *known;
  return true;
}

bool fromJSON(const json::Value &value, CursorManifest &cursor,
              json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.map("name", cursor.name) && o.map("use", cursor.use);
}

bool fromJSON(const json::Value &value, EntryManifest &entry, json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.map("name", entry.name) && o.map("function", entry.function) &&
         o.map("session", entry.usesSession) &&
         o.map("weights", entry.takesWeights) &&
         o.map("dimensions", entry.dims) && o.map("tensors", entry.tensors) &&
         o.map("cursors", entry.cursors) &&
         o.mapOptional("reads", entry.reads) &&
         o.map("workspace_arguments", entry.workspaceArguments);
}

bool fromJSON(const json::Value &value, DeviceManifest &device,
              json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.map("handle_bytes", device.handleBytes) &&
         o.map("memory_bytes", device.memoryBytes) &&
         o.mapOptional("session_handle_bytes", device.sessionHandleBytes);
}

namespace {

struct StateManifest {
  std::string cursor;
};

struct SessionManifest {
  std::vector<DimManifest> dims;
  std::vector<StateManifest> states;
};

struct WeightsManifest {
  int64_t bytes = 0;
  bool embedded = true;
};

bool fromJSON(const json::Value &value, StateManifest &state, json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.mapOptional("cursor", state.cursor);
}

bool fromJSON(const json::Value &value, SessionManifest &session,
              json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.map("dimensions", session.dims) &&
         o.map("states", session.states);
}

bool fromJSON(const json::Value &value, WeightsManifest &weights,
              json::Path path) {
  json::ObjectMapper o(value, path);
  return o && o.map("bytes", weights.bytes) &&
         o.map("embedded", weights.embedded);
}

} // namespace

static bool fromJSON(const json::Value &value, Manifest &manifest,
                     json::Path path) {
  json::ObjectMapper o(value, path);
  int64_t format = 0;
  WeightsManifest weights;
  std::optional<SessionManifest> session;
  if (!o || !o.map("format", format) || !o.map("name", manifest.name) ||
      !o.map("prefix", manifest.prefix) || !o.map("target", manifest.target) ||
      !o.map("weights", weights) || !o.map("session", session) ||
      !o.map("device", manifest.device) || !o.map("entries", manifest.entries))
    return false;
  if (format != 1)
    return path.field("format").report("expected format 1"), false;
  manifest.weightBytes = static_cast<uint64_t>(weights.bytes);
  manifest.weightsEmbedded = weights.embedded;
  manifest.hasSession = session.has_value();
  if (!session)
    return true;
  manifest.sessionDims = session->dims;
  for (const StateManifest &state : session->states)
    if (!state.cursor.empty() && !is_contained(manifest.cursors, state.cursor))
      manifest.cursors.push_back(state.cursor);
  return true;
}

Expected<Manifest> Manifest::parse(StringRef text) {
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return value.takeError();
  Manifest manifest;
  json::Path::Root root("manifest");
  if (!fromJSON(*value, manifest, root))
    return root.getError();
  return manifest;
}

} // namespace sinter::execution
