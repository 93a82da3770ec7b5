// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=5 --nasty

!x = tensor<?x?x37xf32>
!g = tensor<37xf32>

module @layer_norm attributes {sinter.archive = "layer_norm.safetensors"} {
  func.func @bias(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %g, %b = sinter.weight "g", "b" : !g, !g
    %y = sinter.layer_norm %x, %g, %b eps(1.0e-5) : !x, !g, !g
    return %y : !x
  }

  func.func @no_bias(%x: tensor<?x?x16xf32> {sinter.name = "z", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x16xf32> {sinter.name = "y"}) {
    %g = sinter.weight "g16" : tensor<16xf32>
    %y = sinter.layer_norm %x, %g eps(1.0e-6) : tensor<?x?x16xf32>, tensor<16xf32>
    return %y : tensor<?x?x16xf32>
  }

  // A mean a thousand times the deviation: the variance is taken around the mean.
  func.func @large_mean(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %g = sinter.weight "g" : !g
    %thousand = arith.constant 1.0e3 : f32
    %c = sinter.broadcast %thousand like(%x) : f32, !x
    %s = arith.addf %x, %c : !x
    %y = sinter.layer_norm %s, %g eps(1.0e-5) : !x, !g
    return %y : !x
  }

  // Residual and norm in one pass over the row; both are results.
  func.func @residual(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %r: !x {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "sum"}, !x {sinter.name = "y"}) {
    %g, %b = sinter.weight "g", "b" : !g, !g
    %s = arith.addf %x, %r : !x
    %y = sinter.layer_norm %s, %g, %b eps(1.0e-5) : !x, !g, !g
    return %s, %y : !x, !x
  }

  func.func @one_channel(%x: tensor<?x?x1xf32> {sinter.name = "c", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1xf32> {sinter.name = "y"}) {
    %g, %b = sinter.weight "g1", "b1" : tensor<1xf32>, tensor<1xf32>
    %y = sinter.layer_norm %x, %g, %b eps(1.0e-5) : tensor<?x?x1xf32>, tensor<1xf32>, tensor<1xf32>
    return %y : tensor<?x?x1xf32>
  }

  func.func @no_gain(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %y = sinter.layer_norm %x eps(1.0e-5) : !x
    return %y : !x
  }
}
