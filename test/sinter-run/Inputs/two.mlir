// Two entries whose tensors have the same names.
module @two {
  func.func private @twice(%x: tensor<?x3xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x3xf32> {sinter.name = "y"}) {
    %y = arith.addf %x, %x : tensor<?x3xf32>
    return %y : tensor<?x3xf32>
  }
  sinter.entry @first = @twice with {batch = 1}
  sinter.entry @second = @twice with {batch = 2}
}
