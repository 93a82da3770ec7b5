//===- FakeMemory.cpp - Device memory of the fake CUDA driver ---===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory that only the driver's operations may access. It
// is filled with NaN when it is allocated; an access past its end or after it
// is freed is a fault (GuardedMemory.h).
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "GuardedMemory.h"
#include "Launcher.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace sinter::emulation;

/// What the CUDA driver gives at least.
static constexpr size_t kAlignment = 256;

static void *pointer(uint64_t address) {
  return reinterpret_cast<void *>(address);
}

void *sinter::emulation::findMemory(const Call &call, uint64_t address,
                                    size_t bytes) {
  const std::map<uint64_t, size_t> &memory = driver().memory;
  auto next = memory.upper_bound(address);
  if (next != memory.begin()) {
    auto [first, size] = *std::prev(next);
    if (address - first <= size && bytes <= size - (address - first))
      return pointer(address);
  }
  call.refuse(InvalidValue, "%zu bytes at %p are not device memory", bytes,
              pointer(address));
  return nullptr;
}

static void protectAll(bool isForbidden) {
  for (auto [address, bytes] : driver().memory)
    protectGuarded(pointer(address), bytes, kAlignment, isForbidden);
}

void sinter::emulation::execute(const Operation &operation) {
  protectAll(false);
  operation();
  protectAll(true);
}

bool sinter::emulation::isDeviceMemory(const void *address) {
  uint64_t number = reinterpret_cast<uint64_t>(address);
  const std::map<uint64_t, size_t> &memory = driver().memory;
  auto next = memory.upper_bound(number);
  return next != memory.begin() &&
         number - std::prev(next)->first < std::prev(next)->second;
}

void sinter::emulation::checkMemory(const char *kernel) {
  for (auto [address, bytes] : driver().memory) {
    if (isIntact(pointer(address), bytes, kAlignment))
      continue;
    fprintf(stderr, "emulator: kernel %s wrote behind the %zu bytes at %p\n",
            kernel, bytes, pointer(address));
    _Exit(kFault);
  }
}

EXPORT int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  Call call("cuMemAlloc");
  if (call.error || (call.error = refuseCapture(call)))
    return call.error;
  if (!bytes)
    return call.refuse(InvalidValue, "no bytes are asked for");
  void *memory = allocateGuarded(bytes, kAlignment);
  if (!memory)
    return OutOfMemory;
  *address = reinterpret_cast<uint64_t>(memory);
  driver().memory[*address] = bytes;
  installHandlers();
  protectGuarded(memory, bytes, kAlignment, true);
  return Success;
}

EXPORT int cuMemFree_v2(uint64_t address) {
  Call call("cuMemFree");
  if (call.error || !address)
    return call.error;
  runAllPending(); // freeing waits for the device
  auto found = driver().memory.find(address);
  if (found == driver().memory.end())
    return call.refuse(InvalidValue, "%p is not what cuMemAlloc gave",
                       pointer(address));
  freeGuarded(pointer(address), found->second, kAlignment);
  driver().memory.erase(found);
  return Success;
}

EXPORT int cuMemGetInfo_v2(size_t *available, size_t *all) {
  Call call("cuMemGetInfo");
  *all = size_t(16) << 30;
  *available = *all;
  for (auto [address, bytes] : driver().memory)
    *available -= bytes;
  return call.error;
}

EXPORT int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes,
                                void *stream) {
  Call call("cuMemcpyHtoDAsync");
  if (call.error || !bytes)
    return call.error;
  void *memory = findMemory(call, to, bytes);
  if (!memory)
    return InvalidValue;
  // The driver reads pageable memory before it returns, unless it captures.
  const char *source = static_cast<const char *>(from);
  auto *handle = static_cast<Stream *>(stream);
  if (handle && driver().streams.count(handle) && handle->capture)
    return enqueue(call, stream, [=] { memcpy(memory, source, bytes); });
  std::vector<char> staged(source, source + bytes);
  return enqueue(call, stream, [=, staged = std::move(staged)] {
    memcpy(memory, staged.data(), bytes);
  });
}

EXPORT int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes,
                                void *stream) {
  Call call("cuMemcpyDtoHAsync");
  if (call.error || !bytes)
    return call.error;
  void *memory = findMemory(call, from, bytes);
  if (!memory)
    return InvalidValue;
  return enqueue(call, stream, [=] { memcpy(to, memory, bytes); });
}

EXPORT int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                                void *stream) {
  Call call("cuMemcpyDtoDAsync");
  if (call.error || !bytes)
    return call.error;
  void *target = findMemory(call, to, bytes);
  void *source = findMemory(call, from, bytes);
  if (!target || !source)
    return InvalidValue;
  return enqueue(call, stream, [=] { memmove(target, source, bytes); });
}

EXPORT int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes,
                           void *stream) {
  Call call("cuMemsetD8Async");
  if (call.error || !bytes)
    return call.error;
  void *target = findMemory(call, to, bytes);
  if (!target)
    return InvalidValue;
  return enqueue(call, stream, [=] { memset(target, value, bytes); });
}

// Those without a stream are of the default one and wait.

EXPORT int cuCtxSynchronize();

static int waitAfter(int error) { return error ? error : cuCtxSynchronize(); }

EXPORT int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return waitAfter(cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr));
}
EXPORT int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return waitAfter(cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr));
}
EXPORT int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t bytes) {
  return waitAfter(cuMemcpyDtoDAsync_v2(to, from, bytes, nullptr));
}
EXPORT int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes) {
  return waitAfter(cuMemsetD8Async(to, value, bytes, nullptr));
}
