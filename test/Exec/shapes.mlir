// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,16,17

!x = tensor<?x?x24xf32>

// Copies between layouts: split_heads, merge_heads, split, transpose, concat, broadcast.
module @shapes {
  func.func @heads(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x2x6xf32> {sinter.name = "a"}, tensor<?x?x1x6xf32> {sinter.name = "b"}) {
    %a, %b, %c = sinter.split_heads %x [2, 1, 1] : !x
    %s = arith.addf %b, %c : tensor<?x?x1x6xf32>
    return %a, %s : tensor<?x?x2x6xf32>, tensor<?x?x1x6xf32>
  }

  func.func @merge(%x: tensor<?x?x3x5xf32> {sinter.name = "h", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x15xf32> {sinter.name = "y"}) {
    %y = sinter.merge_heads %x : tensor<?x?x3x5xf32>
    return %y : tensor<?x?x15xf32>
  }

  func.func @split(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x17xf32> {sinter.name = "a"}, tensor<?x?x1xf32> {sinter.name = "b"}, tensor<?x?x6xf32> {sinter.name = "c"}) {
    %a, %b, %c = sinter.split %x [17, 1, 6] : !x
    return %a, %b, %c : tensor<?x?x17xf32>, tensor<?x?x1xf32>, tensor<?x?x6xf32>
  }

  func.func @transpose(%x: tensor<?x?x3x5xf32> {sinter.name = "h", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x3x?x5xf32> {sinter.name = "y"}) {
    %y = sinter.transpose %x [0, 2, 1, 3] : tensor<?x?x3x5xf32>
    return %y : tensor<?x3x?x5xf32>
  }

  func.func @concat(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %z: tensor<?x?x7xf32> {sinter.name = "z", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x31xf32> {sinter.name = "y"}) {
    %y = tensor.concat dim(2) %x, %z : (!x, tensor<?x?x7xf32>) -> tensor<?x?x31xf32>
    return %y : tensor<?x?x31xf32>
  }

  func.func @broadcast(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %v: tensor<24xf32> {sinter.name = "v"}) -> (!x {sinter.name = "y"}) {
    %w = sinter.broadcast %v like(%x) : tensor<24xf32>, !x
    %y = arith.subf %w, %x : !x
    return %y : !x
  }
}
