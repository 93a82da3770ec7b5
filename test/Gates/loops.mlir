// RUN: gate-kernels %s

// What is no skeleton is a plain loop nest.
module @loops {
  func.func @sums(%x: tensor<?x?x7xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x7xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x?x7xf32>
    %z = tensor.splat %zero[%n] : tensor<?x7xf32>
    %y = linalg.reduce { arith.addf } ins(%x : tensor<?x?x7xf32>) outs(%z : tensor<?x7xf32>) dimensions = [1]
    return %y : tensor<?x7xf32>
  }

  func.func @pooling(%x: tensor<?x5x20xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x5x6xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %n = tensor.dim %x, %c0 : tensor<?x5x20xf32>
    %window = tensor.empty() : tensor<3xf32>
    %z = tensor.splat %low[%n] : tensor<?x5x6xf32>
    %y = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<3> : tensor<1xi64>}
        ins(%x, %window : tensor<?x5x20xf32>, tensor<3xf32>) outs(%z : tensor<?x5x6xf32>) -> tensor<?x5x6xf32>
    return %y : tensor<?x5x6xf32>
  }
}
