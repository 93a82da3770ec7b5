// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=rows=0,1,5,17 --dim=columns=0,1,16,19

!a = tensor<?x?x13xf32>

module @matmul {
  func.func @plain(%a: !a {sinter.name = "a", sinter.dims = ["batch", "rows"]},
      %b: tensor<?x13x?xf32> {sinter.name = "b", sinter.dims = ["batch", "columns"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b : !a, tensor<?x13x?xf32>
    return %y : tensor<?x?x?xf32>
  }

  func.func @transpose_rhs(%a: !a {sinter.name = "a", sinter.dims = ["batch", "rows"]},
      %b: !a {sinter.name = "bt", sinter.dims = ["batch", "columns"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b transpose_rhs : !a, !a
    return %y : tensor<?x?x?xf32>
  }

  func.func @transpose_lhs(%a: tensor<?x13x?xf32> {sinter.name = "at", sinter.dims = ["batch", "rows"]},
      %b: tensor<?x13x?xf32> {sinter.name = "b", sinter.dims = ["batch", "columns"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b transpose_lhs : tensor<?x13x?xf32>, tensor<?x13x?xf32>
    return %y : tensor<?x?x?xf32>
  }

  // One matrix for the whole batch, and a sum over a dynamic extent.
  func.func @shared(%a: !a {sinter.name = "a", sinter.dims = ["batch", "rows"]},
      %b: tensor<13x18xf32> {sinter.name = "m"}) -> (tensor<?x?x18xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b : !a, tensor<13x18xf32>
    return %y : tensor<?x?x18xf32>
  }

  func.func @gram(%a: tensor<?x?x13xf32> {sinter.name = "a", sinter.dims = ["batch", "rows"]}) -> (tensor<?x13x13xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %a transpose_lhs : !a, !a
    return %y : tensor<?x13x13xf32>
  }
}
