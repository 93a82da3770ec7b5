//===- SinterAttention.td - attention and heads ---------------------------===//
//
// Licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_SINTER_IR_SINTERATTENTION
#define SINTER_DIALECT_SINTER_IR_SINTERATTENTION

include "sinter/Dialect/Sinter/IR/SinterBase.td"

def Sinter_AttentionOp : Sinter_Op<"attention", [
    AttrSizedOperandSegments, AttrSizedResultSegments, SingleBlock,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<ResultExtentsOpInterface>,
    DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                              ["reifyResultShapes"]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Scaled dot-product attention with rules in the IR";
  let description = [{
    For query [B, T, H, D], key [B, S, G, D], value [B, S, G, E]:

        s[b,h,t,j] = score(scale * sum_d q[b,t,h,d] k[b,j,g,d], b, h, i, j)
        p[b,h,t,.] = softmax over the j that all masks let through
        y[b,t,h,e] = sum_j p[b,h,t,j] v[b,j,g,e]        g = h / (H / G)

    with i = t + offset the query's absolute position. Source: Vaswani et al.
    2017; grouped heads: Ainslie et al. 2023. Result [B, T, H, E].

    Clauses, in any order:
    - `scale(x)`: the default is 1 / sqrt(D), or 1 with a `combine` region.
    - `softcap(x)`: x tanh(s / x) in place of the scaled product s (Gemma Team
      2024; ONNX Attention).
    - `alibi(%m)`, [H]: adds m[h] (j - i) to that (Press et al. 2021).
    - `causal`: key j counts if j <= i.
    - `window(l, r)`: key j counts if i - l <= j <= i + r; `?` stands for no
      limit on that side (Beltagy et al. 2020). Mistral's window of W keys is
      `causal window(W - 1, ?)`.
    - `lengths(%n)`, [B]: only the first n[b] of the given keys count; with
      `append` only these are appended.
    - `offset(%o)`, [B]: the offset of the queries. Without it the offset is the
      cursor for `append`, else S - T.
    - `mask(%m)`, broadcastable to [B, H, T, S]: i1, true means attend, or f32,
      added to the score.
    - `append(@c)`: appends the keys and values to the cache, then attends to
      all of it.
    - `from(@c)`: has no key and value and attends to the cache as it is at
      entry start; S is the row's cursor.

    Further results, in this order, each stored only if its clause is given and
    the result is used:
    - `lse`, [B, T, H]: the logarithm of the softmax's sum, log sum_j exp(s),
      with which parts of an attention can be joined.
    - `scores`, [B, H, T, S]: s with the added mask; -inf if j does not count.
    - `weights`, [B, H, T, S]: p; 0 where j does not count.

    Rules, regions that see outside tensors through `tensor.extract`, whose
    indices are clamped:
    - `score(s: f32, b, h, i, j) -> f32`: replaces s, which is scaled, capped
      and biased by the clauses.
    - `mask(b, h, i, j) -> i1`: true means attend.
    - `sink(b, h, i) -> f32`: a further score of the softmax, without a value
      (Xiao et al. 2023).
    - `combine(x: f32, y: f32, h, d) -> f32`: replaces the product of
      x = q[b,t,h,d] and y = k[b,j,g,d] in the sum.

    Corner rules: i can be negative, so rules compare signed. All masks are a
    conjunction, and the score is computed before the mask. A score of minus
    infinity is that of a key that does not count; any finite score counts. A
    query that no key counts for gives 0, and -inf as `lse` without a sink. A
    score of plus infinity or NaN that is not masked makes its row NaN, except
    for weights of keys that do not count, which are 0. A key past the length
    never influences the result. Past a row's length the result is unspecified.

    Constraints:
    - attention_c1: the query has 4 dimensions, H and D constant, at least 1.
    - attention_c2: key and value have 4 dimensions and agree with the query and
      each other; G and E are constant, at least 1.
    - attention_c3: key and value, or `from`.
    - attention_c4: `from` without `append` and `lengths`.
    - attention_c5: `append` without `offset`.
    - attention_c6: the results have the shapes above.
    - attention_c7: G divides H.
    - attention_c8: lengths and offset are [B].
    - attention_c9: the mask is broadcastable to [B, H, T, S].
    - attention_c10: the rules have the arguments and results above.
    - attention_c11: the state exists and is a cache.
    - attention_c12: heads and sizes are the cache's; its heads divide H.
    - attention_c13: `scores` and `weights` without `append` and `from`, whose
      keys are not counted in the IR.
    - attention_c14: the cap is positive.
    - attention_c15: the slopes of `alibi` are [H].
    - attention_c16: limits of the window are at least 0.

    ```mlir
    %y = sinter.attention %q, %k, %v causal append(@kv) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8x8xf32>, tensor<?x?x4x8xf32>, tensor<?x?x4x8xf32>
    %z = sinter.attention %q from(@cross) : tensor<?x?x8x64xf32>
    %u, %p = sinter.attention %q, %k, %v causal window(255, ?) softcap(50.0) weights
        : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
    %w = sinter.attention %q, %k, %v : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
    ```
  }];
  let arguments = (ins
    Sinter_F32Tensor:$query,
    Optional<Sinter_F32Tensor>:$key,
    Optional<Sinter_F32Tensor>:$value,
    Optional<Sinter_LengthTensor>:$lengths,
    Optional<Sinter_LengthTensor>:$offset,
    Optional<Sinter_MaskTensor>:$dense_mask,
    Optional<Sinter_F32Tensor>:$slopes,
    UnitAttr:$causal,
    OptionalAttr<F64Attr>:$scale,
    OptionalAttr<F64Attr>:$softcap,
    OptionalAttr<I64Attr>:$window_left,
    OptionalAttr<I64Attr>:$window_right,
    OptionalAttr<FlatSymbolRefAttr>:$append,
    OptionalAttr<FlatSymbolRefAttr>:$from);
  let results = (outs Sinter_F32Tensor:$result,
                      Optional<Sinter_F32Tensor>:$lse,
                      Optional<Sinter_F32Tensor>:$scores,
                      Optional<Sinter_F32Tensor>:$weights);
  let regions = (region AnyRegion:$scoreRegion, AnyRegion:$maskRegion,
                        AnyRegion:$sinkRegion, AnyRegion:$combineRegion);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let builders = [
    // Result types from the operands; `weights` adds that result. All regions
    // are empty.
    OpBuilder<(ins "::mlir::Value":$query, "::mlir::Value":$key,
                   "::mlir::Value":$value, CArg<"bool", "false">:$weights)>
  ];
  let extraClassDeclaration = [{
    /// Type of the mixture, [B, T, H, E].
    ::mlir::RankedTensorType getType() { return getResult().getType(); }
    /// The state that is appended to or attended; null without cache.
    ::mlir::FlatSymbolRefAttr getCacheAttr() {
      return getAppendAttr() ? getAppendAttr() : getFromAttr();
    }
    int64_t getHeads() { return getQuery().getType().getDimSize(2); }
    /// `scale`; without it 1 / sqrt(D), or 1 beside a `combine` region.
    double getScaleValue();
    /// Shape of the first result; without keys and values (`from`) the value
    /// size is that of the present result. Errors go to `check`.
    static ::mlir::FailureOr<::sinter::ResultShape>
    resultShape(::mlir::Value query, ::mlir::Value key, ::mlir::Value value,
                ::mlir::Type present, const ::sinter::ShapeCheck &check);
    /// Shape of `lse` for the shape of the first result.
    static ::sinter::ResultShape lseShape(const ::sinter::ResultShape &first);
    /// Shape of `scores` and `weights`; the last extent is unknown without key.
    static ::sinter::ResultShape
    scoresShape(const ::sinter::ResultShape &first, ::mlir::Value key);
  }];
  let hasCanonicalizer = 1;
}

