//===- Unsupported.cpp - Skeletons that have no CPU lowering --------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sinter/Conversion/FusedToCPU/KernelLowering.h"

using namespace mlir;
using namespace sinter;

LogicalResult cpu::lowerRecurrence(KernelLowering &, fused::RecurrenceOp op) {
  return op.emitError("has no lowering to a CPU");
}
