// RUN: sinter-run %s %sweep --dim=batch=1 --dim=sequence=15,31,32,63,64,65,129 --entry=causal --entry=window
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=2 --dim=sequence=63,64,65,130 --dim=target=1,2,9 --entry=cross

!q = tensor<?x?x2x8xf32>
!k = tensor<?x?x1x8xf32>

// Sizes around the query and key tiles, with tiles that a mask proves empty or full.
module @attention_tiles {
  func.func @causal(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !k {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !k, !k
    return %y : !q
  }

  func.func @window(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !k {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !k, !k
      mask(%b: index, %h: index, %i: index, %j: index) {
        %window = arith.constant 17 : index
        %d = arith.subi %i, %j : index
        %m = arith.cmpi slt, %d, %window : index
        sinter.yield %m : i1
      }
    return %y : !q
  }

  func.func @cross(%q: !q {sinter.name = "t", sinter.dims = ["batch", "target"]},
      %k: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !k {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v lengths(%n : tensor<?xi64>) : !q, !k, !k
    return %y : !q
  }
}
