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
  // And with an activation that no library has, x |x| / (1 + x^2).
  func.func @rational(%x: tensor<?x768xf32> {sinter.name = "x", sinter.dims = ["rows"]})
      -> (tensor<?x768xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<768x768xf32>, tensor<768xf32>
    %y = sinter.linear %x, %w, %b : tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>
    %m = math.absf %y : tensor<?x768xf32>
    %n = arith.mulf %y, %m : tensor<?x768xf32>
    %s = arith.mulf %y, %y : tensor<?x768xf32>
    %c = arith.constant 1.0 : f32
    %one = sinter.broadcast %c like(%y) : f32, tensor<?x768xf32>
    %d = arith.addf %s, %one : tensor<?x768xf32>
    %z = arith.divf %n, %d : tensor<?x768xf32>
    return %z : tensor<?x768xf32>
  }
}
