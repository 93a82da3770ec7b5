//===- Launcher.h - Runs kernels on the processor ---------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_LAUNCHER_H
#define SINTER_EMULATOR_LAUNCHER_H

#include "Block.h"

namespace sinter::emulation {

/// Runs `launch` to its end. Its thread count is a multiple of 32, at most
/// 1024. One launch runs at a time, all on one thread of the operating system.
/// A fault (Block.h), also an access where no memory is, ends the process.
void run(const Launch &launch, const Options &options);

/// Reports accesses that a kernel, or the host, may not make (GuardedMemory.h).
/// Sanitizers have handlers of their own, which say more. May be called often.
void installHandlers();

/// Whether an address is in device memory, for reports. Whoever owns that
/// memory defines it.
bool isDeviceMemory(const void *address);

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_LAUNCHER_H
