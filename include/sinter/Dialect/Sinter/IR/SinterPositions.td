//===- SinterPositions.td - positions and their encodings -----------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERPOSITIONS
#define SINTER_DIALECT_SINTER_IR_SINTERPOSITIONS

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_PositionsOp : Sinter_ShapedOp<"positions", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Absolute positions of a chunk's elements";
  let description = [{
    For an input [B, T, ...] of any elements the result [B, T] i64 is
    cursor[b] + t + offset, or t + offset without `after`. The cursor is that at
    entry start. Learned positions are a `sinter.embedding` of the result; a call
    whose positions leave the table is refused before it runs. Some tables start
    with rows for other purposes: BART's positions have `offset(2)`.

    Constraints:
    - positions_c1: the input has at least 2 dimensions.
    - positions_c2: a cache of the module has this cursor.
    - positions_c3: the offset is not negative.

    ```mlir
    %at = sinter.positions %tokens after("context") : tensor<?x?xi32>
    %b = sinter.positions %tokens offset(2) : tensor<?x?xi32>
    ```
  }];
  let arguments = (ins Sinter_ModelTensor:$input, OptionalAttr<StrAttr>:$after,
                       DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs RankedTensorOf<[I64]>:$result);
  let assemblyFormat = [{
    $input oilist(`after` `(` $after `)` | `offset` `(` $offset `)`)
    attr-dict `:` type($input)
  }];
}

//===----------------------------------------------------------------------===//
// Rotary positions
//===----------------------------------------------------------------------===//

def Sinter_RopeScalingKind : I32EnumAttr<"RopeScalingKind",
    "how rotary positions reach beyond the length of training", [
  I32EnumAttrCase<"Linear", 0, "linear">,
  I32EnumAttrCase<"Dynamic", 1, "dynamic">,
  I32EnumAttrCase<"Yarn", 2, "yarn">,
  I32EnumAttrCase<"LongRope", 3, "longrope">,
  I32EnumAttrCase<"Llama3", 4, "llama3">
]> {
  let cppNamespace = "::sinter";
  let genSpecializedAttr = 0;
}

def Sinter_RopeScalingAttr : AttrDef<Sinter_Dialect, "RopeScaling"> {
  let mnemonic = "rope_scaling";
  let summary = "How rotary positions reach beyond the length of training";
  let description = [{
    Changes the frequencies f[c] = theta^(-2 c / R) of `sinter.rope` over R
    rotated columns. L is the `original_length` of training.

    - `linear` (Chen et al. 2023): f[c] / factor.
    - `dynamic` (NTK-aware; bloc97 and emozilla 2023): theta times
      (factor n / L - factor + 1)^(R / (R - 2)), where n is the row's length, at
      least L.
    - `yarn` (Peng et al. 2023): (1 - g) f[c] + g f[c] / factor, g a ramp from 0
      at pair `low` to 1 at pair `high`, where pair(r) = R log(L / (2 pi r)) / (2
      log theta) for r = `beta_fast` (32) and `beta_slow` (1), rounded outwards
      unless `truncate = false`, kept in 0 ... R - 1. Cosine and sine are scaled by
      `attention_factor`, by default m(1), or m(`mscale`) / m(`mscale_all_dim`)
      where both are given; m(s) = 0.1 s log(factor) + 1, or 1 if the factor is
      at most 1.
    - `longrope` (Ding et al. 2024; "su"): f[c] / `long_factor`[c] in rows longer
      than L, f[c] / `short_factor`[c] in others. Cosine and sine are scaled by
      `attention_factor`, by default sqrt(1 + log(factor) / log(L)), or 1 if the
      factor is at most 1.
    - `llama3` (Llama Team 2024): with w = L f[c] / (2 pi), f[c] where w is above
      `high_freq_factor`, f[c] / factor where it is below `low_freq_factor`, and
      between them (1 - s) f[c] / factor + s f[c] with
      s = (w - low_freq_factor) / (high_freq_factor - low_freq_factor).

    The parameters have the names of Hugging Face's `rope_scaling`, except for
    `original_length` (`original_max_position_embeddings` there, and
    `max_position_embeddings` for `dynamic`).

    Constraints:
    - rope_scaling_c1: the kind takes each parameter that is given.
    - rope_scaling_c2: parameters without a default are given. `longrope` has a
      `factor` or an `attention_factor`.
    - rope_scaling_c3: a parameter is a positive finite number; `truncate` is true
      or false; `short_factor` and `long_factor` are lists of such numbers, of the
      same size.
    - rope_scaling_c4: `original_length` is at least 1, for `longrope` 2; the
      factor of `dynamic` is at least 1.
    - rope_scaling_c5: `mscale` and `mscale_all_dim` stand together, and without
      `attention_factor`.
    - rope_scaling_c6: `low_freq_factor` is less than `high_freq_factor`, and
      `beta_slow` less than `beta_fast`.

    ```mlir
    #sinter.rope_scaling<yarn, factor = 4.0, original_length = 4096>
    #sinter.rope_scaling<longrope, original_length = 4096, factor = 32.0,
                         short_factor = [1.0, 1.1], long_factor = [1.0, 8.0]>
    ```
  }];
  let parameters = (ins "::sinter::RopeScalingKind":$kind,
                        "::mlir::DictionaryAttr":$parameters);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The number of that name, or `otherwise` where it is not given.
    double getNumber(::llvm::StringRef name, double otherwise = 0) const;
    /// The list of that name; empty where it is not given.
    ::llvm::ArrayRef<double> getList(::llvm::StringRef name) const;
    /// `truncate`.
    bool truncates() const;
    /// True if frequencies depend on the length of a row.
    bool dependsOnLength() const {
      return getKind() == RopeScalingKind::Dynamic ||
             getKind() == RopeScalingKind::LongRope;
    }
  }];
}

