// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=1,4,19

!x = tensor<?x5x?xf32>
!y = tensor<?x6x?xf32>

// Upstream's structured ops: without a reduction they are maps, else a loop nest of their own.
module @structured attributes {sinter.archive = "structured.safetensors"} {
  // Strided and dilated, between borders: channels first.
  func.func @convolution(%x: tensor<?x5x20xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x6x9xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x5x20xf32>
    %w, %b = sinter.weight "w", "b" : tensor<6x5x3xf32>, tensor<6xf32>
    %p = tensor.pad %x low[0, 0, 2] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : tensor<?x5x20xf32> to tensor<?x5x23xf32>
    %e = tensor.empty(%n) : tensor<?x6x9xf32>
    %z = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6x9xf32>) dimensions = [0, 2]
    %v = linalg.conv_1d_ncw_fcw {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
        ins(%p, %w : tensor<?x5x23xf32>, tensor<6x5x3xf32>) outs(%z : tensor<?x6x9xf32>) -> tensor<?x6x9xf32>
    %y = sinter.relu %v : tensor<?x6x9xf32>
    return %y : tensor<?x6x9xf32>
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

  // Sums over a dynamic dimension, and over all.
  func.func @sums(%x: tensor<?x?x7xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x7xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x?x7xf32>
    %z = tensor.splat %zero[%n] : tensor<?x7xf32>
    %y = linalg.reduce { arith.addf } ins(%x : tensor<?x?x7xf32>) outs(%z : tensor<?x7xf32>) dimensions = [1]
    return %y : tensor<?x7xf32>
  }

  func.func @pad(%x: tensor<?x?x4xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x9xf32> {sinter.name = "y"}) {
    %one = arith.constant 1.0 : f32
    %y = tensor.pad %x low[0, 0, 3] high[0, 0, 2] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %one : f32 } : tensor<?x?x4xf32> to tensor<?x?x9xf32>
    return %y : tensor<?x?x9xf32>
  }

  // A mirror at the end.
  func.func @generate(%x: tensor<?x6xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x9xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %last = arith.constant 5 : index
    %turn = arith.constant 10 : index
    %n = tensor.dim %x, %c0 : tensor<?x6xf32>
    %y = tensor.generate %n {
    ^bb0(%i: index, %j: index):
      %inside = arith.cmpi ule, %j, %last : index
      %mirror = arith.subi %turn, %j : index
      %k = arith.select %inside, %j, %mirror : index
      %s = tensor.extract %x[%i, %k] : tensor<?x6xf32>
      tensor.yield %s : f32
    } : tensor<?x9xf32>
    return %y : tensor<?x9xf32>
  }
}
