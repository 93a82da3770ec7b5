//===- FusedSkeletons.td - contract, attention, normalize, recurrence, map ===//
//
// Part of Sinter, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SINTER_DIALECT_FUSED_IR_FUSEDSKELETONS
#define SINTER_DIALECT_FUSED_IR_FUSEDSKELETONS

include "sinter/Dialect/Fused/IR/FusedBase.td"
include "sinter/Dialect/Fused/IR/FusedInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"

class Fused_Skeleton<string mnemonic, list<Trait> traits = []> : Fused_Op<mnemonic, !listconcat(traits, [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<DestinationStyleOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, DeclareOpInterfaceMethods<Fused_SkeletonInterface>])> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Fused_MapOp : Fused_Skeleton<"map", [IsolatedFromAbove]> {
  let summary = "n-dimensional loop with affine or gathered reads";
  let description = [{
    ```
    for all dims:  stores[i][map_i(dims, symbols)] = body(ins_j[map_j(dims, symbols)] ...)[i]
    ```
    The extent of a dimension is that of a tensor dimension which a map reads or stores plainly at it, or stands in
    `dims(b, n = 64)`. `outs` is the list of destinations; `stores` of one destination by several maps are disjoint.
    An input with no map (`%table` alone) reaches the body as a whole, for `fused.read`. `index(b, t)` adds the named loop
    indices to the body's arguments, after the inputs. `symbols(p = %start by (b) : T)` are integers read per row,
    usable in maps. `rows(%n by (b) of t)`: points with t >= n[b] are not computed.

    Body arguments: one scalar per input with a map (a whole tensor without), then one `index` per name of `index(...)`.

    ```mlir
    %r = fused.map dims(b, t, j) ins(%x by (b, t, j), %y by (b, t, j) : T, T) outs(%z by (b, t, j) : T) {
    ^bb0(%a: f32, %c: f32):
      %s = arith.addf %a, %c : f32
      fused.yield %s : f32
    }
    ```

    Constraints. Maps are over all of `dims`; input and store maps also over all symbols.
    * map_c1: distinct dimensions, each with an extent that is positive or dynamic.
    * map_c2: per input a map with one result per dimension of the input, or none.
    * map_c3: per symbol a distinct name and a map over `dims` to one index.
    * map_c4: `rows` has a map that does not depend on the limited dimension.
    * map_c5: every destination is stored into, in order of first use; maps as in c2.
    * map_c6: `index` names dimensions.
    * map_c7: body arguments are as above; floats are f32 (f64 for f64 operands), integers as they are.
    * map_c8: the body yields one scalar per store, of the destination's scalar type.
    * map_c9: every dimension has an extent; operands read plainly at it have just that extent (at least that where `dims`
      fixes it), destinations at least that.
  }];
  let arguments = (ins
    Variadic<Fused_Shaped>:$inputs,
    Variadic<Fused_Lengths>:$symbols,
    Optional<Fused_Lengths>:$rows,
    Variadic<Fused_Shaped>:$outs,
    // Names of the iteration dimensions and their extents where a number fixes them (else kDynamic).
    StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    // One entry per input: an AffineMap attribute, or unit where the whole tensor is captured.
    ArrayAttr:$input_maps,
    StrArrayAttr:$symbol_names, AffineMapArrayAttr:$symbol_maps,
    OptionalAttr<AffineMapAttr>:$rows_map, OptionalAttr<I64Attr>:$rows_dim,
    // One store per yielded value: destination number in `outs` and map.
    DenseI64ArrayAttr:$store_outs, AffineMapArrayAttr:$store_maps,
    // Dimension numbers whose index is passed to the body.
    DenseI64ArrayAttr:$index_dims);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
}

