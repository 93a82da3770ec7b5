//===- TracedDriver.h - The CUDA driver as loaded models see it -*- C++ -*-===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_LIB_EXECUTION_TRACEDDRIVER_H
#define SINTER_LIB_EXECUTION_TRACEDDRIVER_H

#include "sinter-c/sinter_cuda.h"

namespace sinter::execution {

/// `sinter_cuda_driver` for objects that are linked into this process: its
/// trace is the calling thread's DeviceTrace.
const sinter_cuda *tracedDriver();

} // namespace sinter::execution

#endif // SINTER_LIB_EXECUTION_TRACEDDRIVER_H
