//===- Log.h - What NVRTC says of a compilation -----------------*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_TARGET_NVRTC_LOG_H
#define SINTER_TARGET_NVRTC_LOG_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace sinter::nvrtc {

/// What one kernel keeps in local memory for want of registers.
struct Spills {
  std::string kernel;
  unsigned stackBytes = 0;
  unsigned storeBytes = 0;
  unsigned loadBytes = 0;
};

/// The log of a successful compilation, read in full.
struct Log {
  /// Kernels whose use of local memory is not zero, in order of the log.
  std::vector<Spills> spills;
  /// Every message that is not ptxas' usual report, so: warnings, and
  /// "potential performance loss" (C75xx, C76xx), which ptxas calls
  /// information.
  std::vector<std::string> remarks;

  bool isClean() const { return spills.empty() && remarks.empty(); }

  /// Bytes that the threads of all kernels keep in local memory and move there
  /// and back.
  unsigned localBytes() const;
};

/// Reads a log that was written under `--ptxas-options=-v`.
Log parseLog(llvm::StringRef text);

} // namespace sinter::nvrtc

#endif // SINTER_TARGET_NVRTC_LOG_H
