// The Transformer of 2017, two encoder and two decoder blocks: post-norm, sinusoidal positions, one table for both
// embeddings and the head. Weights have the names of torch.nn.Transformer.
!ids    = tensor<?x?xi32>           // batch, sequence
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x32xf32>
!three  = tensor<?x?x96xf32>
!two    = tensor<?x?x64xf32>
!heads  = tensor<?x?x4x8xf32>       // batch, sequence, head, head size
!table  = tensor<20x32xf32>
!w3     = tensor<96x32xf32>         // weights are [out, in]; query, key and value one below the other
!b3     = tensor<96xf32>
!w2     = tensor<64x32xf32>
!b2     = tensor<64xf32>
!sq     = tensor<32x32xf32>
!down   = tensor<32x64xf32>
!vec    = tensor<32xf32>

module @transformer attributes {sinter.archive = "transformer.safetensors"} {
  sinter.state @self in "decoder.layers" dims ["batch", "target"] : !sinter.cache<heads = 4, key = 8, value = 8, f32>
  sinter.state @cross in "decoder.layers" dims ["batch", "source"] : !sinter.cache<heads = 4, key = 8, value = 8, f32>

  func.func private @embed(%ids: !ids, %at: !places) -> !hidden {
    %table = sinter.weight "embedding.weight" : !table
    %e = sinter.embedding %ids, %table : !ids, !table
    %root = arith.constant 5.65685424949 : f32        // sqrt(32)
    %scale = sinter.broadcast %root like(%e) : f32, !hidden
    %x = arith.mulf %e, %scale : !hidden
    %p = sinter.sinusoidal_positions %at : !places -> !hidden
    %y = arith.addf %x, %p : !hidden
    return %y : !hidden
  }

  // The private functions below are called in a layer: names are relative to the caller's scope.
  func.func private @self_projections(%h: !hidden) -> (!heads, !heads, !heads) {
    %w, %b = sinter.weight "self_attn.in_proj_weight", "self_attn.in_proj_bias" : !w3, !b3
    %p = sinter.linear %h, %w, %b : !hidden, !w3, !b3
    %q, %k, %v = sinter.split_heads %p [4, 4, 4] : !three
    return %q, %k, %v : !heads, !heads, !heads
  }
  func.func private @close_self(%h: !hidden, %a: !heads) -> !hidden {
    %w, %c, %g, %b = sinter.weight "self_attn.out_proj.weight", "self_attn.out_proj.bias", "norm1.weight", "norm1.bias"
        : !sq, !vec, !vec, !vec
    %m = sinter.merge_heads %a : !heads
    %o = sinter.linear %m, %w, %c : !hidden, !sq, !vec
    %r = arith.addf %h, %o : !hidden
    %y = sinter.layer_norm %r, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
    return %y : !hidden
  }
  func.func private @feed_forward(%h: !hidden, %g: !vec, %b: !vec) -> !hidden {
    %w1, %b1, %w2, %b2 = sinter.weight "linear1.weight", "linear1.bias", "linear2.weight", "linear2.bias"
        : !w2, !b2, !down, !vec
    %f = sinter.ffn %h, %w1, %b1, %w2, %b2 relu : !hidden, !w2, !b2, !down, !vec
    %r = arith.addf %h, %f : !hidden
    %y = sinter.layer_norm %r, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
    return %y : !hidden
  }

  // Leaves every decoder block's keys and values of the source in the session.
  func.func @encode(
      %words: !ids {sinter.name = "words", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "source_lengths", sinter.dims = ["batch"]}) {
    %at = sinter.positions %words : !ids
    %x = func.call @embed(%words, %at) : (!ids, !places) -> !hidden
    %memory = sinter.layers "encoder.layers" count(2) (%h = %x) : !hidden {
      %q, %k, %v = func.call @self_projections(%h) : (!hidden) -> (!heads, !heads, !heads)
      %a = sinter.attention %q, %k, %v lengths(%lengths : !len) : !heads, !heads, !heads
      %h1 = func.call @close_self(%h, %a) : (!hidden, !heads) -> !hidden
      %g, %b = sinter.weight "norm2.weight", "norm2.bias" : !vec, !vec
      %h2 = func.call @feed_forward(%h1, %g, %b) : (!hidden, !vec, !vec) -> !hidden
      sinter.yield %h2 : !hidden
    }
    sinter.layers "decoder.layers" count(2) {
      %w, %b = sinter.weight "multihead_attn.in_proj_weight", "multihead_attn.in_proj_bias" : !w3, !b3
      %wkv = tensor.extract_slice %w[32, 0] [64, 32] [1, 1] : !w3 to !w2
      %bkv = tensor.extract_slice %b[32] [64] [1] : !b3 to !b2
      %p = sinter.linear %memory, %wkv, %bkv : !hidden, !w2, !b2
      %k, %v = sinter.split_heads %p [4, 4] : !two
      sinter.fill @cross, %k, %v lengths(%lengths : !len) : !heads, !heads
      sinter.yield
    }
    sinter.restart "target"                           // a new text: decoding starts at position 0
    return
  }

  // Log-probabilities of what follows each row's last token; a row of length 0 is left alone.
  func.func @decode(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x20xf32> {sinter.name = "scores"}) {
    %at = sinter.positions %tokens after("target") : !ids
    %x = func.call @embed(%tokens, %at) : (!ids, !places) -> !hidden
    %y = sinter.layers "decoder.layers" count(2) (%h = %x) : !hidden {
      %q, %k, %v = func.call @self_projections(%h) : (!hidden) -> (!heads, !heads, !heads)
      %a = sinter.attention %q, %k, %v causal append(@self) lengths(%lengths : !len) : !heads, !heads, !heads
      %h1 = func.call @close_self(%h, %a) : (!hidden, !heads) -> !hidden

      %w, %b, %wo, %bo = sinter.weight "multihead_attn.in_proj_weight", "multihead_attn.in_proj_bias",
          "multihead_attn.out_proj.weight", "multihead_attn.out_proj.bias" : !w3, !b3, !sq, !vec
      %g2, %b2, %g3, %b3 = sinter.weight "norm2.weight", "norm2.bias", "norm3.weight", "norm3.bias"
          : !vec, !vec, !vec, !vec
      %wq = tensor.extract_slice %w[0, 0] [32, 32] [1, 1] : !w3 to !sq
      %bq = tensor.extract_slice %b[0] [32] [1] : !b3 to !vec
      %p = sinter.linear %h1, %wq, %bq : !hidden, !sq, !vec
      %qc = sinter.split_heads %p [4] : !hidden
      %c = sinter.attention %qc from(@cross) : !heads
      %m = sinter.merge_heads %c : !heads
      %o = sinter.linear %m, %wo, %bo : !hidden, !sq, !vec
      %r = arith.addf %h1, %o : !hidden
      %h2 = sinter.layer_norm %r, %g2, %b2 eps(1.0e-5) : !hidden, !vec, !vec

      %h3 = func.call @feed_forward(%h2, %g3, %b3) : (!hidden, !vec, !vec) -> !hidden
      sinter.yield %h3 : !hidden
    }
    %table = sinter.weight "embedding.weight" : !table
    %last = sinter.last %y lengths(%lengths : !len) : !hidden
    %logits = sinter.linear %last, %table : tensor<?x32xf32>, !table
    %scores = sinter.log_softmax %logits : tensor<?x20xf32>
    return %scores : tensor<?x20xf32>
  }
  sinter.entry @step = @decode with {sequence = 1}
}
