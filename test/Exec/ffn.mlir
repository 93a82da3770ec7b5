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

  func.func @gelu_tanh(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 gelu_tanh : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @silu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 silu : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @identity(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 identity : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @quick_gelu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 quick_gelu : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @relu_squared(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 relu_squared : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @mish(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w2, %b2 = sinter.weight "w1", "b1", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.ffn %x, %w1, %b1, %w2, %b2 mish : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @glu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w3, %b3, %w2, %b2 = sinter.weight "w1", "b1", "w3", "b3", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.gated_ffn %x, %w1, %b1, %w3, %b3, %w2, %b2 sigmoid : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @reglu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w3, %b3, %w2, %b2 = sinter.weight "w1", "b1", "w3", "b3", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.gated_ffn %x, %w1, %b1, %w3, %b3, %w2, %b2 relu : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @geglu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w3, %w2 = sinter.weight "w1", "w3", "w2" : tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    %y = sinter.gated_ffn %x, %w1, %w3, %w2 gelu : !x, tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    return %y : !x
  }

  func.func @geglu_tanh(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w3, %w2 = sinter.weight "w1", "w3", "w2" : tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    %y = sinter.gated_ffn %x, %w1, %w3, %w2 gelu_tanh : !x, tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    return %y : !x
  }

  func.func @swiglu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %b1, %w3, %b3, %w2, %b2 = sinter.weight "w1", "b1", "w3", "b3", "w2", "b2" : tensor<43x20xf32>, tensor<43xf32>, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.gated_ffn %x, %w1, %b1, %w3, %b3, %w2, %b2 silu : !x, tensor<43x20xf32>, tensor<43xf32>, tensor<43x20xf32>, tensor<43xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @bilinear(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w3, %w2 = sinter.weight "w1", "w3", "w2" : tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    %y = sinter.gated_ffn %x, %w1, %w3, %w2 identity : !x, tensor<43x20xf32>, tensor<43x20xf32>, tensor<20x43xf32>
    return %y : !x
  }

  // One weight for gate and up.
  func.func @joined(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %gu, %w2 = sinter.weight "gu", "w2" : tensor<86x20xf32>, tensor<20x43xf32>
    %y = sinter.gated_ffn %x, %gu, %w2 silu : !x, tensor<86x20xf32>, tensor<20x43xf32>
    return %y : !x
  }

  func.func @joined_biases(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %gu, %gub, %w2, %b2 = sinter.weight "gu", "gub", "w2", "b2" : tensor<86x20xf32>, tensor<86xf32>, tensor<20x43xf32>, tensor<20xf32>
    %y = sinter.gated_ffn %x, %gu, %gub, %w2, %b2 gelu : !x, tensor<86x20xf32>, tensor<86xf32>, tensor<20x43xf32>, tensor<20xf32>
    return %y : !x
  }

  func.func @joined_in_out(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %io_gu, %io_w2 = sinter.weight "io_gu", "io_w2" : tensor<20x86xf32>, tensor<43x20xf32>
    %y = sinter.gated_ffn %x, %io_gu, %io_w2 silu in_out : !x, tensor<20x86xf32>, tensor<43x20xf32>
    return %y : !x
  }

  // Dropout does nothing.
  func.func @dropout(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w2 = sinter.weight "w1", "w2" : tensor<43x20xf32>, tensor<20x43xf32>
    %d = sinter.dropout %x rate(0.1) : !x
    %f = sinter.ffn %d, %w1, %w2 relu : !x, tensor<43x20xf32>, tensor<20x43xf32>
    %e = sinter.dropout %f rate(0.5) : !x
    %y = arith.addf %x, %e : !x
    return %y : !x
  }
}
