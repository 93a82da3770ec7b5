// Each form of fused.recurrence: with and without projections of the input, one phase and two, reductions, a step without a product,
// more gates than a block multiplies at once, backwards, ragged rows.

!x = tensor<?x?x11xf32>
!xt = tensor<?x11xf32>
!y = tensor<?x?x20xf32>
!h = tensor<?x20xf32>
!n = tensor<?xi64>

module @recurrences attributes {sinter.archive = "recurrences.safetensors"} {
  func.func @lstm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!y {sinter.name = "y"}, !h {sinter.name = "h"}) {
    %w, %r = sinter.weight "w", "r" : tensor<80x11xf32>, tensor<80x20xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r lengths(%n : !n) : !x, tensor<80x11xf32>, tensor<80x20xf32>
    return %y, %h : !y, !h
  }

  // Two phases, one row.
  func.func @gru(%x: tensor<1x?x11xf32> {sinter.name = "x1", sinter.dims = ["sequence"]}) -> (tensor<1x?x20xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "wg", "rg" : tensor<60x11xf32>, tensor<60x20xf32>
    %y, %h = sinter.gru %x, %w, %r reset(before) : tensor<1x?x11xf32>, tensor<60x11xf32>, tensor<60x20xf32>
    return %y : tensor<1x?x20xf32>
  }

  // Reductions over what was multiplied; the state before the step is a result, too.
  func.func @reduced(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!y {sinter.name = "y"}, !y {sinter.name = "before"}) {
    %w, %u, %g, %b = sinter.weight "wc", "uc", "gc", "bc" : tensor<20x11xf32>, tensor<20x20xf32>, tensor<20xf32>, tensor<20xf32>
    %y, %before, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) lengths(%n : !n) reverse -> (!y, !y, !h) {
      %a = sinter.linear %xt, %w : !xt, tensor<20x11xf32>
      %d = sinter.linear %h, %u : !h, tensor<20x20xf32>
      %s = arith.addf %a, %d : !h
      %m = sinter.layer_norm %s, %g, %b eps(1.0e-5) : !h, tensor<20xf32>, tensor<20xf32>
      %h1 = math.tanh %m : !h
      sinter.yield each(%h1, %h : !h, !h) carry(%h1 : !h)
    }
    return %y, %before : !y, !y
  }

  // No matrix at all.
  func.func @average(%v: !y {sinter.name = "v", sinter.dims = ["batch", "sequence"]}, %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!h {sinter.name = "last"}) {
    %c = arith.constant 0.125 : f32
    %last = sinter.scan each(%vt = %v : !y) carry(%h = zero : !h) lengths(%n : !n) -> !h {
      %rate = sinter.broadcast %c like(%h) : f32, !h
      %d = arith.subf %vt, %h : !h
      %m = arith.mulf %d, %rate : !h
      %h1 = arith.addf %h, %m : !h
      sinter.yield carry(%h1 : !h)
    }
    return %last : !h
  }

  // Six gates; the input is not multiplied.
  func.func @gates(%v: !y {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %u = sinter.weight "six" : tensor<120x20xf32>
    %y, %last = sinter.scan each(%vt = %v : !y) carry(%h = zero : !h) -> (!y, !h) {
      %p = sinter.linear %h, %u : !h, tensor<120x20xf32>
      %a, %b, %c, %d, %e, %f = sinter.split %p [20, 20, 20, 20, 20, 20] : tensor<?x120xf32>
      %ab = arith.mulf %a, %b : !h
      %cd = arith.mulf %c, %d : !h
      %ef = arith.mulf %e, %f : !h
      %s = arith.addf %ab, %cd : !h
      %t = arith.addf %s, %ef : !h
      %g = math.tanh %t : !h
      %h1 = arith.addf %g, %vt : !h
      sinter.yield each(%h1 : !h) carry(%h1 : !h)
    }
    return %y : !y
  }
}
