// One linear layer: y = x w^T.
module @contract attributes {sinter.archive = "contract.safetensors"} {
  func.func @run(%x: tensor<?x768xf32> {sinter.name = "x", sinter.dims = ["rows"]})
      -> (tensor<?x768xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<768x768xf32>
    %y = sinter.linear %x, %w : tensor<?x768xf32>, tensor<768x768xf32>
    return %y : tensor<?x768xf32>
  }
  // The same with an epilogue: bias and the error function's GELU.
  func.func @gelu(%x: tensor<?x768xf32> {sinter.name = "x", sinter.dims = ["rows"]})
      -> (tensor<?x768xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<768x768xf32>, tensor<768xf32>
    %y = sinter.linear %x, %w, %b : tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>
    %z = sinter.gelu %y : tensor<?x768xf32>
    return %z : tensor<?x768xf32>
  }
}
