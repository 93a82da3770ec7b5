// RUN: gate-kernels %s

module @recurrences attributes {sinter.archive = "recurrences.safetensors"} {
  func.func @lstm(%x: tensor<?x?x128xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x?x256xf32> {sinter.name = "y"}) {
    %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh" : tensor<1024x128xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<1024xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh lengths(%n : tensor<?xi64>)
        : tensor<?x?x128xf32>, tensor<1024x128xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<1024xf32>
    return %y : tensor<?x?x256xf32>
  }

  // Two phases, units that fill no panel.
  func.func @gru(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x20xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "wg", "rg" : tensor<60x11xf32>, tensor<60x20xf32>
    %y, %h = sinter.gru %x, %w, %r reset(before) : tensor<?x?x11xf32>, tensor<60x11xf32>, tensor<60x20xf32>
    return %y : tensor<?x?x20xf32>
  }
}
