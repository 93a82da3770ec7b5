//===- FusedOps.td - The five skeletons -----------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDOPS
#define SINTER_DIALECT_FUSED_IR_FUSEDOPS

include "sinter/Dialect/Fused/IR/FusedBase.td"
include "sinter/Dialect/Fused/IR/FusedHost.td"
include "sinter/Dialect/Fused/IR/FusedRegions.td"
include "sinter/Dialect/Fused/IR/FusedSkeletons.td"

#endif // SINTER_DIALECT_FUSED_IR_FUSEDOPS