def Fused_ContractOp : Fused_Skeleton<"contract", [SingleBlock, NoTerminator]> {
  let summary = "Batched matrix product in segments, each with an epilogue";
  let description = [{
    ```
    for all rows (all dims but n, k), for each segment, for n in [0, N):
      acc_g = sum_k input[row, k] * weight_g[k, n]        g = 0 .. paired weights - 1
      stores = epilogue(acc_0, ..., captures at (row, n))
    ```
    The last two of `dims` are n and k, the others number the rows. The body holds `fused.segment` ops. Products and sums
    are f32 in ascending k, blocked by the schedule.

    Constraints.
    * contract_c1: as map_c1; the last two dimensions are n and k.
    * contract_c2: the input's map has one result per dimension of the input and does not depend on n.
    * contract_c3: as map_c4; the limited dimension is a row dimension.
    * contract_c4: the body holds segments, at least one.
    * contract_c5: every destination is stored into by some segment.
    * contract_c6: as map_c9, but for n.
  }];
  let arguments = (ins
    Fused_Shaped:$input,
    Optional<Fused_Lengths>:$rows,
    Variadic<Fused_Shaped>:$outs,
    StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    AffineMapAttr:$input_map,
    OptionalAttr<AffineMapAttr>:$rows_map, OptionalAttr<I64Attr>:$rows_dim,
    OptionalAttr<DictionaryAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    /// The segments, in order.
    auto getSegments() { return getBody().front().getOps<SegmentOp>(); }
    /// The map of a weight that is a matrix [k, n].
    ::mlir::AffineMap getMatrixMap() {
      unsigned rank = getDims().size();
      return ::mlir::AffineMap::getMultiDimMapWithTargets(rank, {rank - 1, rank - 2}, getContext());
    }
  }];
}

