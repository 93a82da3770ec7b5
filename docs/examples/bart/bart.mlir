// BART, two encoder and two decoder blocks: learned positions that start at row 2, a norm behind the embedding,
// post-norm, cross attention, tied head. Weights have the names of Hugging Face's BartForConditionalGeneration.
!ids    = tensor<?x?xi32>           // batch, sequence
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x32xf32>
!heads  = tensor<?x?x4x8xf32>       // batch, sequence, head, head size
!table  = tensor<61x32xf32>
!stored = tensor<26x32xf32>         // learned positions; the first is row 2
!learnt = tensor<24x32xf32>
!sq     = tensor<32x32xf32>         // weights are [out, in]
!up     = tensor<48x32xf32>
!mid    = tensor<48xf32>
!down   = tensor<32x48xf32>
!vec    = tensor<32xf32>

module @bart attributes {sinter.archive = "bart.safetensors"} {
  sinter.state @self in "model.decoder.layers" dims ["batch", "target"]
      : !sinter.cache<heads = 4, key = 8, value = 8, f32>
  sinter.state @cross in "model.decoder.layers" dims ["batch", "source"]
      : !sinter.cache<heads = 4, key = 8, value = 8, f32>

  func.func private @embed(%ids: !ids, %at: !places, %stored: !stored, %g: !vec, %b: !vec) -> !hidden {
    %table = sinter.weight "model.shared.weight" : !table
    %e = sinter.embedding %ids, %table : !ids, !table
    %learnt = tensor.extract_slice %stored[2, 0] [24, 32] [1, 1] : !stored to !learnt
    %p = sinter.embedding %at, %learnt : !places, !learnt
    %s = arith.addf %e, %p : !hidden
    %x = sinter.layer_norm %s, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
    return %x : !hidden
  }

  // The three below are called in a layer: names are relative to the caller's scope.
  func.func private @self_projections(%h: !hidden) -> (!heads, !heads, !heads) {
    %wq, %bq, %wk, %bk, %wv, %bv = sinter.weight "self_attn.q_proj.weight", "self_attn.q_proj.bias",
        "self_attn.k_proj.weight", "self_attn.k_proj.bias", "self_attn.v_proj.weight", "self_attn.v_proj.bias"
        : !sq, !vec, !sq, !vec, !sq, !vec
    %q0 = sinter.linear %h, %wq, %bq : !hidden, !sq, !vec
    %k0 = sinter.linear %h, %wk, %bk : !hidden, !sq, !vec
    %v0 = sinter.linear %h, %wv, %bv : !hidden, !sq, !vec
    %q = sinter.split_heads %q0 [4] : !hidden
    %k = sinter.split_heads %k0 [4] : !hidden
    %v = sinter.split_heads %v0 [4] : !hidden
    return %q, %k, %v : !heads, !heads, !heads
  }
  func.func private @close_self(%h: !hidden, %a: !heads) -> !hidden {
    %wo, %bo, %g, %b = sinter.weight "self_attn.out_proj.weight", "self_attn.out_proj.bias",
        "self_attn_layer_norm.weight", "self_attn_layer_norm.bias" : !sq, !vec, !vec, !vec
    %m = sinter.merge_heads %a : !heads
    %o = sinter.linear %m, %wo, %bo : !hidden, !sq, !vec
    %r = arith.addf %h, %o : !hidden
    %y = sinter.layer_norm %r, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
    return %y : !hidden
  }
  func.func private @feed_forward(%h: !hidden) -> !hidden {
    %w1, %b1, %w2, %b2, %g, %b = sinter.weight "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias",
        "final_layer_norm.weight", "final_layer_norm.bias" : !up, !mid, !down, !vec, !vec, !vec
    %f = sinter.ffn %h, %w1, %b1, %w2, %b2 gelu : !hidden, !up, !mid, !down, !vec
    %r = arith.addf %h, %f : !hidden
    %y = sinter.layer_norm %r, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
    return %y : !hidden
  }

  func.func @encode(
      %words: !ids {sinter.name = "words", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!hidden {sinter.name = "states"}) {
    %stored, %g, %b = sinter.weight "model.encoder.embed_positions.weight", "model.encoder.layernorm_embedding.weight",
        "model.encoder.layernorm_embedding.bias" : !stored, !vec, !vec
    %at = sinter.positions %words : !ids
    %x = func.call @embed(%words, %at, %stored, %g, %b) : (!ids, !places, !stored, !vec, !vec) -> !hidden
    %states = sinter.layers "model.encoder.layers" count(2) (%h = %x) : !hidden {
      %q, %k, %v = func.call @self_projections(%h) : (!hidden) -> (!heads, !heads, !heads)
      %a = sinter.attention %q, %k, %v lengths(%lengths : !len) : !heads, !heads, !heads
      %h1 = func.call @close_self(%h, %a) : (!hidden, !heads) -> !hidden
      %h2 = func.call @feed_forward(%h1) : (!hidden) -> !hidden
      sinter.yield %h2 : !hidden
    }
    sinter.layers "model.decoder.layers" count(2) {
      %wk, %bk, %wv, %bv = sinter.weight "encoder_attn.k_proj.weight", "encoder_attn.k_proj.bias",
          "encoder_attn.v_proj.weight", "encoder_attn.v_proj.bias" : !sq, !vec, !sq, !vec
      %k0 = sinter.linear %states, %wk, %bk : !hidden, !sq, !vec
      %v0 = sinter.linear %states, %wv, %bv : !hidden, !sq, !vec
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
    %stored, %g, %b = sinter.weight "model.decoder.embed_positions.weight", "model.decoder.layernorm_embedding.weight",
        "model.decoder.layernorm_embedding.bias" : !stored, !vec, !vec
    %at = sinter.positions %tokens after("target") : !ids
    %x = func.call @embed(%tokens, %at, %stored, %g, %b) : (!ids, !places, !stored, !vec, !vec) -> !hidden
    %y = sinter.layers "model.decoder.layers" count(2) (%h = %x) : !hidden {
      %q, %k, %v = func.call @self_projections(%h) : (!hidden) -> (!heads, !heads, !heads)
      %a = sinter.attention %q, %k, %v causal append(@self) : !heads, !heads, !heads
      %h1 = func.call @close_self(%h, %a) : (!hidden, !heads) -> !hidden

      %wq, %bq, %wo, %bo, %gc, %bc = sinter.weight "encoder_attn.q_proj.weight", "encoder_attn.q_proj.bias",
          "encoder_attn.out_proj.weight", "encoder_attn.out_proj.bias", "encoder_attn_layer_norm.weight",
          "encoder_attn_layer_norm.bias" : !sq, !vec, !sq, !vec, !vec, !vec
      %p = sinter.linear %h1, %wq, %bq : !hidden, !sq, !vec
      %qc = sinter.split_heads %p [4] : !hidden
      %c = sinter.attention %qc from(@cross) : !heads
      %m = sinter.merge_heads %c : !heads
      %o = sinter.linear %m, %wo, %bo : !hidden, !sq, !vec
      %r = arith.addf %h1, %o : !hidden
      %h2 = sinter.layer_norm %r, %gc, %bc eps(1.0e-5) : !hidden, !vec, !vec

      %h3 = func.call @feed_forward(%h2) : (!hidden) -> !hidden
      sinter.yield %h3 : !hidden
    }
    %table, %b1 = sinter.weight "model.shared.weight", "final_logits_bias" : !table, tensor<1x61xf32>
    %bias = tensor.collapse_shape %b1 [[0, 1]] : tensor<1x61xf32> into tensor<61xf32>
    %last = sinter.last %y : !hidden
    %logits = sinter.linear %last, %table, %bias : tensor<?x32xf32>, !table, tensor<61xf32>
    return %logits : tensor<?x61xf32>
  }
  sinter.entry @step = @decode with {sequence = 1}
}
