// Kernels of several kinds one after the other, one of them a recurrence.
!x = tensor<?x?x16xf32>
module @each attributes {sinter.archive = "each.safetensors"} {
  func.func @run(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!x {sinter.name = "y"}) {
    %w, %v = sinter.weight "w", "v" : tensor<16x16xf32>, tensor<16x16xf32>
    %wx, %wh = sinter.weight "wx", "wh" : tensor<64x16xf32>, tensor<64x16xf32>
    %a = sinter.linear %x, %w : !x, tensor<16x16xf32>
    %h, %hn, %cn = sinter.lstm %a, %wx, %wh lengths(%n : tensor<?xi64>) : !x, tensor<64x16xf32>, tensor<64x16xf32>
    %s = sinter.softmax %h : !x
    %y = sinter.linear %s, %v : !x, tensor<16x16xf32>
    return %y : !x
  }
}
