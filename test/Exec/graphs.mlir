// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: sinter-run %s --random-weights --compare-each --calls=2 --dim=batch=2 --dim=sequence=7

!x = tensor<?x?x24xf32>
!h = tensor<?x?x3x8xf32>
!n = tensor<?xi64>
!sq = tensor<24x24xf32>
!v = tensor<24xf32>

// How operations share values: what fusion must keep, and what memory must not reuse too early.
module @graphs attributes {sinter.archive = "graphs.safetensors"} {
  // Every intermediate is a result too.
  func.func @all(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
     -> (!x {sinter.name = "a"}, !x {sinter.name = "b"}, !x {sinter.name = "c"}, !x {sinter.name = "d"}, !x {sinter.name = "e"}, tensor<?x24xf32> {sinter.name = "f"}) {
    %w, %w2, %g, %bb = sinter.weight "w", "w2", "g", "b" : !sq, !sq, !v, !v
    %a = sinter.linear %x, %w, %bb : !x, !sq, !v
    %b = sinter.silu %a : !x
    %c = arith.addf %a, %b : !x
    %d = sinter.layer_norm %c, %g, %bb eps(1.0e-5) : !x, !v, !v
    %e0 = sinter.linear %d, %w2 : !x, !sq
    %e = arith.mulf %e0, %c : !x
    %f = sinter.last %e lengths(%n : !n) : !x
    return %a, %b, %c, %d, %e, %f : !x, !x, !x, !x, !x, tensor<?x24xf32>
  }

  // The same value twice, an argument, a chain of residuals.
  func.func @same(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "a"}, !x {sinter.name = "b"}, !x {sinter.name = "c"}) {
    %w = sinter.weight "w" : !sq
    %a = sinter.linear %x, %w : !x, !sq
    %b = arith.addf %x, %a : !x
    %c = sinter.linear %b, %w : !x, !sq
    %d = arith.addf %b, %c : !x
    %e = sinter.linear %d, %w : !x, !sq
    %f = arith.addf %d, %e : !x
    %g = arith.addf %f, %x : !x
    return %g, %g, %x : !x, !x, !x
  }

  // Heads of one product; one key and value head for three query heads.
  func.func @qkv(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!x {sinter.name = "y"}) {
    %w, %wo = sinter.weight "qkv", "o" : tensor<40x24xf32>, !sq
    %p = sinter.linear %x, %w : !x, tensor<40x24xf32>
    %q0, %k0, %v0 = sinter.split_heads %p [3, 1, 1] : tensor<?x?x40xf32>
    %at = sinter.positions %x : !x
    %q = sinter.rope %q0, %at : !h, tensor<?x?xi64>
    %k = sinter.rope %k0, %at : tensor<?x?x1x8xf32>, tensor<?x?xi64>
    %a = sinter.attention %q, %k, %v0 causal lengths(%n : !n) : !h, tensor<?x?x1x8xf32>, tensor<?x?x1x8xf32>
    %m = sinter.merge_heads %a : !h
    %o = sinter.linear %m, %wo : !x, !sq
    %y = arith.addf %o, %x : !x
    return %y : !x
  }

  // Pieces and their concatenation around products.
  func.func @parts(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}, tensor<?x?x32xf32> {sinter.name = "z"}) {
    %w, %u = sinter.weight "w", "u" : !sq, tensor<8x24xf32>
    %a, %b = sinter.split %x [16, 8] : !x
    %c = tensor.concat dim(2) %b, %a : (tensor<?x?x8xf32>, tensor<?x?x16xf32>) -> !x
    %l = sinter.linear %c, %w : !x, !sq
    %d, %e = sinter.split %l [8, 16] : !x
    %r = sinter.relu %e : tensor<?x?x16xf32>
    %y = tensor.concat dim(2) %r, %d : (tensor<?x?x16xf32>, tensor<?x?x8xf32>) -> !x
    %s = sinter.linear %x, %u : !x, tensor<8x24xf32>
    %z = tensor.concat dim(2) %s, %y : (tensor<?x?x8xf32>, !x) -> tensor<?x?x32xf32>
    return %y, %z : !x, tensor<?x?x32xf32>
  }

  // Time last; a value with two readers of different kind.
  func.func @time(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x24x?xf32> {sinter.name = "y"}, tensor<?x24xf32> {sinter.name = "m"}) {
    %t = sinter.transpose %x [0, 2, 1] : !x
    %s = sinter.softmax %t : tensor<?x24x?xf32>
    %l = sinter.last %x : !x
    return %s, %l : tensor<?x24x?xf32>, tensor<?x24xf32>
  }

  // Attention written out: the program itself asks for all scores.
  func.func @scores(%x: !h {sinter.name = "hh", sinter.dims = ["batch", "sequence"]}) -> (!h {sinter.name = "y"}) {
    %q = sinter.transpose %x [0, 2, 1, 3] : !h
    %s = sinter.matmul %q, %q transpose_rhs : tensor<?x3x?x8xf32>, tensor<?x3x?x8xf32>
    %p = sinter.softmax %s : tensor<?x3x?x?xf32>
    %y = sinter.matmul %p, %q : tensor<?x3x?x?xf32>, tensor<?x3x?x8xf32>
    %z = sinter.transpose %y [0, 2, 1, 3] : tensor<?x3x?x8xf32>
    return %z : !h
  }

  // An extent taken from a value that became a view.
  func.func @viewed(%x: tensor<?x?x12xf32> {sinter.name = "vx", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "vy"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = sinter.silu %x : tensor<?x?x12xf32>
    %h = sinter.split_heads %s [2] : tensor<?x?x12xf32>
    %t = math.tanh %h : tensor<?x?x2x6xf32>
    %m = sinter.merge_heads %t : tensor<?x?x2x6xf32>
    %b = tensor.dim %m, %c0 : tensor<?x?x12xf32>
    %n = tensor.dim %m, %c1 : tensor<?x?x12xf32>
    %e = tensor.expand_shape %m [[0], [1, 2], [3]] output_shape [%b, %n, 1, 12] : tensor<?x?x12xf32> into tensor<?x?x1x12xf32>
    %y = tensor.collapse_shape %e [[0], [1, 2], [3]] : tensor<?x?x1x12xf32> into tensor<?x?x12xf32>
    return %y : tensor<?x?x12xf32>
  }
}
