// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,17 --dim=other=0,5,16
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=2 --dim=sequence=4 --dim=other=9

!x = tensor<?x?x6xf32>
!h = tensor<?x?x2x3xf32>

// Along dimensions whose extents only a call tells.
module @concat attributes {sinter.archive = "concat.safetensors"} {
  // Two dynamic parts around a constant one; the sum is attended to.
  func.func @three(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %y: !x {sinter.name = "y", sinter.dims = ["batch", "other"]},
      %c: tensor<?x2x6xf32> {sinter.name = "c", sinter.dims = ["batch"]}) -> (tensor<?x6xf32> {sinter.name = "last"}, !x {sinter.name = "context"}) {
    %k = tensor.concat dim(1) %x, %c, %y, %x : (!x, tensor<?x2x6xf32>, !x, !x) -> !x
    %last = sinter.last %k : !x
    %qh = sinter.split_heads %x [2] : !x
    %kh = sinter.split_heads %k [2] : !x
    %a = sinter.attention %qh, %kh, %kh : !h, !h, !h
    %y1 = sinter.merge_heads %a : !h
    return %last, %y1 : tensor<?x6xf32>, !x
  }

  // A prefix of the model's own before what the caller gives: prompt tuning.
  func.func @prefix(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %zero = arith.constant 0 : index
    %cst = arith.constant 0.0 : f32
    %p = sinter.weight "prefix" : tensor<4x6xf32>
    %n = tensor.dim %x, %zero : !x
    %e = tensor.splat %cst[%n] : tensor<?x4x6xf32>
    %b = sinter.broadcast %p like(%e) : tensor<4x6xf32>, tensor<?x4x6xf32>
    %k = tensor.concat dim(1) %b, %x : (tensor<?x4x6xf32>, !x) -> !x
    %f = math.tanh %k : !x
    %qh = sinter.split_heads %x [2] : !x
    %kh = sinter.split_heads %f [2] : !x
    %a = sinter.attention %qh, %kh, %kh causal : !h, !h, !h
    %y = sinter.merge_heads %a : !h
    return %y : !x
  }

  // Rows of two batches, and sums of equal extents.
  func.func @rows(%x: tensor<?x6xf32> {sinter.name = "u", sinter.dims = ["sequence"]}, %y: tensor<?x6xf32> {sinter.name = "v", sinter.dims = ["other"]})
      -> (tensor<6xf32> {sinter.name = "sum"}) {
    %zero = arith.constant dense<0.0> : tensor<6xf32>
    %a = tensor.concat dim(0) %x, %y : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
    %b = tensor.concat dim(0) %y, %x : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
    %c = arith.mulf %a, %b : tensor<?x6xf32>
    %s = linalg.reduce { arith.addf } ins(%c : tensor<?x6xf32>) outs(%zero : tensor<6xf32>) dimensions = [0]
    return %s : tensor<6xf32>
  }
}
