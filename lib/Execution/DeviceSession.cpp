//===- DeviceSession.cpp - Calls of a model on a GPU ----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/CompiledSession.h"
#include <optional>

using namespace llvm;

namespace sinter::execution {

CompiledSession::~CompiledSession() {
  if (device)
    (void)model.closeDevice(device);
}

Error CompiledSession::openDevice() {
  if (Error error = useDevice())
    return error;
  const DeviceManifest &sizes = *model.manifest().device;
  deviceHandle = std::make_unique<GuardedBuffer>(sizes.handleBytes);
  weightBytes = std::make_unique<GuardedBuffer>(sizes.memoryBytes);
  weightMemory = std::make_unique<DeviceMemory>(weightBytes->withGuards());
  if (Error error = weightMemory->takeError())
    return error;
  DevicePlace place{deviceHandle->data(), deviceHandle->size(),
                    weightMemory->addressOf(weightBytes->data()),
                    weightBytes->size()};
  sinter_status status = model.openDevice(place, weights, &device);
  return status == SINTER_OK ? Error::success()
                             : createStringError(model.describe(status));
}

Error CompiledSession::createOnDevice(ArrayRef<int64_t> dims) {
  const DeviceManifest &sizes = *model.manifest().device;
  handle = std::make_unique<GuardedBuffer>(sizes.sessionHandleBytes);
  deviceMemory = std::make_unique<DeviceMemory>(memory->withGuards());
  if (Error error = deviceMemory->takeError())
    return error;
  DevicePlace place{handle->data(), handle->size(),
                    deviceMemory->addressOf(memory->data()), memory->size()};
  sinter_status status = model.initDeviceSession(place, dims, &session);
  return status == SINTER_OK ? Error::success()
                             : createStringError(model.describe(status));
}

sinter_status
CompiledSession::callOnDevice(const EntryManifest &entry,
                              CallArguments arguments, GuardedBuffer &workspace,
                              ArrayRef<std::unique_ptr<GuardedBuffer>> tensors,
                              const Workers::Trace &trace, std::string &fault) {
  std::vector<std::unique_ptr<DeviceMemory>> copies;
  auto download = [&] {
    for (const std::unique_ptr<DeviceMemory> &copy : copies)
      if (Error error = copy->download())
        fault = toString(std::move(error));
  };
  auto place = [&](GuardedBuffer &buffer) {
    copies.push_back(std::make_unique<DeviceMemory>(buffer.withGuards()));
    return copies.back()->addressOf(buffer.data());
  };
  SmallVector<void *> addresses;
  for (const std::unique_ptr<GuardedBuffer> &tensor : tensors)
    addresses.push_back(tensor ? place(*tensor) : nullptr);
  arguments.tensors = addresses;
  arguments.weights = device;
  arguments.workspace = place(workspace);
  std::optional<DeviceTrace> traced;
  if (trace)
    traced.emplace([&](int32_t kernel, bool done) {
      // After a refusal kernels do nothing, and the call's status tells.
      if (model.deviceStatus(arguments.workspace) < 0)
        return;
      download();
      trace(kernel, done);
      for (const std::unique_ptr<DeviceMemory> &copy : copies)
        copy->upload();
    });
  sinter_status status = model.call(entry, arguments);
  if (status == SINTER_OK)
    status = model.deviceStatus(arguments.workspace);
  download();
  if (deviceMemory)
    if (Error error = deviceMemory->download())
      fault = toString(std::move(error));
  if (!deviceHandle->isIntact() || (handle && !handle->isIntact()))
    fault = "wrote outside of a handle";
  return status;
}

} // namespace sinter::execution
