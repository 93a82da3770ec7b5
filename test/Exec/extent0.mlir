// RUN: sinter-run %s %sweep --dim=batch=0,1,3 --dim=sequence=0,1,5

// Constant extents of 0: results without elements, and sums of no terms.
module @extent0 attributes {sinter.archive = "extent0.safetensors"} {
  func.func @no_outputs(%x: tensor<?x4xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x0xf32> {sinter.name = "y"}, tensor<?x4xf32> {sinter.name = "z"}) {
    %w = sinter.weight "none_of_4" : tensor<0x4xf32>
    %y = sinter.linear %x, %w : tensor<?x4xf32>, tensor<0x4xf32>
    %t = math.tanh %y : tensor<?x0xf32>
    %n = sinter.layer_norm %t eps(1.0e-5) : tensor<?x0xf32>
    %z = math.tanh %x : tensor<?x4xf32>
    return %n, %z : tensor<?x0xf32>, tensor<?x4xf32>
  }

  func.func @no_inputs(%x: tensor<?x0xf32> {sinter.name = "none", sinter.dims = ["batch"]})
      -> (tensor<?x4xf32> {sinter.name = "bias"}, tensor<?x4xf32> {sinter.name = "zero"}) {
    %w, %b = sinter.weight "four_of_0", "b" : tensor<4x0xf32>, tensor<4xf32>
    %y = sinter.linear %x, %w, %b : tensor<?x0xf32>, tensor<4x0xf32>, tensor<4xf32>
    %m = sinter.weight "m" : tensor<0x4xf32>
    %z = sinter.matmul %x, %m : tensor<?x0xf32>, tensor<0x4xf32>
    return %y, %z : tensor<?x4xf32>, tensor<?x4xf32>
  }

  func.func @no_units(%x: tensor<?x?x4xf32> {sinter.name = "s", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x0xf32> {sinter.name = "y"}, tensor<?x0xf32> {sinter.name = "h"}) {
    %w, %r = sinter.weight "none_of_4", "none" : tensor<0x4xf32>, tensor<0x0xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r : tensor<?x?x4xf32>, tensor<0x4xf32>, tensor<0x0xf32>
    return %y, %h : tensor<?x?x0xf32>, tensor<?x0xf32>
  }
}
