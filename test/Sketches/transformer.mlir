// RUN: sed 's/8000/90/g' %s > %t.mlir
// RUN: sinter-run %t.mlir --compare --random-weights --calls=2 --dim=batch=1 --dim=source=3 --dim=target=4

// The Transformer of 2017: post-norm, sinusoidal positions. The encoder entry fills every decoder layer's cross cache.
!ids    = tensor<?x?xi32>
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x512xf32>
!three  = tensor<?x?x1536xf32>
!two    = tensor<?x?x1024xf32>
!heads  = tensor<?x?x8x64xf32>
!w3     = tensor<1536x512xf32>
!w2     = tensor<1024x512xf32>
!sq     = tensor<512x512xf32>
!up     = tensor<2048x512xf32>
!down   = tensor<512x2048xf32>
!vec    = tensor<512xf32>

module @transformer attributes {sinter.archive = "transformer.safetensors"} {
  sinter.state @self in "decoder" dims ["batch", "target"] : !sinter.cache<heads = 8, key = 64, value = 64, f32>
  sinter.state @cross in "decoder" dims ["batch", "source"] : !sinter.cache<heads = 8, key = 64, value = 64, f32>

  func.func private @embed(%ids: !ids, %at: !places) -> !hidden {
    %table = sinter.weight "embedding" : tensor<8000x512xf32>
    %e = sinter.embedding %ids, %table : !ids, tensor<8000x512xf32>
    %root = arith.constant 22.627417 : f32
    %scale = sinter.broadcast %root like(%e) : f32, !hidden
    %x = arith.mulf %e, %scale : !hidden
    %p = sinter.sinusoidal_positions %at : !places -> !hidden
    %y = arith.addf %x, %p : !hidden
    return %y : !hidden
  }
  // Called in a layer: names are relative to the caller's scope.
  func.func private @close(%h: !hidden, %g: !vec, %b: !vec) -> !hidden {
    %n = sinter.layer_norm %h, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
    %w1, %b1, %w2, %b2, %g2, %c2 = sinter.weight "ffn.w1", "ffn.b1", "ffn.w2", "ffn.b2", "ffn.gain", "ffn.shift"
        : !up, tensor<2048xf32>, !down, !vec, !vec, !vec
    %f = sinter.ffn %n, %w1, %b1, %w2, %b2 relu : !hidden, !up, tensor<2048xf32>, !down, !vec
    %r = arith.addf %n, %f : !hidden
    %y = sinter.layer_norm %r, %g2, %c2 eps(1.0e-5) : !hidden, !vec, !vec
    return %y : !hidden
  }
  func.func @encode(%words: !ids {sinter.name = "words", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) {
    %at = sinter.positions %words : !ids
    %x = func.call @embed(%words, %at) : (!ids, !places) -> !hidden
    %memory = sinter.layers "encoder" count(6) (%h = %x) : !hidden {
      %wi, %wo, %g, %b = sinter.weight "self.qkv", "self.out", "self.gain", "self.shift" : !w3, !sq, !vec, !vec
      %p = sinter.linear %h, %wi : !hidden, !w3
      %q, %k, %v = sinter.split_heads %p [8, 8, 8] : !three
      %a = sinter.attention %q, %k, %v lengths(%lengths : !len) : !heads, !heads, !heads
      %m = sinter.merge_heads %a : !heads
      %o = sinter.linear %m, %wo : !hidden, !sq
      %r = arith.addf %h, %o : !hidden
      %y = func.call @close(%r, %g, %b) : (!hidden, !vec, !vec) -> !hidden
      sinter.yield %y : !hidden
    }
    sinter.layers "decoder" count(6) {
      %wi = sinter.weight "cross.kv" : !w2
      %p = sinter.linear %memory, %wi : !hidden, !w2
      %k, %v = sinter.split_heads %p [8, 8] : !two
      sinter.fill @cross, %k, %v lengths(%lengths : !len) : !heads, !heads
      sinter.yield
    }
    sinter.restart "target"                           // a new sentence: decoding starts at position 0
    return
  }
  func.func private @decode(%words: !ids {sinter.name = "words", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x8000xf32> {sinter.name = "logits"}) {
    %at = sinter.positions %words after("target") : !ids
    %x = func.call @embed(%words, %at) : (!ids, !places) -> !hidden
    %y = sinter.layers "decoder" count(6) (%h = %x) : !hidden {
      %wi, %wo, %g, %b = sinter.weight "self.qkv", "self.out", "self.gain", "self.shift" : !w3, !sq, !vec, !vec
      %wq, %wc, %gc, %bc = sinter.weight "cross.q", "cross.out", "cross.gain", "cross.shift" : !sq, !sq, !vec, !vec
      %p = sinter.linear %h, %wi : !hidden, !w3
      %q, %k, %v = sinter.split_heads %p [8, 8, 8] : !three
      %a = sinter.attention %q, %k, %v causal append(@self) : !heads, !heads, !heads
      %m = sinter.merge_heads %a : !heads
      %o = sinter.linear %m, %wo : !hidden, !sq
      %r = arith.addf %h, %o : !hidden
      %n = sinter.layer_norm %r, %g, %b eps(1.0e-5) : !hidden, !vec, !vec
      %p2 = sinter.linear %n, %wq : !hidden, !sq
      %q2 = sinter.split_heads %p2 [8] : !hidden
      %a2 = sinter.attention %q2 from(@cross) : !heads
      %m2 = sinter.merge_heads %a2 : !heads
      %o2 = sinter.linear %m2, %wc : !hidden, !sq
      %r2 = arith.addf %n, %o2 : !hidden
      %z = func.call @close(%r2, %gc, %bc) : (!hidden, !vec, !vec) -> !hidden
      sinter.yield %z : !hidden
    }
    %table = sinter.weight "embedding" : tensor<8000x512xf32>
    %last = sinter.last %y : !hidden
    %logits = sinter.linear %last, %table : tensor<?x512xf32>, tensor<8000x512xf32>
    return %logits : tensor<?x8000xf32>
  }
  sinter.entry @step = @decode with {sequence = 1}
}
// Beams are rows: encode on a session of one row, copy it to four rows of another, step, choose, then copy row parents[r] to row r
// of a second session. Swap and go on.
