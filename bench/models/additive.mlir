// Additive attention over keys of 256 and values of 1024: one row, as in a decoder's step, and many.
!vector = tensor<256xf32>
module @additive {
  func.func @step(%q: tensor<1x256xf32> {sinter.name = "q"},
      %k: tensor<1x?x256xf32> {sinter.name = "k", sinter.dims = ["length"]},
      %m: tensor<1x?x1024xf32> {sinter.name = "m", sinter.dims = ["length"]},
      %v: !vector {sinter.name = "v"}) -> (tensor<1x1024xf32> {sinter.name = "y"}) {
    %y = sinter.additive_attention %q, %k, %m, %v
        : tensor<1x256xf32>, tensor<1x?x256xf32>, tensor<1x?x1024xf32>, !vector
    return %y : tensor<1x1024xf32>
  }
  func.func @rows(%q: tensor<1x?x256xf32> {sinter.name = "q", sinter.dims = ["queries"]},
      %k: tensor<1x?x256xf32> {sinter.name = "k", sinter.dims = ["length"]},
      %m: tensor<1x?x1024xf32> {sinter.name = "m", sinter.dims = ["length"]},
      %v: !vector {sinter.name = "v"}) -> (tensor<1x?x1024xf32> {sinter.name = "y"}) {
    %y = sinter.additive_attention %q, %k, %m, %v
        : tensor<1x?x256xf32>, tensor<1x?x256xf32>, tensor<1x?x1024xf32>, !vector
    return %y : tensor<1x?x1024xf32>
  }
}