def Sinter_AdditiveAttentionOp : Sinter_ShapedOp<"additive_attention", [
    Pure, AttrSizedOperandSegments]> {
  let summary = "Additive attention (Bahdanau)";
  let description = [{
    For a projected query [B, T, D] (or [B, D], one per row), projected keys
    [B, S, D], values [B, S, E] and a vector v [D]:

        s[b,t,j] = sum_d v[d] tanh(q[b,t,d] + k[b,j,d])
        p[b,t,.] = softmax over the j that count
        y[b,t,e] = sum_j p[b,t,j] value[b,j,e]

    Result [B, T, E], or [B, E]. Source: Bahdanau, Cho, Bengio 2014; Luong et
    al. 2015 call it "concat": a matrix times [q; k] is the sum of two
    projections. No T x S x D numbers are ever stored.

    Clauses, in any order:
    - `lengths(%n)`, [B]: only the first n[b] keys count.
    - `mask(%m)`, broadcastable to [B, T, S] (or [B, S]): i1, true means attend,
      or f32, added to the score.
    - `weights`: a further result p, [B, T, S] (or [B, S]), stored only if it is
      used; 0 where j does not count.

    Corner rules as in `sinter.attention`: a query that no key counts for gives
    0; a key past the length never influences the result.

    Constraints:
    - additive_attention_c1: the query has 2 or 3 dimensions, D constant, at
      least 1.
    - additive_attention_c2: key and value have 3 dimensions and agree with the
      query and each other; E is constant, at least 1.
    - additive_attention_c3: the vector is [D].
    - additive_attention_c4: lengths are [B].
    - additive_attention_c5: the mask has the query's rank and is broadcastable
      to [B, T, S], or [B, S].

    ```mlir
    %c, %p = sinter.additive_attention %q, %k, %m, %v lengths(%n : tensor<?xi64>) weights
        : tensor<?x256xf32>, tensor<?x?x256xf32>, tensor<?x?x1024xf32>, tensor<256xf32>
    ```
  }];
  let arguments = (ins
    Sinter_F32Tensor:$query, Sinter_F32Tensor:$key, Sinter_F32Tensor:$value,
    Sinter_F32Tensor:$vector,
    Optional<Sinter_LengthTensor>:$lengths,
    Optional<Sinter_MaskTensor>:$dense_mask,
    UnitAttr:$with_weights);
  let results = (outs Sinter_F32Tensor:$result,
                      Optional<Sinter_F32Tensor>:$weights);
  let assemblyFormat = [{
    $query `,` $key `,` $value `,` $vector
    oilist(`lengths` `(` $lengths `:` type($lengths) `)`
         | `mask` `(` $dense_mask `:` type($dense_mask) `)`
         | `weights` $with_weights)
    attr-dict `:` type($query) `,` type($key) `,` type($value) `,`
    type($vector)
  }];
  let hasCanonicalizer = 1;
}

