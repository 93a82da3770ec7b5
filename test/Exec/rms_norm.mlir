// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=5 --nasty

!x = tensor<?x?x37xf32>
!g = tensor<37xf32>

module @rms_norm attributes {sinter.archive = "rms_norm.safetensors"} {
  func.func @plain(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %g = sinter.weight "g" : !g
    %y = sinter.rms_norm %x, %g eps(1.0e-5) : !x, !g
    return %y : !x
  }

  func.func @small(%x: tensor<?x3xf32> {sinter.name = "row", sinter.dims = ["batch"]}) -> (tensor<?x3xf32> {sinter.name = "y"}) {
    %g = sinter.weight "g3" : tensor<3xf32>
    %y = sinter.rms_norm %x, %g eps(1.0e-6) : tensor<?x3xf32>, tensor<3xf32>
    return %y : tensor<?x3xf32>
  }

  // Between matrices, where it may be folded.
  func.func @into_linear(%x: tensor<?x?x32xf32> {sinter.name = "z", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x48xf32> {sinter.name = "y"}) {
    %g, %w = sinter.weight "g32", "w" : tensor<32xf32>, tensor<48x32xf32>
    %n = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?x32xf32>, tensor<32xf32>
    %y = sinter.linear %n, %w : tensor<?x?x32xf32>, tensor<48x32xf32>
    return %y : tensor<?x?x48xf32>
  }

  // Gemma stores the gain less 1.
  func.func @unit_offset(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %g = sinter.weight "g" : !g
    %y = sinter.rms_norm %x, %g unit_offset eps(1.0e-6) : !x, !g
    return %y : !x
  }

  func.func @given_gain(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %g: !g {sinter.name = "gain"}) -> (!x {sinter.name = "y"}) {
    %y = sinter.rms_norm %x, %g unit_offset eps(1.0e-6) : !x, !g
    return %y : !x
  }

  func.func @no_gain(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %y = sinter.rms_norm %x eps(1.0e-6) : !x
    return %y : !x
  }

  // Pre-norm: the sum is a result, and the norm of it is one pass over the row.
  func.func @residual(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %r: !x {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "sum"}, !x {sinter.name = "y"}) {
    %g = sinter.weight "g" : !g
    %s = arith.addf %x, %r : !x
    %y = sinter.rms_norm %s, %g eps(1.0e-5) : !x, !g
    return %s, %y : !x, !x
  }

  func.func @one_channel(%x: tensor<?x?x1xf32> {sinter.name = "c", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1xf32> {sinter.name = "y"}) {
    %g = sinter.weight "g1" : tensor<1xf32>
    %y = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?x1xf32>, tensor<1xf32>
    return %y : tensor<?x?x1xf32>
  }
}
