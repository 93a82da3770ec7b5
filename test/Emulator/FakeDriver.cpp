//===- FakeDriver.cpp - Device and context of the fake CUDA driver ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "Sanitizers.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

using namespace sinter::emulation;

Driver &sinter::emulation::driver() {
  // Never destroyed: objects may use it while the process ends.
  static Driver *driver = new Driver;
  return *driver;
}

/// The one context's handle, and whether it is this thread's.
static char primaryContext;
static thread_local void *currentContext = nullptr;

Call::Call(const char *name, bool needsContext)
    : lock(driver().mutex), name(name) {
  if (!driver().isInitialized)
    error = refuse(NotInitialized, "cuInit was not called");
  else if (needsContext && (!currentContext || !driver().contextUsers))
    error = refuse(InvalidContext, "the thread has no current context");
}

Error Call::refuse(Error error, const char *format, ...) const {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "fake driver: %s: %s\n", name, text);
  return error;
}

EXPORT int cuInit(unsigned flags) {
  if (flags)
    return InvalidValue;
  driver().isInitialized = true;
  return Success;
}

EXPORT int cuDriverGetVersion(int *version) {
  *version = 12090;
  return Success;
}

EXPORT int cuGetErrorString(int error, const char **text) {
  static const std::map<int, const char *> texts = {
      {Success, "no error"},
      {InvalidValue, "invalid argument"},
      {OutOfMemory, "out of memory"},
      {NotInitialized, "initialization error"},
      {InvalidDevice, "invalid device ordinal"},
      {InvalidImage, "device kernel image is invalid"},
      {InvalidContext, "invalid device context"},
      {InvalidHandle, "invalid resource handle"},
      {IllegalState, "the operation cannot be performed in the present state"},
      {NotFound, "named symbol not found"},
      {NotReady, "device not ready"},
      {NotSupported, "operation not supported"},
      {CaptureUnsupported, "operation not permitted when stream is capturing"},
      {CaptureInvalidated,
       "operation failed due to a previous error during capture"},
  };
  auto found = texts.find(error);
  *text = found == texts.end() ? nullptr : found->second;
  return *text ? Success : InvalidValue;
}

EXPORT int cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount", false);
  *count = 1;
  return call.error;
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  Call call("cuDeviceGet", false);
  *device = 0;
  return ordinal ? InvalidDevice : call.error;
}

EXPORT int cuDeviceGetName(char *name, int size, int device) {
  Call call("cuDeviceGetName", false);
  snprintf(name, size, "Sinter's emulator");
  return device ? InvalidDevice : call.error;
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  Call call("cuDeviceGetAttribute", false);
  const Options &options = driver().options;
  const int shared = options.shared << 10;
  const std::map<int, int> values = {
      {1, kMaxThreads},              // threads of a block
      {2, kMaxThreads},              // in the first dimension
      {5, 0x7fffffff},               // blocks of a grid in the first dimension
      {8, kDefaultShared},           // shared memory of a block
      {10, 32},                      // threads of a warp
      {12, 65536},                   // registers of a block
      {16, 4},                       // multiprocessors
      {39, 2048},                    // threads of a multiprocessor
      {75, options.capability / 10}, // compute capability: major
      {76, options.capability % 10}, // and minor
      {81, shared + 1024},           // shared memory of a multiprocessor
      {97, shared},                  // of a block that asks for more
  };
  if (call.error || device)
    return call.error ? call.error : InvalidDevice;
  auto found = values.find(attribute);
  if (found == values.end())
    return call.refuse(InvalidValue, "attribute %d is not one it knows",
                       attribute);
  *value = found->second;
  return Success;
}

EXPORT int cuDevicePrimaryCtxRetain(void **context, int device) {
  Call call("cuDevicePrimaryCtxRetain", false);
  if (call.error || device)
    return call.error ? call.error : InvalidDevice;
  ++driver().contextUsers;
  *context = &primaryContext;
  return Success;
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  Call call("cuDevicePrimaryCtxRelease", false);
  if (call.error || device)
    return call.error ? call.error : InvalidDevice;
  if (!driver().contextUsers)
    return call.refuse(InvalidContext, "it is not retained");
  if (driver().contextUsers == 1)
    runAllPending();
  --driver().contextUsers;
  return Success;
}

EXPORT int cuCtxGetCurrent(void **context) {
  Call call("cuCtxGetCurrent", false);
  *context = currentContext;
  return call.error;
}

EXPORT int cuCtxSetCurrent(void *context) {
  Call call("cuCtxSetCurrent", false);
  if (context && context != &primaryContext)
    return call.refuse(InvalidContext, "%p is no context", context);
  currentContext = context;
  return call.error;
}

EXPORT int cuCtxGetDevice(int *device) {
  Call call("cuCtxGetDevice");
  *device = 0;
  return call.error;
}

EXPORT int cuCtxSynchronize() {
  Call call("cuCtxSynchronize");
  if (call.error || (call.error = refuseCapture(call)))
    return call.error;
  runAllPending();
  return Success;
}

EXPORT int cuGetProcAddress_v2(const char *symbol, void **function, int,
                               uint64_t, int *status) {
  Dl_info self;
  dladdr(reinterpret_cast<void *>(cuInit), &self);
  void *library = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
  *function = nullptr;
  for (const char *suffix : {"_v2", ""})
    if (!*function)
      *function = dlsym(library, (std::string(symbol) + suffix).c_str());
  if (status)
    *status = *function ? 0 : 1; // found, or not
  return *function ? Success : NotFound;
}
