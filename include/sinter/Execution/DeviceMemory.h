//===- DeviceMemory.h - Memory of the current GPU ---------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EXECUTION_DEVICEMEMORY_H
#define SINTER_EXECUTION_DEVICEMEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace sinter::execution {

/// Makes the first GPU's context this thread's. Fails, saying why, where there
/// is no driver or no device.
llvm::Error useDevice();

/// The compute capability of the current device, 90 for 9.0.
unsigned deviceCapability();

/// While it lives, models that were loaded from objects tell `trace` of the
/// kernels that this thread's calls queue: before (done = false) and after.
class DeviceTrace {
public:
  using Trace = std::function<void(int32_t kernel, bool done)>;
  explicit DeviceTrace(Trace trace);
  ~DeviceTrace();
  DeviceTrace(const DeviceTrace &) = delete;
  DeviceTrace &operator=(const DeviceTrace &) = delete;

private:
  Trace trace;
};

/// A copy of a block of host memory in the memory of the device.
class DeviceMemory {
public:
  /// Its address has the same remainder by 64 as the host's.
  explicit DeviceMemory(llvm::MutableArrayRef<char> host);
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Where an address of the block lies on the device; null without memory.
  void *addressOf(const void *address) const;
  /// Copies all to the device, when what is queued is done. A failure is the
  /// next call's.
  void upload();
  /// Copies all back, when what is queued is done. Fails with the driver's
  /// text.
  llvm::Error download();
  /// Why there is no memory, or what failed.
  llvm::Error takeError();

private:
  llvm::MutableArrayRef<char> host;
  uint64_t allocation = 0, start = 0;
  int error = 0;
};

} // namespace sinter::execution

#endif // SINTER_EXECUTION_DEVICEMEMORY_H
