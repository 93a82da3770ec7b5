//===- Passes.td - passes from sinter to sinter ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_TRANSFORMS_PASSES
#define SINTER_DIALECT_SINTER_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SinterExpandEntries : Pass<"sinter-expand-entries", "::mlir::ModuleOp"> {
  let summary = "Make every entry a function of straight-line code";
  let description = [{
    Turns a module as a person writes it into states and one public function per
    entry:

    - calls of functions are inlined, in the bodies and in the regions of ops;
    - `sinter.layers` is unrolled, and the names of weights become absolute:
      `"wq"` in layer 3 of scope `"layers"` is `"layers.3.wq"`. A `{}` in the
      scope takes the number in place of the suffix, and a name with `{}` in it
      is relative to the scope around the layers;
    - a state `in "layers"` becomes one state per layer that is used, with the
      symbol `@"layers.3.kv"`;
    - `sinter.entry` becomes a copy of its function: bound dimensions become
      constant and the types that depend on them follow, bound arguments become
      constants, and results not kept go away with what only they needed.

    Then it checks, in each entry, that a state is changed by at most one op, that
    `from` is not mixed with `append` or `fill`, and that a cursor moves by the
    same lengths in all its caches.

    ```mlir
    sinter.entry @decode = @forward with {sequence = 1}
    // becomes
    func.func @decode(%tokens: tensor<?x1xi32> {...}) -> tensor<?x512xf32>
    ```

    Functions with several blocks and recursive calls are errors. Symbols keep
    the order of the source.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::tensor::TensorDialect", "::sinter::SinterDialect"
  ];
}

def SinterExpandLibrary : Pass<"sinter-expand-library", "::mlir::ModuleOp"> {
  let summary = "Write named forms as regions and simpler ops";
  let description = [{
    Leaves the lowering with fewer forms:

    - `sinter.attention`: the scale, given or 1 / sqrt(D), `softcap` and `alibi`
      become code at the start of the `score` region, and `scale` becomes 1;
      `causal` becomes the conjunct `j <= i` of the `mask` region, `window(l, r)`
      the conjuncts `i - j <= l` and `j - i <= r`;
    - `sinter.additive_attention` becomes a `sinter.attention` of one head with
      the `combine` region v[d] tanh(x + y);
    - `sinter.ffn` and `sinter.gated_ffn` become `sinter.linear`, an activation
      and, if gated, a product; one weight for gate and up becomes two slices;
    - `sinter.alibi_slopes` becomes a constant;
    - `sinter.dropout` becomes its input.

    ```mlir
    %y = sinter.attention %q, %k, %v causal : !q, !k, !k
    // becomes, with D = 64
    %y = sinter.attention %q, %k, %v scale(1.0) : !q, !k, !k
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %c = arith.constant 1.250000e-01 : f32
        %r = arith.mulf %s, %c : f32
        sinter.yield %r : f32
      }
      mask(%b: index, %h: index, %i: index, %j: index) {
        %r = arith.cmpi sle, %j, %i : index
        sinter.yield %r : i1
      }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::sinter::SinterDialect"
  ];
}

def SinterExpandRecurrence : Pass<"sinter-expand-recurrence", "::mlir::ModuleOp"> {
  let summary = "Write recurrent layers and cells as scans";
  let description = [{
    `sinter.rnn`, `sinter.gru` and `sinter.lstm` become a `sinter.scan` whose body
    is the formula of their description. Biases of which only the sum counts are
    added before; `time_major` becomes transposes around the scan. A cell becomes
    a scan over one element or, in the body of a scan, a part of its step.

    Apart from `sinter-expand-library`, because the reference computes these ops
    by themselves and so checks what is written here.

    ```mlir
    %y, %h = sinter.rnn %x, %w, %r : !x, !w, !r
    // becomes
    %y, %h = sinter.scan each(%xt = %x : !x) carry(%s = zero : !h) -> (!y, !h) {
      %a = sinter.linear %xt, %w : !xt, !w
      %b = sinter.linear %s, %r : !h, !r
      %z = arith.addf %a, %b : !h
      %s1 = math.tanh %z : !h
      sinter.yield each(%s1 : !h) carry(%s1 : !h)
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::tensor::TensorDialect", "::sinter::SinterDialect"
  ];
}

def SinterCheckDimensions : Pass<"sinter-check-dimensions", "::mlir::ModuleOp"> {
  let summary = "Refuse operands whose extents have two names but must be equal";
  let description = [{
    Equal names are one parameter and one check of a call, so extents that an operation needs to be equal must have one name: in
    an entry with x of ["a"] and y of ["b"], `arith.addf %x, %y` is an error. A number against a name is one too.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def SinterDeriveChecks : Pass<"sinter-derive-checks", "::mlir::ModuleOp"> {
  let summary = "State what a call must check before it runs";
  let description = [{
    Reads the uses of an entry's arguments and writes what follows from them as attributes: `sinter.range = R` on an argument
    that indexes a table of R rows or one of R positions, `sinter.below = "sequence"` on an argument that indexes positions of a
    named dimension, `sinter.lengths = "sequence"` (or a number) on an argument that counts positions of that
    dimension, `sinter.positions` on the entry: per table indexed by positions, that cursor + extent <= limit, and
    `sinter.rows = N` on a result whose rows are left alone where the lengths in argument N are 0. `sinter.idle_rows = N` on an
    entry with one lengths argument, N: rows of length 0 keep their state.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif // SINTER_DIALECT_SINTER_TRANSFORMS_PASSES
