// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,6,17

!x = tensor<?x?x20xf32>

module @ffn attributes {sinter.archive = "ffn.safetensors"} {
  func.func @relu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 relu : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @gelu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %f = sinter.ffn %x, %w1, %b1, %w2, %b2 gelu : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = arith.addf %x, %f : !x
    return %y : !x
  }

  func.func @gated_silu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w2, %w3 = sinter.weight "w1", "w2", "w3" : tensor<43x20xf32>, tensor<20x43xf32>, tensor<43x20xf32>
    %y = sinter.gated_ffn %x, %w1, %w3, %w2 silu : !x, tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    return %y : !x
  }

  func.func @gated_sigmoid(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w2, %w3 = sinter.weight "w1", "w2", "w3" : tensor<43x20xf32>, tensor<20x43xf32>, tensor<43x20xf32>
    %y = sinter.gated_ffn %x, %w1, %w3, %w2 sigmoid : !x, tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    return %y : !x
  }
}