def Sinter_SplitHeadsOp : Sinter_ShapedOp<"split_heads", [Pure]> {
  let summary = "Cut the last dimension into groups of heads";
  let description = [{
    The last dimension of [..., (H1 + H2 + ...) D], read as heads of size D,
    becomes the tensors [..., H1, D], [..., H2, D], ...

    Constraints:
    - split_heads_c1: the input has at least 1 dimension.
    - split_heads_c2: there is a head count, and all are positive.
    - split_heads_c3: the last dimension is a constant multiple of their sum.

    ```mlir
    %q, %k, %v = sinter.split_heads %x [8, 4, 4] : tensor<?x?x128xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input, DenseI64ArrayAttr:$heads);
  let results = (outs Variadic<Sinter_F32Tensor>:$results);
  let assemblyFormat = "$input $heads attr-dict `:` type($input)";
}

def Sinter_MergeHeadsOp : Sinter_ShapedOp<"merge_heads", [Pure]> {
  let summary = "Join heads and head size";
  let description = [{
    [..., H, D] becomes [..., H D].

    Constraints:
    - merge_heads_c1: the input has at least 2 dimensions.
    - merge_heads_c2: H and D are constant.

    ```mlir
    %y = sinter.merge_heads %x : tensor<?x?x8x8xf32>
    ```
  }];
  let arguments = (ins Sinter_F32Tensor:$input);
  let results = (outs Sinter_F32Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

#endif // SINTER_DIALECT_SINTER_IR_SINTERATTENTION
