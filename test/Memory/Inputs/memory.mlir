// Every path of attention, and a recurrence, by the length of the sequence.
!h = tensor<?x?x2x16xf32>
!g = tensor<?x?x1x16xf32>
!x = tensor<?x?x16xf32>
!n = tensor<?xi64>

module @memory {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 1, key = 16, value = 16, f32>

  func.func @full(%q: !h {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !g {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !g {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "n", sinter.dims = ["batch"]}) -> (!h {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v lengths(%n : !n) : !h, !g, !g
    return %y : !h
  }
  func.func @causal(%q: !h {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !g {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !g {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!h {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !h, !g, !g
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
    return %y : !h
  }
  func.func @window(%q: !h {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !g {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !g {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!h {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !h, !g, !g
      mask(%b: index, %h: index, %i: index, %j: index) {
        %w = arith.constant 256 : index
        %d = arith.subi %i, %j : index
        %near = arith.cmpi slt, %d, %w : index
        sinter.yield %near : i1
      }
    return %y : !h
  }
  func.func @cross(%q: !h {sinter.name = "q", sinter.dims = ["batch", "queries"]},
      %k: !g {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !g {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!h {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !h, !g, !g
    return %y : !h
  }
  func.func @sink(%q: !h {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !g {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !g {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!h {sinter.name = "y"}, tensor<?x?x2xf32> {sinter.name = "l"}) {
    %y, %l, %p = sinter.attention %q, %k, %v causal lse weights : !h, !g, !g
      sink(%b: index, %h: index, %i: index) {
        %z = arith.constant 1.0 : f32
        sinter.yield %z : f32
      }
    return %y, %l : !h, tensor<?x?x2xf32>
  }
  func.func @additive(%q: !x {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !x {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !x {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "y"}) {
    %w = arith.constant dense<0.1> : tensor<16xf32>
    %y, %p = sinter.additive_attention %q, %k, %v, %w weights : !x, !x, !x, tensor<16xf32>
    return %y : !x
  }
  func.func private @cached(%q: !h {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !g {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !g {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!h {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal append(@kv) : !h, !g, !g
    return %y : !h
  }
  sinter.entry @prefill = @cached
  sinter.entry @decode = @cached with {sequence = 1}
  func.func @layer(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %wi = arith.constant dense<0.01> : tensor<48x16xf32>
    %wo = arith.constant dense<0.02> : tensor<16x16xf32>
    %p = sinter.linear %x, %wi : !x, tensor<48x16xf32>
    %q, %k, %v = sinter.split_heads %p [2, 2, 2] : tensor<?x?x48xf32>
    %a = sinter.attention %q, %k, %v causal : tensor<?x?x2x8xf32>, tensor<?x?x2x8xf32>, tensor<?x?x2x8xf32>
    %m = sinter.merge_heads %a : tensor<?x?x2x8xf32>
    %o = sinter.linear %m, %wo : !x, tensor<16x16xf32>
    %y = arith.addf %x, %o : !x
    return %y : !x
  }
  func.func @lstm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w = arith.constant dense<0.01> : tensor<64x16xf32>
    %r = arith.constant dense<0.02> : tensor<64x16xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r reverse : !x, tensor<64x16xf32>, tensor<64x16xf32>
    return %y : !x
  }
}
