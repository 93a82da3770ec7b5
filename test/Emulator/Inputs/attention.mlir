// Each form of fused.attention: few queries and many, keys of the caller and panels of a cache, accesses of 16 bytes or 4, heads that
// share keys, rules, sinks, a combination that is no product, values of more than one tile, all results.

!q   = tensor<?x?x4x8xf32>
!kv  = tensor<?x?x2x8xf32>
!n   = tensor<?xi64>
!q7  = tensor<?x?x2x7xf32>
!v5  = tensor<?x?x2x5xf32>

module @attention {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 8, value = 20, f32>

  func.func @causal(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
    return %y : !q
  }

  func.func @cached(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: tensor<?x?x2x20xf32> {sinter.name = "w", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x?x4x20xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal append(@kv) lengths(%n : !n) : !q, !kv, tensor<?x?x2x20xf32>
    return %y : tensor<?x?x4x20xf32>
  }
  sinter.entry @decode = @cached with {sequence = 1}

  // Nothing is a multiple of four; some rows see no key.
  func.func @results(%q: !q7 {sinter.name = "q7", sinter.dims = ["batch", "target"]},
      %k: !q7 {sinter.name = "k7", sinter.dims = ["batch", "sequence"]}, %v: !v5 {sinter.name = "v5", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!v5 {sinter.name = "y"}, tensor<?x?x2xf32> {sinter.name = "l"}, tensor<?x2x?x?xf32> {sinter.name = "s"}, tensor<?x2x?x?xf32> {sinter.name = "p"}) {
    %y, %l, %s, %p = sinter.attention %q, %k, %v lengths(%n : !n) lse scores weights : !q7, !q7, !v5
    return %y, %l, %s, %p : !v5, tensor<?x?x2xf32>, tensor<?x2x?x?xf32>, tensor<?x2x?x?xf32>
  }

  func.func @rules(%q: !q {sinter.name = "t", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %sinks: tensor<4xf32> {sinter.name = "sinks"}, %table: tensor<?x?xi64> {sinter.name = "table", sinter.dims = ["target", "sequence"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !q, !kv, !kv
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
      mask(%b: index, %h: index, %i: index, %j: index) {
        %block = arith.constant 16 : index
        %zero = arith.constant 0 : i64
        %qb = arith.divui %i, %block : index
        %kb = arith.divui %j, %block : index
        %entry = tensor.extract %table[%qb, %kb] : tensor<?x?xi64>
        %seen = arith.cmpi sge, %entry, %zero : i64
        sinter.yield %seen : i1
      }
      sink(%b: index, %h: index, %i: index) {
        %z = tensor.extract %sinks[%h] : tensor<4xf32>
        sinter.yield %z : f32
      }
    return %y : !q
  }

  // The values of a block of many queries are of two tiles.
  func.func @additive(%q: tensor<?x?x5xf32> {sinter.name = "q5", sinter.dims = ["batch", "target"]},
      %k: tensor<?x?x5xf32> {sinter.name = "k5", sinter.dims = ["batch", "sequence"]},
      %v: tensor<?x?x264xf32> {sinter.name = "v264", sinter.dims = ["batch", "sequence"]}, %w: tensor<5xf32> {sinter.name = "w5"})
      -> (tensor<?x?x264xf32> {sinter.name = "y"}, tensor<?x?x?xf32> {sinter.name = "p"}) {
    %y, %p = sinter.additive_attention %q, %k, %v, %w weights : tensor<?x?x5xf32>, tensor<?x?x5xf32>, tensor<?x?x264xf32>, tensor<5xf32>
    return %y, %p : tensor<?x?x264xf32>, tensor<?x?x?xf32>
  }
}
