//===- DeviceMemory.cpp - Memory of the current GPU -----------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Execution/DeviceMemory.h"
#include "TracedDriver.h"

using namespace llvm;

namespace sinter::execution {

static Error describe(int error) {
  const char *text = nullptr;
  if (sinter_cuda_driver()->cuGetErrorString(error, &text) != 0 || !text)
    text = "unknown error";
  return createStringError(Twine("the CUDA driver reports: ") + text);
}

Error useDevice() {
  const sinter_cuda *driver = sinter_cuda_driver();
  if (!driver)
    return createStringError(sinter_cuda_driver_error());
  void *context = nullptr;
  int device = 0;
  int error = driver->cuDeviceGet(&device, 0);
  if (!error)
    error = driver->cuCtxGetCurrent(&context);
  if (!error && context)
    return Error::success();
  if (!error)
    error = driver->cuDevicePrimaryCtxRetain(&context, device);
  if (!error)
    error = driver->cuCtxSetCurrent(context);
  return error ? describe(error) : Error::success();
}

unsigned deviceCapability() {
  const sinter_cuda *driver = sinter_cuda_driver();
  int device = 0, major = 0, minor = 0;
  driver->cuCtxGetDevice(&device);
  driver->cuDeviceGetAttribute(&major, SINTER_CUDA_COMPUTE_MAJOR, device);
  driver->cuDeviceGetAttribute(&minor, SINTER_CUDA_COMPUTE_MINOR, device);
  return 10 * major + minor;
}

/// Who is told of this thread's kernels.
static thread_local const DeviceTrace::Trace *currentTrace = nullptr;

DeviceTrace::DeviceTrace(Trace given) : trace(std::move(given)) {
  currentTrace = &trace;
}

DeviceTrace::~DeviceTrace() { currentTrace = nullptr; }

static void tellTrace(void *, int32_t kernel, int32_t done, void *) {
  if (currentTrace)
    (*currentTrace)(kernel, done != 0);
}

const sinter_cuda *tracedDriver() {
  static const sinter_cuda *table = []() -> const sinter_cuda * {
    static sinter_cuda traced;
    const sinter_cuda *driver = sinter_cuda_driver();
    if (!driver)
      return nullptr;
    traced = *driver;
    traced.trace = tellTrace;
    return &traced;
  }();
  return table;
}

DeviceMemory::DeviceMemory(MutableArrayRef<char> host) : host(host) {
  const sinter_cuda *driver = sinter_cuda_driver();
  error = driver->cuMemAlloc(&allocation, host.size() + 64);
  if (error)
    return;
  start = allocation + reinterpret_cast<uintptr_t>(host.data()) % 64;
  upload();
}

DeviceMemory::~DeviceMemory() {
  if (allocation)
    sinter_cuda_driver()->cuMemFree(allocation);
}

void *DeviceMemory::addressOf(const void *address) const {
  auto offset = static_cast<const char *>(address) - host.data();
  return allocation ? reinterpret_cast<void *>(start + offset) : nullptr;
}

void DeviceMemory::upload() {
  const sinter_cuda *driver = sinter_cuda_driver();
  if (!error)
    error = driver->cuMemcpyHtoDAsync(start, host.data(), host.size(), nullptr);
  if (!error)
    error = driver->cuStreamSynchronize(nullptr);
}

Error DeviceMemory::download() {
  const sinter_cuda *driver = sinter_cuda_driver();
  if (!error)
    error = driver->cuMemcpyDtoHAsync(host.data(), start, host.size(), nullptr);
  if (!error)
    error = driver->cuStreamSynchronize(nullptr);
  return takeError();
}

Error DeviceMemory::takeError() {
  return error ? describe(error) : Error::success();
}

} // namespace sinter::execution
