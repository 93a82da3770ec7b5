//===- DeviceCode.h - kernels for GPUs inside of an object ------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, independent of MLIR and of NVRTC.
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_PACKAGE_DEVICECODE_H
#define SINTER_TARGET_PACKAGE_DEVICECODE_H

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::package {

/// A module for cuModuleLoadData.
struct DeviceImage {
  /// 80: compute capability 8.0. Machine code runs on devices of the same major
  /// number and at least the same minor one, PTX on all from this one on.
  int64_t capability = 0;
  /// Machine code that runs on this capability alone.
  bool specific = false;
  std::string bytes;
};

/// One kernel's code.
struct DeviceKernelCode {
  /// Of the function in each of its modules, and of the kernel's host functions
  /// (`<name>_tasks`, `<name>_steps`).
  std::string name;
  int64_t threads = 0;     ///< of a block
  int64_t sharedBytes = 0; ///< dynamic shared memory of a block
  /// Machine code by capability, ascending.
  std::vector<DeviceImage> images;
  /// For devices of which there is no image; a C string, empty: none.
  DeviceImage ptx;
};

} // namespace sinter::package

#endif // SINTER_TARGET_PACKAGE_DEVICECODE_H
