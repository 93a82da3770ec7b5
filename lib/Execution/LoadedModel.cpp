//===- LoadedModel.cpp - A compiled model in this process -*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/LoadedModel.h"
#include "CodeImages.h"
#include "sinter/Target/Package/ModelInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <ffi.h>

using namespace llvm;

namespace sinter::execution {
namespace {

/// An argument list of integers and pointers for libffi.
class ForeignCall {
public:
  ForeignCall &pointer(const void *value) {
    return add(&ffi_type_pointer, reinterpret_cast<uintptr_t>(value));
  }
  ForeignCall &int64(int64_t value) {
    return add(&ffi_type_sint64, static_cast<uint64_t>(value));
  }
  /// Little-endian: the low bytes come first.
  ForeignCall &int32(int32_t value) {
    return add(&ffi_type_sint32, static_cast<uint32_t>(value));
  }

  int64_t callForInt64(void *function) {
    return static_cast<int64_t>(call(function, &ffi_type_sint64));
  }
  int32_t callForInt32(void *function) {
    return static_cast<int32_t>(call(function, &ffi_type_sint32));
  }
  const char *callForString(void *function) {
    return reinterpret_cast<const char *>(call(function, &ffi_type_pointer));
  }

private:
  ForeignCall &add(ffi_type *type, uint64_t value) {
    types.push_back(type);
    values.push_back(value);
    return *this;
  }

  uint64_t call(void *function, ffi_type *result) {
    SmallVector<void *> addresses;
    for (uint64_t &value : values)
      addresses.push_back(&value);
    ffi_cif interface;
    [[maybe_unused]] ffi_status status = ffi_prep_cif(
        &interface, FFI_DEFAULT_ABI, types.size(), result, types.data());
    assert(status == FFI_OK && "integers and pointers always have a call");
    ffi_arg returned = 0;
    ffi_call(&interface, FFI_FN(function), &returned, addresses.data());
    return returned;
  }