def Fused_SegmentOp : Fused_Op<"segment", [AttrSizedOperandSegments, IsolatedFromAbove, HasParent<"ContractOp">]> {
  let summary = "One range of columns of a contract and what becomes of it";
  let description = [{
    `weights`: g >= 1 matrices; without a map they are read as (k, n), with one (`%w by (b, k, n)`) by it: an activation.
    `stores`: the segment's yielded values in order, each into an `outs` operand of the contract by a map over dims and
    symbols. `partials(sum %s by (b, t, tile))`: the yielded values after the stores are reduced per row and column tile.
    Epilogue arguments: accumulators, then captures. `index(b, n)` adds loop indices after them.

    Constraints. Capture and store maps are over the contract's dimensions and the segment's symbols.
    * segment_c1: at least one weight, of the input's scalar type, each with a map over the contract's dimensions.
    * segment_c2: capture maps do not depend on k.
    * segment_c3: as map_c3.
    * segment_c4: stores go to `outs` operands of the contract by maps that do not depend on k; something is stored.
    * segment_c5: partials go to `outs` operands by maps over the dimensions and `tile` that depend on neither n nor k.
    * segment_c6: `index` names dimensions.
    * segment_c7: epilogue arguments are accumulators, captures, indices.
    * segment_c8: the epilogue yields one scalar per store, then one per partial.
    * segment_c9: n is positive, or dynamic and told by a weight; weights have n columns.
  }];
  let arguments = (ins
    Variadic<Fused_Shaped>:$weights,
    Variadic<Fused_Shaped>:$captures,
    Variadic<Fused_Lengths>:$symbols,
    Variadic<Fused_Shaped>:$stores,
    Variadic<Fused_Shaped>:$partials,
    I64Attr:$n,
    AffineMapArrayAttr:$weight_maps,
    ArrayAttr:$capture_maps,
    StrArrayAttr:$symbol_names, AffineMapArrayAttr:$symbol_maps,
    AffineMapArrayAttr:$store_maps,
    Fused_ReductionArrayAttr:$partial_kinds, AffineMapArrayAttr:$partial_maps,
    DenseI64ArrayAttr:$index_dims);
  let regions = (region SizedRegion<1>:$epilogue);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Fused_AttentionOp : Fused_Skeleton<"attention", [IsolatedFromAbove]> {
  let summary = "Streams key/value tiles past query tiles with an online softmax";
  let description = [{
    ```
    for all (b, h, q):  s_k = score(combine_d(query[b,h,q,d], key[b,h,k,d]) summed over d)   for unmasked k
      p = softmax over k (with `sink` as a further score);  out[b,h,q,e] = sum_k p_k value[b,h,k,e]
    ```
    `dims(b, h, q, k, d, e)` in this order. q and k in regions are absolute: q = offset[b] + row, k = column. Keys at or past
    `length[b]` (default: the extent) are never read. A row with no unmasked key gives 0. A region that is absent is the
    identity (score), always true (mask), a product (combine), nothing (sink). No buffer of rows x keys exists unless
    `scores` or `weights` results are asked for.

    Region arguments: combine(q_d, k_d, captures at d), score(s, b, h, q, k, captures), mask(b, h, q, k, captures),
    sink(b, h, q, captures); b, h, q, k are `index`. Capture maps are over (b, h, q, k, d, e); a capture without a map is
    a table for `fused.read`.

    Constraints.
    * attention_c1: as map_c1; the dimensions are b, h, q, k, d, e.
    * attention_c2: the query's map is over (b, h, q, d), the key's over (b, h, k, d), the value's over (b, h, k, e).
    * attention_c3: maps of `offset`, `length`, `rows` are over b.
    * attention_c4: an absent region has no captures; capture maps are over (b, h, q, k, d) in combine, (b, h, q, k) in score
      and mask, (b, h, q) in sink.
    * attention_c5: one destination and map for the mixture, over (b, h, q, e), and one per extra: lse over (b, h, q), scores
      and weights over (b, h, q, k).
    * attention_c6: region arguments as above.
    * attention_c7: mask yields an i1, the others a scalar of the query's type.
    * attention_c8: as map_c9.
  }];
  let arguments = (ins
    Fused_Shaped:$query, Fused_Shaped:$key, Fused_Shaped:$value,
    Optional<Fused_Lengths>:$offset, Optional<Fused_Lengths>:$length,
    Optional<Fused_Lengths>:$rows,
    Variadic<Fused_Shaped>:$combine_captures, Variadic<Fused_Shaped>:$score_captures,
    Variadic<Fused_Shaped>:$mask_captures, Variadic<Fused_Shaped>:$sink_captures,
    Variadic<Fused_Shaped>:$outs,
    StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    AffineMapAttr:$query_map, AffineMapAttr:$key_map, AffineMapAttr:$value_map,
    OptionalAttr<AffineMapAttr>:$offset_map, OptionalAttr<AffineMapAttr>:$length_map,
    // rows(%n by (b)): query rows >= n[b] are not computed.
    OptionalAttr<AffineMapAttr>:$rows_map,
    ArrayAttr:$combine_maps, ArrayAttr:$score_maps, ArrayAttr:$mask_maps, ArrayAttr:$sink_maps,
    // One map per destination: the mixture, then those named by `extras` ("lse", "scores", "weights").
    AffineMapArrayAttr:$out_maps, StrArrayAttr:$extras,
    OptionalAttr<DictionaryAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  // Each may be empty.
  let regions = (region AnyRegion:$combine, AnyRegion:$score, AnyRegion:$mask, AnyRegion:$sink);
}

def Fused_NormalizeOp : Fused_Skeleton<"normalize", [IsolatedFromAbove]> {
  let summary = "Per row: up to two reductions, then a map";
  let description = [{
    ```
    for all rows (all dims but the last, j):
      v = pre(ins at (row, j))                    absent: v = ins
      r_0 = reduce_0 over j of region_0(v);  r_1 = reduce over j of region_1(v, r_0)
      stores = post(v, r_0, r_1, captures)        per j; once per row where no store map has j
    ```
    In a statistics-only op (no store map has j) post receives only reductions and captures.
    `index(b, j)` adds loop indices to post's arguments, after the captures.
    `rows(%n by (b) of t)`: rows with t >= n[b] are not computed.

    Constraints.
    * normalize_c1: as map_c1, and there is a dimension to reduce.
    * normalize_c2: at least one input, each with a map.
    * normalize_c3: as map_c2, of captures.
    * normalize_c4: as map_c4; not the reduced dimension.
    * normalize_c5: as map_c5; all stores depend on the reduced dimension or none does.
    * normalize_c6: one or two reductions, a kind and a region each.
    * normalize_c7: `index` names dimensions.
    * normalize_c8: region arguments as above.
    * normalize_c9: pre yields something, a reduction one value, post one scalar per store.
    * normalize_c10: as map_c9.
  }];
  let arguments = (ins
    Variadic<Fused_Shaped>:$inputs, Variadic<Fused_Shaped>:$captures,
    Optional<Fused_Lengths>:$rows,
    Variadic<Fused_Shaped>:$outs,
    StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    AffineMapArrayAttr:$input_maps, ArrayAttr:$capture_maps,
    OptionalAttr<AffineMapAttr>:$rows_map, OptionalAttr<I64Attr>:$rows_dim,
    Fused_ReductionArrayAttr:$reductions,
    DenseI64ArrayAttr:$store_outs, AffineMapArrayAttr:$store_maps,
    DenseI64ArrayAttr:$index_dims);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  // pre may be empty; one region per reduction.
  let regions = (region AnyRegion:$pre, SizedRegion<1>:$post, VariadicRegion<SizedRegion<1>>:$reduces);
}

def Fused_RecurrenceOp : Fused_Skeleton<"recurrence", [SingleBlockImplicitTerminator<"StepOp">]> {
  let summary = "For t: phases of products with constant matrices, then maps over units";
  let description = [{
    `dims(b, t, u, k)`. The body is one step; its arguments are `!fused.units`: those of the `project` weights (x_t times
    that matrix, made in chunks of time inside the op), one per `vectors` input read at (b, t, u), then one per state.
    `fused.step` names the outputs (stored by the first `outs` maps, over (b, t, u)) and the next states (last `outs`, over
    (b, u)). A row past `lengths[b]` keeps its state and outputs 0. `reverse` starts at each row's own last element.

    A weight is a matrix [k, u] or a stack [g, k, u] of g matrices, which gives g arguments in order. A stack is there so that
    the gates of 16 units are neighbours in memory and all its products read one stream:
    `#fused.layout<(g, k, n) -> (n floordiv 16, k, g, n mod 16)>`. Units may differ in number (u is no common extent): each
    argument has as many as the last extent of what it is made of.

    Constraints.
    * recurrence_c1: as map_c1; the dimensions are b, t, u, k.
    * recurrence_c2: an input and weights, or neither; weights are static matrices [k, u] or stacks [g, k, u]; the input's map
      is not over u.
    * recurrence_c3: vector maps are over (b, t, u) and end with u, whose extent is static.
    * recurrence_c4: state maps are over (b, u) and end with u, whose extent is static.
    * recurrence_c5: the map of `lengths` is over b.
    * recurrence_c6: one destination per output and state of the step, with room for its units; maps of final states are over
      (b, u).
    * recurrence_c7: body arguments as above.
    * recurrence_c8: the body holds phases and a step, whose states have the types of the state arguments.
    * recurrence_c9: as map_c9, but not of u; k only where there is an input.
  }];
  let arguments = (ins
    Optional<Fused_Shaped>:$input, Variadic<Fused_Shaped>:$weights, Variadic<Fused_Shaped>:$vectors,
    Variadic<Fused_Shaped>:$states,
    Optional<Fused_Lengths>:$lengths,
    Variadic<Fused_Shaped>:$outs,
    StrArrayAttr:$dims, DenseI64ArrayAttr:$extents,
    OptionalAttr<AffineMapAttr>:$input_map, AffineMapArrayAttr:$vector_maps, AffineMapArrayAttr:$state_maps,
    OptionalAttr<AffineMapAttr>:$lengths_map,
    AffineMapArrayAttr:$out_maps,
    UnitAttr:$reverse,
    OptionalAttr<DictionaryAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
}

def Fused_PhaseOp : Fused_Op<"phase", [AttrSizedOperandSegments, IsolatedFromAbove, HasParent<"RecurrenceOp">]> {
  let summary = "Products, reductions over units, then one map per unit";
  let description = [{
    `products(%h * %u : T)` multiplies units with constant matrices [k, u], or with each of a stack [g, k, u], which stands for
    g products. Region arguments, everywhere: products, vectors, results of earlier reductions, captures (maps over the
    dimensions of the recurrence). A reduction runs over the units of the phase, which may have no products at all.

    Constraints.
    * phase_c1: matrices are static, with the factor's size as rows and the phase's as columns.
    * phase_c2: vectors and results have one type.
    * phase_c3: capture maps are over the recurrence's b, t, u; where an index is u, the extent holds the phase's units.
    * phase_c4: one kind per reduction.
    * phase_c5: region arguments as above.
    * phase_c6: a reduction yields one value, the map one per result.
  }];
  let arguments = (ins
    Variadic<Fused_UnitsType>:$factors, Variadic<Fused_Shaped>:$matrices,
    Variadic<Fused_UnitsType>:$vectors,
    Variadic<Fused_Shaped>:$captures, ArrayAttr:$capture_maps,
    Fused_ReductionArrayAttr:$reductions);
  let results = (outs Variadic<Fused_UnitsType>:$results);
  let regions = (region SizedRegion<1>:$map, VariadicRegion<SizedRegion<1>>:$reduces);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Fused_StepOp : Fused_Op<"step", [Pure, Terminator, AttrSizedOperandSegments, HasParent<"RecurrenceOp">]> {
  let summary = "Ends a step: what is output, what the next states are";
  let arguments = (ins Variadic<Fused_UnitsType>:$outputs, Variadic<Fused_UnitsType>:$states);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange(), ::mlir::ValueRange()); }]>];
  let hasCustomAssemblyFormat = 1;
}

#endif // SINTER_DIALECT_FUSED_IR_FUSEDSKELETONS
