//===- Passes.td - From tensors to launches -------------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_TRANSFORMS_PASSES
#define SINTER_DIALECT_FUSED_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def FusedPackWeights : Pass<"fused-pack-weights", "::mlir::ModuleOp"> {
  let summary = "Move everything computed from weights alone into the weight blob";
  let description = [{
    A value is constant if its op reads only weights, constants and other constant values. Each constant value that a
    non-constant op uses becomes one `fused.packed` symbol, whose body is the value's backward slice; equal bodies are one
    symbol, so all entries and users share one copy. Symbols lie in the blob in order of first use, 64-byte aligned.
  }];
  let dependentDialects = ["::sinter::fused::FusedDialect", "::mlir::tensor::TensorDialect"];
}

def FusedPlanMemory : Pass<"fused-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Turn tensors into views of one arena";
  let description = [{
    Bufferisation for entries made of skeletons. A result lives where its `outs` operand does: in a state, in place; else in
    a slot of the arena, or in the caller's output if it is returned. Live intervals over the straight-line program
    colour values into slots (linear scan, Poletto and Sarkar 1999); a slot is as large as the largest of its values, for any
    dimensions: sizes are polynomials in the entry's named dimensions.

    Entry functions lose their results and gain one trailing memref argument per result. Their attribute `fused.dims` names the
    dimensions, `fused.slots` holds one map per slot over them, whose results are the sizes in bytes of the slot's values.
    A trailing argument's `fused.extents` is the map of its extents.
  }];
  let dependentDialects = ["::sinter::fused::FusedDialect", "::mlir::arith::ArithDialect"];
}

def FusedOutlineKernels : Pass<"fused-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline skeletons into kernels; equal ones become one";
  let description = [{
    Each skeleton on memrefs becomes a `fused.kernel` and a `fused.launch`. Two skeletons that print alike, locations aside,
    are one kernel: dynamic extents and buffers are arguments, so layers of a model share.
  }];
  let dependentDialects = ["::sinter::fused::FusedDialect"];
}

#endif // SINTER_DIALECT_FUSED_TRANSFORMS_PASSES
