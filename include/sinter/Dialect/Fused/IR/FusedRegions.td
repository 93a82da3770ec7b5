//===- FusedRegions.td - Ops inside scalar regions ------------------------===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDREGIONS
#define SINTER_DIALECT_FUSED_IR_FUSEDREGIONS

include "sinter/Dialect/Fused/IR/FusedBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"

def Fused_YieldOp : Fused_Op<"yield", [Pure, Terminator]> {
  let summary = "Ends a scalar region";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def Fused_SigmoidOp : Fused_Op<"sigmoid", [Pure, SameOperandsAndResultType]> {
  let summary = "1 / (1 + exp(-x))";
  let arguments = (ins AnyFloat:$x);
  let results = (outs AnyFloat:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Fused_ReadOp : Fused_Op<"read", [Pure]> {
  let summary = "Reads a captured table at computed indices, which are clamped";
  let description = [{
    `$table` is a region argument of tensor or memref type: a capture whose map is absent (`captures(%bias)`).
    Each index is clamped to the table's extent before the read, so no index faults; a table without elements reads
    as 0. With `reports`, a read that really clamps is told to the caller as a notice: a computed index that the model
    means to be inside. Without it, clamping is part of what the region means.

    ```mlir
    %r = fused.read %bias[%bucket, %h] : tensor<32x8xf32>
    %s = fused.read %bias[%bucket, %h : i32, index] {reports} : tensor<32x8xf32>
    ```

    Constraints.
    * read_c1: one index per dimension of the table.
    * read_c2: the result is the scalar type of the table's elements.
    * read_c3: the table is a region argument.
  }];
  let arguments = (ins Fused_Shaped:$table, Variadic<AnySignlessIntegerOrIndex>:$indices,
      UnitAttr:$reports);
  let results = (outs AnyType:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif // SINTER_DIALECT_FUSED_IR_FUSEDREGIONS