  SmallVector<ffi_type *> types;
  SmallVector<uint64_t> values;
};

/// On a device all is queued there.
constexpr const void *defaultStream = nullptr;

} // namespace

Expected<std::unique_ptr<LoadedModel>>
LoadedModel::fromObject(StringRef object) {
  Expected<std::string> prefix = findPrefix(object);
  if (!prefix)
    return prefix.takeError();
  Expected<std::unique_ptr<CodeImage>> image = loadObject(object);
  if (!image)
    return image.takeError();
  return fromImage(std::move(*image), *prefix);
}

Expected<std::unique_ptr<LoadedModel>> LoadedModel::fromShared(StringRef path) {
  auto quoted = [&](Error error) {
    return createStringError("'" + path + "': " + toString(std::move(error)));
  };
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError("cannot read '" + path +
                             "': " + buffer.getError().message());
  Expected<std::string> prefix = findPrefix((*buffer)->getBuffer());
  if (!prefix)
    return quoted(prefix.takeError());
  Expected<std::unique_ptr<CodeImage>> image = loadShared(path);
  if (!image)
    return image.takeError();
  auto model = fromImage(std::move(*image), *prefix);
  if (!model)
    return quoted(model.takeError());
  return model;
}

Expected<std::unique_ptr<LoadedModel>>
LoadedModel::fromImage(std::unique_ptr<CodeImage> image, StringRef prefix) {
  std::unique_ptr<LoadedModel> model(new LoadedModel());
  model->image = std::move(image);
  model->prefix = prefix.str();
  void *describe = model->image->lookup(model->prefix + "_manifest");
  if (!describe)
    return createStringError("symbol '" + model->prefix +
                             "_manifest' cannot be resolved");
  Expected<Manifest> manifest =
      Manifest::parse(ForeignCall().callForString(describe));
  if (!manifest)
    return manifest.takeError();
  model->description = std::move(*manifest);
  if (Error error = model->resolve())
    return std::move(error);
  return model;
}

static std::string extentFunction(const EntryManifest &entry,
                                  const DimManifest &dim) {
  return package::cIdentifier(entry.name) + "_extent_" +
         package::cIdentifier(dim.name);
}

Error LoadedModel::resolve() {
  SmallVector<std::string> suffixes = {"status_string", "kernel_name"};
  if (description.hasSession) {
    suffixes.append({"session_size", "session_init"});
    for (StringRef cursor : description.cursors)
      suffixes.push_back("session_length" + cursorSuffix(cursor));
  }
  if (description.device)
    suffixes.append({"device_open", "device_close", "status"});
  if (!description.weightsEmbedded)
    suffixes.push_back("weights_open");
  for (const EntryManifest &entry : description.entries) {
    std::string name = package::cIdentifier(entry.name);
    suffixes.append({name, name + "_workspace_size"});
    for (const DimManifest &dim : entry.dims)
      if (dim.isCurrent)
        suffixes.push_back(extentFunction(entry, dim));
  }
  for (StringRef suffix : suffixes) {
    std::string symbol = prefix + "_" + suffix.str();
    void *address = image->lookup(symbol);
    if (!address)
      return createStringError("symbol '" + symbol + "' cannot be resolved");
    functions[suffix] = address;
  }
  return Error::success();
}

void *LoadedModel::function(StringRef suffix) const {
  return functions.find(suffix)->second;
}

std::string LoadedModel::cursorSuffix(StringRef cursor) const {
  return description.cursors.size() > 1 ? "_" + package::cIdentifier(cursor)
                                        : "";
}

uint64_t LoadedModel::sessionSize(ArrayRef<int64_t> dims) const {
  ForeignCall call;
  for (int64_t dim : dims)
    call.int64(dim);
  return static_cast<uint64_t>(call.callForInt64(function("session_size")));
}

sinter_status LoadedModel::initSession(void *memory, uint64_t size,
                                       ArrayRef<int64_t> dims,
                                       void **session) const {
  ForeignCall call;
  call.pointer(memory).int64(static_cast<int64_t>(size));
  for (int64_t dim : dims)
    call.int64(dim);
  return call.pointer(session).callForInt32(function("session_init"));
}

int64_t LoadedModel::sessionLength(const void *session, StringRef cursor,
                                   int64_t row) const {
  ForeignCall call;
  call.pointer(session).int64(row);
  if (description.device)
    call.pointer(defaultStream);
  return call.callForInt64(function("session_length" + cursorSuffix(cursor)));
}

int64_t LoadedModel::currentExtent(const EntryManifest &entry,
                                   const DimManifest &dim,
                                   const void *session) const {
  ForeignCall call;
  call.pointer(session);
  if (description.device)
    call.pointer(defaultStream);
  return call.callForInt64(function(extentFunction(entry, dim)));
}

/// Memory of the host, then of the device.
static void addPlace(ForeignCall &call, const DevicePlace &place) {
  call.pointer(place.memory).int64(static_cast<int64_t>(place.size));
  call.pointer(place.buffer).int64(static_cast<int64_t>(place.bufferSize));
}

sinter_status LoadedModel::openDevice(const DevicePlace &place,
                                      const void *weights,
                                      void **device) const {
  ForeignCall call;
  if (description.weightBytes)
    addPlace(call, place);
  else
    call.pointer(place.memory).int64(static_cast<int64_t>(place.size));
  if (!description.weightsEmbedded)
    call.pointer(weights);
  return call.pointer(defaultStream)
      .pointer(device)
      .callForInt32(function("device_open"));
}

sinter_status LoadedModel::closeDevice(void *device) const {
  return ForeignCall().pointer(device).callForInt32(function("device_close"));
}

sinter_status LoadedModel::deviceStatus(const void *workspace) const {
  return ForeignCall()
      .pointer(workspace)
      .pointer(defaultStream)
      .callForInt32(function("status"));
}

sinter_status LoadedModel::initDeviceSession(const DevicePlace &place,
                                             ArrayRef<int64_t> dims,
                                             void **session) const {
  ForeignCall call;
  addPlace(call, place);
  for (int64_t dim : dims)
    call.int64(dim);
  return call.pointer(defaultStream)
      .pointer(session)
      .callForInt32(function("session_init"));
}

sinter_status LoadedModel::openWeights(const void *bytes, uint64_t size,
                                       const void **weights) const {
  return ForeignCall()
      .pointer(bytes)
      .int64(static_cast<int64_t>(size))
      .pointer(weights)
      .callForInt32(function("weights_open"));
}

uint64_t LoadedModel::workspaceSize(const EntryManifest &entry,
                                    ArrayRef<int64_t> dims,
                                    int32_t workers) const {
  ForeignCall call;
  // `entry` may be of another target's manifest.
  const EntryManifest *own = description.findEntry(entry.name);
  bool hasWorkers = !description.device;
  for (StringRef name :
       ArrayRef(own->workspaceArguments).drop_back(hasWorkers ? 1 : 0)) {
    const DimManifest *dim = entry.findDim(name);
    if (dim)
      call.int64(dims[dim - entry.dims.data()]);
  }
  if (hasWorkers)
    call.int32(workers);
  return static_cast<uint64_t>(call.callForInt64(
      function(package::cIdentifier(entry.name) + "_workspace_size")));
}

sinter_status LoadedModel::call(const EntryManifest &entry,
                                const CallArguments &arguments) const {
  ForeignCall call;
  if (entry.usesSession)
    call.pointer(arguments.session);
  if (description.device || entry.takesWeights)
    call.pointer(arguments.weights);
  call.pointer(description.device ? defaultStream : arguments.exec)
      .pointer(arguments.workspace)
      .int64(static_cast<int64_t>(arguments.workspaceBytes));
  for (auto [dim, value] : zip_equal(entry.dims, arguments.dims))
    if (dim.isArgument)
      call.int64(value);
  // The order of C parameters: lengths, inputs, outputs.
  for (auto role :
       {TensorManifest::Lengths, TensorManifest::Input, TensorManifest::Output})
    for (auto [tensor, address] : zip_equal(entry.tensors, arguments.tensors))
      if (tensor.role == role)
        call.pointer(address);
  return call.callForInt32(function(package::cIdentifier(entry.name)));
}

std::string LoadedModel::describe(sinter_status status) const {
  return ForeignCall().int32(status).callForString(function("status_string"));
}

} // namespace sinter::execution
