// T5 (version 1.1), two encoder and two decoder blocks: RMSNorm, no 1/sqrt(d), relative position bias by bucket from the
// table of block 0, cross attention, gated GELU. Weights have the names of Hugging Face's T5ForConditionalGeneration.
!ids    = tensor<?x?xi32>           // batch, sequence
!len    = tensor<?xi64>
!hidden = tensor<?x?x32xf32>
!heads  = tensor<?x?x4x8xf32>       // batch, sequence, head, head size
!table  = tensor<61x32xf32>
!bias   = tensor<32x4xf32>          // bucket, head
!sq     = tensor<32x32xf32>         // weights are [out, in]
!up     = tensor<48x32xf32>
!down   = tensor<32x48xf32>
!vec    = tensor<32xf32>

module @t5 attributes {sinter.archive = "t5.safetensors"} {
  sinter.state @self in "decoder.block" dims ["batch", "target"] : !sinter.cache<heads = 4, key = 8, value = 8, f32>
  sinter.state @cross in "decoder.block" dims ["batch", "source"] : !sinter.cache<heads = 4, key = 8, value = 8, f32>

  // The encoder's buckets: 16 for each direction, distances up to 7 have their own. From 8 on bucket
  // 8 + floor(2 log2(n / 8)) = 33 - clz32(n * n), in integers, because a logarithm in floats may fall on either side of
  // a bucket's edge. Scalar functions are inlined in regions.
  func.func private @both_directions(%distance: index) -> index {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %c33 = arith.constant 33 : i32
    %d = arith.index_cast %distance : index to i32
    %n = math.absi %d : i32
    %nn = arith.muli %n, %n : i32
    %z = math.ctlz %nn : i32
    %log = arith.subi %c33, %z : i32
    %far = arith.minsi %log, %c15 : i32
    %near = arith.cmpi slt, %n, %c8 : i32
    %m = arith.select %near, %n, %far : i32
    %ahead = arith.cmpi sgt, %d, %c0 : i32
    %side = arith.select %ahead, %c16, %c0 : i32
    %r = arith.addi %m, %side : i32
    %i = arith.index_cast %r : i32 to index
    return %i : index
  }

  func.func private @self_projections(%n: !hidden) -> (!heads, !heads, !heads) {
    %wq, %wk, %wv = sinter.weight "layer.0.SelfAttention.q.weight", "layer.0.SelfAttention.k.weight",
        "layer.0.SelfAttention.v.weight" : !sq, !sq, !sq
    %q0 = sinter.linear %n, %wq : !hidden, !sq
    %k0 = sinter.linear %n, %wk : !hidden, !sq
    %v0 = sinter.linear %n, %wv : !hidden, !sq
    %q = sinter.split_heads %q0 [4] : !hidden
    %k = sinter.split_heads %k0 [4] : !hidden
    %v = sinter.split_heads %v0 [4] : !hidden
    return %q, %k, %v : !heads, !heads, !heads
  }
  func.func private @residual(%h: !hidden, %a: !heads, %wo: !sq) -> !hidden {
    %m = sinter.merge_heads %a : !heads
    %o = sinter.linear %m, %wo : !hidden, !sq
    %y = arith.addf %h, %o : !hidden
    return %y : !hidden
  }

  func.func @encode(
      %words: !ids {sinter.name = "words", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!hidden {sinter.name = "states"}) {
    %table, %gl = sinter.weight "shared.weight", "encoder.final_layer_norm.weight" : !table, !vec
    // Outside the layers, so the name is absolute; the score region of every block reads it from here.
    %bias = sinter.weight "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight" : !bias
    %x = sinter.embedding %words, %table : !ids, !table
    %y = sinter.layers "encoder.block" count(2) (%h = %x) : !hidden {
      %g1, %wo, %g2, %wg, %wu, %wd = sinter.weight "layer.0.layer_norm.weight", "layer.0.SelfAttention.o.weight",
          "layer.1.layer_norm.weight", "layer.1.DenseReluDense.wi_0.weight", "layer.1.DenseReluDense.wi_1.weight",
          "layer.1.DenseReluDense.wo.weight" : !vec, !sq, !vec, !up, !up, !down
      %n1 = sinter.rms_norm %h, %g1 eps(1.0e-6) : !hidden, !vec
      %q, %k, %v = func.call @self_projections(%n1) : (!hidden) -> (!heads, !heads, !heads)
      %a = sinter.attention %q, %k, %v scale(1.0) lengths(%lengths : !len) : !heads, !heads, !heads
        score(%s: f32, %b: index, %head: index, %i: index, %j: index) {
          %d = arith.subi %j, %i : index
          %bucket = func.call @both_directions(%d) : (index) -> index
          %r = tensor.extract %bias[%bucket, %head] : !bias
          %sum = arith.addf %s, %r : f32
          sinter.yield %sum : f32
        }
      %h1 = func.call @residual(%h, %a, %wo) : (!hidden, !heads, !sq) -> !hidden
      %n2 = sinter.rms_norm %h1, %g2 eps(1.0e-6) : !hidden, !vec
      %f = sinter.gated_ffn %n2, %wg, %wu, %wd gelu_tanh : !hidden, !up, !up, !down
      %h2 = arith.addf %h1, %f : !hidden
      sinter.yield %h2 : !hidden
    }
    %states = sinter.rms_norm %y, %gl eps(1.0e-6) : !hidden, !vec
    sinter.layers "decoder.block" count(2) {
      %wk, %wv = sinter.weight "layer.1.EncDecAttention.k.weight", "layer.1.EncDecAttention.v.weight" : !sq, !sq
      %k0 = sinter.linear %states, %wk : !hidden, !sq
      %v0 = sinter.linear %states, %wv : !hidden, !sq
      %k = sinter.split_heads %k0 [4] : !hidden
      %v = sinter.split_heads %v0 [4] : !hidden
      sinter.fill @cross, %k, %v lengths(%lengths : !len) : !heads, !heads
      sinter.yield
    }
    sinter.restart "target"                           // a new text: decoding starts at position 0
    return %states : !hidden
  }

  func.func @decode(%tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x61xf32> {sinter.name = "logits"}) {
    %table, %gl, %head_weight = sinter.weight "shared.weight", "decoder.final_layer_norm.weight", "lm_head.weight"
        : !table, !vec, !table
    %bias = sinter.weight "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight" : !bias
    // The decoder looks back only, so all 32 buckets are for that: distances up to 15 have their own, n from 16 on has
    // 16 + floor(16 log8(n / 16)). A read past the end gives the last one.
    %bucket_of = arith.constant dense<[
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16, 17, 17, 18, 18, 18, 19, 19, 19, 20, 20, 20,
        20, 21, 21, 21, 21, 22, 22, 22, 22, 22, 23, 23, 23, 23, 23, 23, 24, 24, 24, 24, 24, 24, 25, 25, 25, 25, 25,
        25, 25, 26, 26, 26, 26, 26, 26, 26, 26, 27, 27, 27, 27, 27, 27, 27, 27, 27, 27, 28, 28, 28, 28, 28, 28, 28,
        28, 28, 28, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29, 29, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
        30, 30, 31]> : tensor<114xi32>
    %x = sinter.embedding %tokens, %table : !ids, !table
    %y = sinter.layers "decoder.block" count(2) (%h = %x) : !hidden {
      %g1, %wo, %g2, %wq, %wc = sinter.weight "layer.0.layer_norm.weight", "layer.0.SelfAttention.o.weight",
          "layer.1.layer_norm.weight", "layer.1.EncDecAttention.q.weight", "layer.1.EncDecAttention.o.weight"
          : !vec, !sq, !vec, !sq, !sq
      %g3, %wg, %wu, %wd = sinter.weight "layer.2.layer_norm.weight", "layer.2.DenseReluDense.wi_0.weight",
          "layer.2.DenseReluDense.wi_1.weight", "layer.2.DenseReluDense.wo.weight" : !vec, !up, !up, !down
      %n1 = sinter.rms_norm %h, %g1 eps(1.0e-6) : !hidden, !vec
      %q, %k, %v = func.call @self_projections(%n1) : (!hidden) -> (!heads, !heads, !heads)
      %a = sinter.attention %q, %k, %v causal scale(1.0) append(@self) : !heads, !heads, !heads
        score(%s: f32, %b: index, %head: index, %i: index, %j: index) {
          %d = arith.subi %i, %j : index
          %bucket = tensor.extract %bucket_of[%d] : tensor<114xi32>
          %row = arith.index_cast %bucket : i32 to index
          %r = tensor.extract %bias[%row, %head] : !bias
          %sum = arith.addf %s, %r : f32
          sinter.yield %sum : f32
        }
      %h1 = func.call @residual(%h, %a, %wo) : (!hidden, !heads, !sq) -> !hidden
      %n2 = sinter.rms_norm %h1, %g2 eps(1.0e-6) : !hidden, !vec
      %p = sinter.linear %n2, %wq : !hidden, !sq
      %qc = sinter.split_heads %p [4] : !hidden
      %c = sinter.attention %qc scale(1.0) from(@cross) : !heads
      %h2 = func.call @residual(%h1, %c, %wc) : (!hidden, !heads, !sq) -> !hidden
      %n3 = sinter.rms_norm %h2, %g3 eps(1.0e-6) : !hidden, !vec
      %f = sinter.gated_ffn %n3, %wg, %wu, %wd gelu_tanh : !hidden, !up, !up, !down
      %h3 = arith.addf %h2, %f : !hidden
      sinter.yield %h3 : !hidden
    }
    %last = sinter.last %y : !hidden
    %n = sinter.rms_norm %last, %gl eps(1.0e-6) : tensor<?x32xf32>, !vec
    %logits = sinter.linear %n, %head_weight : tensor<?x32xf32>, !table
    return %logits : tensor<?x61xf32>
  }
  sinter.entry @step = @decode with {sequence = 1}
}
