//===- SinterOps.td - all of the dialect ----------------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTEROPS
#define SINTER_DIALECT_SINTER_IR_SINTEROPS

include "sinter/Dialect/Sinter/IR/SinterStructure.td"
include "sinter/Dialect/Sinter/IR/SinterAttention.td"
include "sinter/Dialect/Sinter/IR/SinterPositions.td"
include "sinter/Dialect/Sinter/IR/SinterLayers.td"
include "sinter/Dialect/Sinter/IR/SinterActivations.td"
include "sinter/Dialect/Sinter/IR/SinterShapes.td"
include "sinter/Dialect/Sinter/IR/SinterRecurrence.td"
include "sinter/Dialect/Sinter/IR/SinterScan.td"

#endif // SINTER_DIALECT_SINTER_IR_SINTEROPS
