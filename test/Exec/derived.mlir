// RUN: sinter-run %s %sweep --dim=batch=1,3

// Norms of weights and constants are computed when weights are packed.

!w = tensor<5x9xf32>
!y = tensor<?x9xf32>

module @derived attributes {sinter.archive = "derived.safetensors"} {
  func.func @softmax(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}) {
    %w = sinter.weight "w" : !w
    %s = sinter.softmax %w : !w
    %y = sinter.matmul %x, %s : tensor<?x5xf32>, !w
    return %y : !y
  }

  func.func @layer_norm(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}) {
    %w, %v, %g, %b = sinter.weight "w", "v", "g", "b" : !w, !w, tensor<9xf32>, tensor<9xf32>
    %sum = arith.addf %w, %v : !w
    %s = sinter.layer_norm %sum, %g, %b eps(1.0e-5) : !w, tensor<9xf32>, tensor<9xf32>
    %y = sinter.matmul %x, %s : tensor<?x5xf32>, !w
    return %y : !y
  }

  func.func @constant(%x: !y {sinter.name = "z", sinter.dims = ["batch"]})
      -> (!y {sinter.name = "softmax"}, !y {sinter.name = "log_softmax"}, !y {sinter.name = "layer_norm"}, !y {sinter.name = "rms_norm"}) {
    %c = arith.constant 0.5 : f32
    %b = sinter.broadcast %c like(%x) : f32, !y
    %s = sinter.softmax %b : !y
    %l = sinter.log_softmax %b : !y
    %n = sinter.layer_norm %b eps(1.0e-5) : !y
    %r = sinter.rms_norm %b eps(1.0e-5) : !y
    return %s, %l, %n, %r : !y, !y, !y, !y
  }

  func.func @dense(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x2xf32> {sinter.name = "y"}) {
    %w = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [0.5, -1.0], [0.0, 0.0], [7.0, -7.0]]> : tensor<5x2xf32>
    %s = sinter.softmax %w : tensor<5x2xf32>
    %y = sinter.matmul %x, %s : tensor<?x5xf32>, tensor<5x2xf32>
    return %y : tensor<?x2xf32>
  }
}
