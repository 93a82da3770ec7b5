//===- SharedMemory.h - Shared memory of emulated blocks --------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_SHAREDMEMORY_H
#define SINTER_EMULATOR_SHAREDMEMORY_H

#include <cstddef>
#include <vector>

namespace sinter::emulation {

/// Shared memory of one launch, for one block at a time.
class SharedMemory {
public:
  explicit SharedMemory(size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  /// The next block's, filled with NaN. Under ThreadSanitizer each block's is
  /// elsewhere, since blocks are not ordered. Memory that may not be accessed
  /// lies before and behind.
  unsigned char *next();

private:
  size_t bytes;
  std::vector<unsigned char *> blocks; // one but under ThreadSanitizer
};

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_SHAREDMEMORY_H
