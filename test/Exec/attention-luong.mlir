// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=source=0,1,17 --dim=target=1,5
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=source=19 --dim=target=3 --nasty

!h   = tensor<?x?x12xf32>
!x   = tensor<?x?x1x12xf32>
!sq  = tensor<12x12xf32>
!len = tensor<?xi64>

// The scores of Luong, Pham, Manning 2015 between states t and s of a decoder and an encoder.
module @luong {
  // dot: t . s. Attention with one head and without a scale.
  func.func @dot(%t: !h {sinter.name = "t", sinter.dims = ["batch", "target"]}, %s: !h {sinter.name = "s", sinter.dims = ["batch", "source"]},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!h {sinter.name = "c"}) {
    %q = sinter.split_heads %t [1] : !h
    %k = sinter.split_heads %s [1] : !h
    %y = sinter.attention %q, %k, %k scale(1.0) lengths(%n : !len) : !x, !x, !x
    %c = sinter.merge_heads %y : !x
    return %c : !h
  }

  // general: t . (W s) = (W^T t) . s, so the few decoder states are projected and not the encoder's.
  func.func @general(%t: !h {sinter.name = "t", sinter.dims = ["batch", "target"]}, %s: !h {sinter.name = "s", sinter.dims = ["batch", "source"]},
      %w: !sq {sinter.name = "w"}, %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!h {sinter.name = "c"}) {
    %p = sinter.linear %t, %w in_out : !h, !sq
    %q = sinter.split_heads %p [1] : !h
    %k = sinter.split_heads %s [1] : !h
    %y = sinter.attention %q, %k, %k scale(1.0) lengths(%n : !len) : !x, !x, !x
    %c = sinter.merge_heads %y : !x
    return %c : !h
  }

  // concat: v . tanh(W [t; s]) with W = [W1 W2] is the additive form of W1 t and W2 s.
  func.func @concat(%t: !h {sinter.name = "t", sinter.dims = ["batch", "target"]}, %s: !h {sinter.name = "s", sinter.dims = ["batch", "source"]},
      %w1: tensor<7x12xf32> {sinter.name = "w1"}, %w2: tensor<7x12xf32> {sinter.name = "w2"}, %v: tensor<7xf32> {sinter.name = "v"},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!h {sinter.name = "c"}, tensor<?x?x?xf32> {sinter.name = "p"}) {
    %q = sinter.linear %t, %w1 : !h, tensor<7x12xf32>
    %k = sinter.linear %s, %w2 : !h, tensor<7x12xf32>
    %c, %p = sinter.additive_attention %q, %k, %s, %v lengths(%n : !len) weights
        : tensor<?x?x7xf32>, tensor<?x?x7xf32>, !h, tensor<7xf32>
    return %c, %p : !h, tensor<?x?x?xf32>
  }

  // local-m: a window around the query, here of two keys on each side.
  func.func @local(%t: !h {sinter.name = "t", sinter.dims = ["batch", "target"]}, %s: !h {sinter.name = "s", sinter.dims = ["batch", "source"]},
      %at: !len {sinter.name = "offset", sinter.dims = ["batch"]}) -> (!h {sinter.name = "c"}) {
    %q = sinter.split_heads %t [1] : !h
    %k = sinter.split_heads %s [1] : !h
    %y = sinter.attention %q, %k, %k scale(1.0) window(2, 2) offset(%at : !len) : !x, !x, !x
    %c = sinter.merge_heads %y : !x
    return %c : !h
  }
}
