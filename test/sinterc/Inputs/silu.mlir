// One kernel of arithmetic without weights.
module @silu {
  func.func @run(
      %x: tensor<?x64xf32> {sinter.name = "x", sinter.dims = ["batch"]},
      %z: tensor<?x64xf32> {sinter.name = "z", sinter.dims = ["batch"]})
      -> (tensor<?x64xf32> {sinter.name = "y"}) {
    %s = sinter.silu %x : tensor<?x64xf32>
    %y = arith.addf %s, %z : tensor<?x64xf32>
    return %y : tensor<?x64xf32>
  }
}
