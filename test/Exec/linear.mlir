// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,2,15,16,17,33
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=sequence=5 --nasty

!x  = tensor<?x?x23xf32>
!x1 = tensor<?x?x1xf32>
!x32 = tensor<?x?x32xf32>

module @linear attributes {sinter.archive = "linear.safetensors"} {
  // K not of 4, N not of 16.
  func.func @bias(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x37xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<37x23xf32>, tensor<37xf32>
    %y = sinter.linear %x, %w, %b : !x, tensor<37x23xf32>, tensor<37xf32>
    return %y : tensor<?x?x37xf32>
  }

  // The same weight, stored the other way round.
  func.func @in_out(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x16xf32> {sinter.name = "y"}) {
    %w = sinter.weight "in_out" : tensor<23x16xf32>
    %y = sinter.linear %x, %w in_out : !x, tensor<23x16xf32>
    return %y : tensor<?x?x16xf32>
  }

  // One input, one output.
  func.func @thin(%x: !x1 {sinter.name = "x1", sinter.dims = ["batch", "sequence"]}) -> (!x1 {sinter.name = "y"}, !x32 {sinter.name = "z"}) {
    %w, %v = sinter.weight "one", "column" : tensor<1x1xf32>, tensor<32x1xf32>
    %y = sinter.linear %x, %w : !x1, tensor<1x1xf32>
    %z = sinter.linear %x, %v : !x1, tensor<32x1xf32>
    return %y, %z : !x1, !x32
  }

  // Whole panels, more than the widest tile.
  func.func @wide(%x: !x32 {sinter.name = "x32", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x160xf32> {sinter.name = "y"}) {
    %w = sinter.weight "wide" : tensor<160x32xf32>
    %y = sinter.linear %x, %w : !x32, tensor<160x32xf32>
    return %y : tensor<?x?x160xf32>
  }

  // Bias, activation, factor and residual in the epilogue.
  func.func @epilogue(%x: !x32 {sinter.name = "x32", sinter.dims = ["batch", "sequence"]}) -> (!x32 {sinter.name = "y"}) {
    %w, %b = sinter.weight "square", "square_bias" : tensor<32x32xf32>, tensor<32xf32>
    %h = sinter.linear %x, %w, %b : !x32, tensor<32x32xf32>, tensor<32xf32>
    %a = sinter.gelu %h : !x32
    %half = arith.constant 0.5 : f32
    %c = sinter.broadcast %half like(%x) : f32, !x32
    %s = arith.mulf %a, %c : !x32
    %y = arith.addf %x, %s : !x32
    return %y : !x32
  }

  // An activation that no library has.
  func.func @unknown_activation(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x37xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<37x23xf32>
    %h = sinter.linear %x, %w : !x, tensor<37x23xf32>
    %m = math.absf %h : tensor<?x?x37xf32>
    %r = math.sqrt %m : tensor<?x?x37xf32>
    %t = math.tanh %h : tensor<?x?x37xf32>
    %y = arith.mulf %r, %t : tensor<?x?x37xf32>
    return %y : tensor<?x?x37xf32>
  }

  // Rank 2, and the rows of a matrix without a batch.
  func.func @rows(%x: tensor<?x23xf32> {sinter.name = "row", sinter.dims = ["batch"]}) -> (tensor<?x37xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<37x23xf32>
    %y = sinter.linear %x, %w : tensor<?x23xf32>, tensor<37x23xf32>
    return %y : tensor<?x37xf32>
  }
}
