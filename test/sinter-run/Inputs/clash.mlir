// The entry's dimension and its argument are one name in C.
module @clash {
  func.func @run(%x: tensor<?xf32> {sinter.name = "n", sinter.dims = ["n"]}) -> (tensor<?xf32> {sinter.name = "y"}) {
    %y = arith.addf %x, %x : tensor<?xf32>
    return %y : tensor<?xf32>
  }
}
