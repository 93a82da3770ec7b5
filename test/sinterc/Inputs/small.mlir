// One linear layer without weights of its own: enough for the tools' own tests.
module @small {
  func.func @run(
      %x: tensor<?x8xf32> {sinter.name = "x", sinter.dims = ["batch"]},
      %w: tensor<16x8xf32> {sinter.name = "w"})
      -> (tensor<?x16xf32> {sinter.name = "y"}) {
    %y = sinter.linear %x, %w : tensor<?x8xf32>, tensor<16x8xf32>
    return %y : tensor<?x16xf32>
  }
}
