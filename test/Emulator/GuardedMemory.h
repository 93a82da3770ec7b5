//===- GuardedMemory.h - Memory with forbidden surroundings -----*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_GUARDEDMEMORY_H
#define SINTER_EMULATOR_GUARDEDMEMORY_H

#include <cstddef>

namespace sinter::emulation {

/// Memory for device or shared memory, filled with NaN. Under a sanitizer it is
/// malloc's, which gives it red zones; else it ends, up to `alignment`, where a
/// page begins that may not be accessed, and another lies before it. Null: no
/// memory.
void *allocateGuarded(size_t bytes, size_t alignment);
void freeGuarded(void *memory, size_t bytes, size_t alignment);

/// Forbids, or allows again, all accesses to what allocateGuarded gave. A
/// sanitizer's memory stays as it is.
void protectGuarded(void *memory, size_t bytes, size_t alignment,
                    bool isForbidden);

/// Nothing was written between its end and the page behind.
bool isIntact(const void *memory, size_t bytes, size_t alignment);

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_GUARDEDMEMORY_H
