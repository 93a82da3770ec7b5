//===- SharedMemory.cpp - Shared memory of emulated blocks ----------------===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedMemory.h"
#include "GuardedMemory.h"
#include "Sanitizers.h"
#include <cstring>

using namespace sinter::emulation;

/// What SINTER_SHARED promises.
static constexpr size_t kAlignment = 128;

SharedMemory::SharedMemory(size_t bytes) : bytes(bytes) {}

SharedMemory::~SharedMemory() {
  Quiet quiet;
  for (unsigned char *block : blocks)
    freeGuarded(block, bytes, kAlignment);
}

unsigned char *SharedMemory::next() {
  Quiet quiet;
  if (blocks.empty() || hasThreadSanitizer())
    blocks.push_back(
        static_cast<unsigned char *>(allocateGuarded(bytes, kAlignment)));
  memset(blocks.back(), 0xff, bytes);
  return blocks.back();
}
