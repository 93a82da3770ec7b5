// Attention over one head of size 64, and with a score that no library has.
!heads = tensor<1x?x1x64xf32>
module @attention {
  func.func @full(%q: !heads {sinter.name = "q", sinter.dims = ["length"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["length"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["length"]}) -> (!heads {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !heads, !heads, !heads
    return %y : !heads
  }
  func.func @causal(%q: !heads {sinter.name = "q", sinter.dims = ["length"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["length"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["length"]}) -> (!heads {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !heads, !heads, !heads
    return %y : !heads
  }
  func.func @signed_square(%q: !heads {sinter.name = "q", sinter.dims = ["length"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["length"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["length"]}) -> (!heads {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !heads, !heads, !heads
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
    return %y : !heads
  }
}
