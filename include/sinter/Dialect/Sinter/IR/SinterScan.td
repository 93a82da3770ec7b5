//===- SinterScan.td - user-defined recurrence ----------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERSCAN
#define SINTER_DIALECT_SINTER_IR_SINTERSCAN

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_ScanOp : Sinter_Op<"scan", [
    AttrSizedOperandSegments, SingleBlock, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<ResultExtentsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface, ["reifyResultShapes"]>]> {
  let summary = "A recurrence whose step is written out";
  let description = [{
    For each row b and each t in 0 .. T - 1

        each[t], state = body(x[t], state)

    from the initial states, each a tensor or `zero`. The body is one step: it
    gets a step [B, ...] of each sequence [B, T, ...] and the states [B, ...],
    and yields the steps of the outputs (`each`) and the next states (`carry`).
    Weights and all else are used from outside. Results: the outputs
    [B, T, ...], then the last states.

    `reverse` goes from the last element to the first; with `lengths` [B], from
    the row's own last. Source: the scan of functional languages; ONNX Scan and
    Loop, jax.lax.scan.

    Corner rules: past its length a row keeps its states and its outputs are 0.
    With T = 0 the last states are the initial ones. Row b of what the body
    yields is made of row b alone.

    A body of projections, element-wise arithmetic and norms over features
    becomes one kernel, whatever the cell is.

    Constraints:
    - scan_c1: there is a sequence, and all have 2 dimensions or more and agree
      in B and T.
    - scan_c2: the body's arguments are a step of each sequence, then the states,
      which have the types of their initial values.
    - scan_c3: states and yielded steps are [B, ...] with constant extents after
      B.
    - scan_c4: lengths are [B].
    - scan_c5: the body ends with `sinter.yield each(...) carry(...)`, which
      carries values of the states' types.
    - scan_c6: the results are [B, T, ...] of each yielded step, then the states.
    - scan_c7: no op of the body reads or changes the session's state.

    ```mlir
    %y, %last = sinter.scan each(%xt = %x : tensor<?x?x64xf32>) carry(%h = zero : tensor<?x64xf32>)
        lengths(%n : tensor<?xi64>) reverse -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
      %s = arith.addf %xt, %h : tensor<?x64xf32>
      %h1 = math.tanh %s : tensor<?x64xf32>
      sinter.yield each(%h1 : tensor<?x64xf32>) carry(%h1 : tensor<?x64xf32>)
    }
    ```
  }];
  // `zeros` tells for each state whether it starts at zero; the others have an
  // initial value, in order.
  let arguments = (ins Variadic<Sinter_ModelTensor>:$sequences,
                       Variadic<Sinter_ModelTensor>:$initials,
                       Optional<Sinter_LengthTensor>:$lengths,
                       DenseBoolArrayAttr:$zeros,
                       UnitAttr:$reverse);
  let results = (outs Variadic<Sinter_ModelTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// The body's arguments that are a step of each sequence, in order.
    ::mlir::Block::BlockArgListType getSteps() {
      return getBody().getArguments().take_front(getSequences().size());
    }
    /// The body's arguments that are states, in order.
    ::mlir::Block::BlockArgListType getStates() {
      return getBody().getArguments().drop_front(getSequences().size());
    }
    unsigned getNumStates() { return getZeros().size(); }
    unsigned getNumOutputs() { return getNumResults() - getNumStates(); }
    /// Where state number `state` starts; null for zero.
    ::mlir::Value getInitial(unsigned state);
    /// The yielded steps of the outputs, and the yielded states.
    ::mlir::OperandRange getYieldedSteps();
    ::mlir::OperandRange getYieldedStates();
    /// B and T as one of the operands has them, a constant if one is.
    ::sinter::Extent getBatch();
    ::sinter::Extent getTime();
    /// The extent of an argument of the body, outside of it.
    ::sinter::Extent getArgumentExtent(::mlir::BlockArgument argument, int64_t dim);
    /// Gives the body's arguments and the results the constant extents that the
    /// operands have.
    void refineTypes();
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERSCAN
