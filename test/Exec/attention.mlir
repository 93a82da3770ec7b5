// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7,16,17,33 --dim=target=1,5
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=2 --dim=sequence=19 --dim=target=3 --nasty

!q   = tensor<?x?x4x8xf32>
!kv  = tensor<?x?x2x8xf32>
!q20 = tensor<?x?x2x20xf32>
!n   = tensor<?xi64>

// Without a cache: self, cross, grouped heads, head sizes 8 and 20, every kind of mask.
module @attention {
  func.func @self(%q: !q20 {sinter.name = "q20", sinter.dims = ["batch", "sequence"]},
      %k: !q20 {sinter.name = "k20", sinter.dims = ["batch", "sequence"]}, %v: !q20 {sinter.name = "v20", sinter.dims = ["batch", "sequence"]})
      -> (!q20 {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !q20, !q20, !q20
    return %y : !q20
  }

  func.func @causal(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
    return %y : !q
  }

  // The last query sees all keys; with more queries than keys the first ones see none.
  func.func @bottom_right(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
    return %y : !q
  }

  // Values of another size; padded keys are NaN.
  func.func @cross(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: tensor<?x?x2x20xf32> {sinter.name = "v2", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x?x4x20xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v lengths(%n : !n) : !q, !kv, tensor<?x?x2x20xf32>
    return %y : tensor<?x?x4x20xf32>
  }

  func.func @causal_lengths(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal lengths(%n : !n) : !q, !kv, !kv
    return %y : !q
  }

  func.func @offset(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %o: !n {sinter.name = "offset", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal offset(%o : !n) scale(0.5) : !q, !kv, !kv
    return %y : !q
  }

  func.func @additive(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %m: tensor<?x1x?x?xf32> {sinter.name = "additive", sinter.dims = ["batch", "target", "sequence"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v mask(%m : tensor<?x1x?x?xf32>) : !q, !kv, !kv
    return %y : !q
  }

  func.func @boolean(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %m: tensor<?x4x?x?xi1> {sinter.name = "boolean", sinter.dims = ["batch", "target", "sequence"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v mask(%m : tensor<?x4x?x?xi1>) : !q, !kv, !kv
    return %y : !q
  }

  // Only the region differs from @self: a score that no library has.
  func.func @signed_square(%q: !q20 {sinter.name = "q20", sinter.dims = ["batch", "sequence"]},
      %k: !q20 {sinter.name = "k20", sinter.dims = ["batch", "sequence"]}, %v: !q20 {sinter.name = "v20", sinter.dims = ["batch", "sequence"]})
      -> (!q20 {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !q20, !q20, !q20
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
    return %y : !q20
  }

  // Softcap before the mask; ALiBi slopes read from a tensor; a sliding window.
  func.func @regions(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %slopes: tensor<4xf32> {sinter.name = "slopes"}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %cap = arith.constant 2.0 : f32
        %x = arith.divf %s, %cap : f32
        %t = math.tanh %x : f32
        %c = arith.mulf %t, %cap : f32
        %slope = tensor.extract %slopes[%h] : tensor<4xf32>
        %d = arith.subi %j, %i : index
        %di = arith.index_cast %d : index to i64
        %df = arith.sitofp %di : i64 to f32
        %bias = arith.mulf %slope, %df : f32
        %r = arith.addf %c, %bias : f32
        sinter.yield %r : f32
      }
      mask(%b: index, %h: index, %i: index, %j: index) {
        %window = arith.constant 5 : index
        %d = arith.subi %i, %j : index
        %m = arith.cmpi slt, %d, %window : index
        sinter.yield %m : i1
      }
    return %y : !q
  }

  // A rule that no analysis knows: every third key, and none for the first head.
  func.func @odd_mask(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %three = arith.constant 3 : index
        %zero = arith.constant 0 : index
        %r = arith.remui %j, %three : index
        %m = arith.cmpi eq, %r, %zero : index
        %other = arith.cmpi ne, %h, %zero : index
        %both = arith.andi %m, %other : i1
        sinter.yield %both : i1
      }
    return %y : !q
  }
}