def Sinter_RopeOp : Sinter_ShapedOp<"rope", [Pure]> {
  let summary = "Rotary position embedding";
  let description = [{
    Rotates pairs of columns of the input [B, T, H, D] by the angle
    p theta^(-2 c / R), p the position [B, T], c = 0 ... R/2 - 1:

        y[c0] = x[c0] cos a - x[c1] sin a
        y[c1] = x[c0] sin a + x[c1] cos a

    with (c0, c1) = (c, c + R/2), or (2 c, 2 c + 1) with `interleaved`. R is D, or
    less with `rotary`; columns from R on stay as they are. `theta` is 10000 by
    default. `scaling` changes frequencies, see `#sinter.rope_scaling`. Source: Su
    et al. 2021. Angles are computed in f64; one beyond 3e9 gives NaN.

    The scalings `dynamic` and `longrope` depend on the length of each row b, which
    is 1 + the largest of its positions p[b, t], those with t below lengths[b] if
    there are `lengths`. So a row gets the same numbers in any batch. Keys in a
    cache keep the rotation of the call that appended them.

    Constraints:
    - rope_c1: the input has 4 dimensions.
    - rope_c2: positions are [B, T].
    - rope_c3: R is constant, even, at least 2 and at most D.
    - rope_c4: theta is positive.
    - rope_c5: lengths are [B], and the scaling depends on them.
    - rope_c6: the lists of `longrope` have R/2 numbers; for `dynamic` R is more
      than 2; for `yarn` theta is not 1.

    ```mlir
    %y = sinter.rope %x, %at interleaved theta(5.0e5) : tensor<?x?x8x64xf32>, tensor<?x?xi64>
    %z = sinter.rope %x, %at rotary(32) scaling<dynamic, factor = 2.0, original_length = 512>
        lengths(%n : tensor<?xi64>) : tensor<?x?x8x64xf32>, tensor<?x?xi64>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, Sinter_LengthTensor:$positions,
                       Optional<Sinter_LengthTensor>:$lengths,
                       UnitAttr:$interleaved,
                       OptionalAttr<I64Attr>:$rotary_size,
                       DefaultValuedAttr<F64Attr, "1.0e4">:$theta,
                       OptionalAttr<Sinter_RopeScalingAttr>:$scaling);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $input `,` $positions
    oilist(`interleaved` $interleaved | `rotary` `(` $rotary_size `)` |
           `theta` `(` $theta `)` | `scaling` `` custom<RopeScaling>($scaling) |
           `lengths` `(` $lengths `:` type($lengths) `)`)
    attr-dict `:` type($input) `,` type($positions)
  }];
  let extraClassDeclaration = shapeDeclaration # [{
    /// R: how many columns turn.
    int64_t getRotaryColumns() {
      return getRotarySize().value_or(getInput().getType().getDimSize(3));
    }
  }];
  let hasCanonicalizer = 1;
}

def Sinter_SinusoidalPositionsOp : Sinter_Op<"sinusoidal_positions", [Pure,
    DeclareOpInterfaceMethods<ResultExtentsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>]> {
  let summary = "Sinusoidal position vectors";
  let description = [{
    For positions [...] the result is [..., D] with

        y[2 c] = sin(p 10000^(-2 c / D)),  y[2 c + 1] = cos(p 10000^(-2 c / D))

    With `halves` the sines are y[c], the cosines y[c + D/2], as in Marian.
    Source: Vaswani et al. 2017. Angles are f64; one beyond 3e9 gives NaN.

    Constraints:
    - sinusoidal_positions_c1: the result has one dimension more.
    - sinusoidal_positions_c2: D is constant and even.

    ```mlir
    %p = sinter.sinusoidal_positions %at : tensor<?x?xi64> -> tensor<?x?x512xf32>
    ```
  }];
  let arguments = (ins Sinter_LengthTensor:$positions, UnitAttr:$halves);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = [{
    $positions (`halves` $halves^)? attr-dict `:` type($positions) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Sinter_AlibiSlopesOp : Sinter_Op<"alibi_slopes", [Pure]> {
  let summary = "Slopes of attention with linear biases";
  let description = [{
    One slope per head for a score rule that adds slope[h] (j - i). For H heads, a
    power of 2, they are 2^(-8 h / H), h = 1 ... H. Else, with P the largest power
    of 2 below H, they are the slopes of P heads, then every other slope of 2 P
    heads, from the first on. Expanded to a constant. Source: Press et al. 2021.

    Constraints:
    - alibi_slopes_c1: the result is [H], H constant and at least 1.

    ```mlir
    %slopes = sinter.alibi_slopes : tensor<12xf32>
    %y = sinter.attention %q, %k, %v : tensor<?x?x12x64xf32>, tensor<?x?x12x64xf32>, tensor<?x?x12x64xf32>
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %slope = tensor.extract %slopes[%h] : tensor<12xf32>
        %d = arith.subi %j, %i : index
        %n = arith.index_cast %d : index to i32
        %f = arith.sitofp %n : i32 to f32
        %bias = arith.mulf %slope, %f : f32
        %r = arith.addf %s, %bias : f32
        sinter.yield %r : f32
      }
    ```
  }];
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The slopes of this many heads.
    static ::llvm::SmallVector<double> slopesOf(int64_t heads);
  }];
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERPOSITIONS
