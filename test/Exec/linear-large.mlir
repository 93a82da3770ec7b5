// RUN: sinter-run %s %sweep --dim=rows=1,9,130,141

// So many columns that a GPU takes tiles of 128 by 128, and of 128 by 64 where weights are paired: whole ones and rests, in both
// directions, whose depth is a multiple of 4 or not.
module @large attributes {sinter.archive = "large.safetensors"} {
  func.func @whole(%x: tensor<?x20xf32> {sinter.name = "a", sinter.dims = ["rows"]}) -> (tensor<?x2048xf32> {sinter.name = "b"}) {
    %w, %c = sinter.weight "w", "c" : tensor<2048x20xf32>, tensor<2048xf32>
    %y = sinter.linear %x, %w, %c : tensor<?x20xf32>, tensor<2048x20xf32>, tensor<2048xf32>
    return %y : tensor<?x2048xf32>
  }

  func.func @rest(%x: tensor<?x19xf32> {sinter.name = "d", sinter.dims = ["rows"]}) -> (tensor<?x2051xf32> {sinter.name = "e"}) {
    %w = sinter.weight "v" : tensor<2051x19xf32>
    %l = sinter.linear %x, %w : tensor<?x19xf32>, tensor<2051x19xf32>
    %y = sinter.relu %l : tensor<?x2051xf32>
    return %y : tensor<?x2051xf32>
  }

  func.func @paired(%x: tensor<?x8xf32> {sinter.name = "f", sinter.dims = ["rows"]}) -> (tensor<?x2056xf32> {sinter.name = "g"}) {
    %g, %u = sinter.weight "gate", "up" : tensor<2056x8xf32>, tensor<2056x8xf32>
    %a = sinter.linear %x, %g : tensor<?x8xf32>, tensor<2056x8xf32>
    %s = sinter.silu %a : tensor<?x2056xf32>
    %c = sinter.linear %x, %u : tensor<?x8xf32>, tensor<2056x8xf32>
    %y = arith.mulf %s, %c : tensor<?x2056xf32>
    return %y : tensor<?x2056xf32>
  }
}
