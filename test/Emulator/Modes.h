//===- Modes.h - One launch in every mode -----------------------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_MODES_H
#define SINTER_EMULATOR_MODES_H

#include "Launcher.h"

namespace sinter::emulation {

/// Whether `launch` is to run in all modes. Counts the launch.
bool takesAllModes(const Launch &launch, const Options &options);

/// Runs a launch in each schedule, with copies that are lazy and that are
/// eager, each time on the device memory that it found. A fault if any of these
/// leaves other bits there than the first. Device memory must be accessible.
void runInAllModes(const Launch &launch, const Options &options);

} // namespace sinter::emulation

#endif // SINTER_EMULATOR_MODES_H
