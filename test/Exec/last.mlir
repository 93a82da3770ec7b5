// RUN: sinter-run %s %sweep --calls=4 --dim=batch=1,3 --dim=sequence=0,1,7,17

!x = tensor<?x?x20xf32>
!n = tensor<?xi64>

// A row of length 0 has no last element: its result is not written.
module @last attributes {sinter.archive = "last.safetensors"} {
  func.func @full(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %y = sinter.last %x : !x
    return %y : tensor<?x20xf32>
  }

  func.func @ragged(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %y = sinter.last %x lengths(%n : !n) : !x
    return %y : tensor<?x20xf32>
  }

  // Pushed up through row-wise operations: only one row in a batch is computed.
  func.func @pushed(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x33xf32> {sinter.name = "y"}) {
    %w, %g = sinter.weight "w", "g" : tensor<33x20xf32>, tensor<20xf32>
    %s = sinter.silu %x : !x
    %r = sinter.rms_norm %s, %g eps(1.0e-5) : !x, tensor<20xf32>
    %h = sinter.linear %r, %w : !x, tensor<33x20xf32>
    %y = sinter.last %h lengths(%n : !n) : tensor<?x?x33xf32>
    return %y : tensor<?x33xf32>
  }

  // A computed index is clamped; no position gives 0.
  func.func @take(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %i: !n {sinter.name = "at", sinter.dims = ["batch"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %zero = arith.constant dense<0> : tensor<1xi64>
    %z = sinter.broadcast %zero like(%i) : tensor<1xi64>, !n
    %c = arith.maxsi %i, %z : !n
    %y = sinter.take %x at(%c : !n) : !x
    return %y : tensor<?x20xf32>
  }
}
