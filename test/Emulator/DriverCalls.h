//===- DriverCalls.h - Right and wrong calls of the driver ------*- C++ -*-===//
//
// Part of the Sinter project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information. SPDX-License-Identifier:
// Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_EMULATOR_DRIVERCALLS_H
#define SINTER_EMULATOR_DRIVERCALLS_H

#include "sinter-c/sinter_cuda.h"

/// Makes calls that a driver must refuse, and others, and prints the results.
void callDriver(const sinter_cuda &cuda, void *module);

/// What a host may not do.
void readDeviceMemory(const sinter_cuda &cuda);

#endif // SINTER_EMULATOR_DRIVERCALLS_H
