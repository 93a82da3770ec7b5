// One operation each, of sizes that fill a GPU.
!x = tensor<?x4096xf32>
!h64 = tensor<?x?x16x64xf32>
!h128 = tensor<?x?x16x128xf32>
module @timed attributes {sinter.archive = "timed.safetensors"} {
  func.func @add(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}, %z: !x {sinter.name = "z", sinter.dims = ["rows"]}) -> (!x {sinter.name = "y"}) {
    %y = arith.addf %x, %z : !x
    return %y : !x
  }

  func.func @softmax(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}) -> (!x {sinter.name = "y"}) {
    %y = sinter.softmax %x : !x
    return %y : !x
  }

  func.func @layer_norm(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}, %z: !x {sinter.name = "z", sinter.dims = ["rows"]})
      -> (!x {sinter.name = "y"}) {
    %g, %b = sinter.weight "gain", "shift" : tensor<4096xf32>, tensor<4096xf32>
    %s = arith.addf %x, %z : !x
    %y = sinter.layer_norm %s, %g, %b eps(1.0e-5) : !x, tensor<4096xf32>, tensor<4096xf32>
    return %y : !x
  }

  func.func @linear(%x: tensor<?x768xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x768xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<768x768xf32>, tensor<768xf32>
    %l = sinter.linear %x, %w, %b : tensor<?x768xf32>, tensor<768x768xf32>, tensor<768xf32>
    %y = sinter.gelu %l : tensor<?x768xf32>
    return %y : tensor<?x768xf32>
  }

  func.func @attention_64(%q: !h64 {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !h64 {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: !h64 {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (!h64 {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !h64, !h64, !h64
    return %y : !h64
  }

  func.func @attention_128(%q: !h128 {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !h128 {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: !h128 {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (!h128 {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !h128, !h128, !h128
    return %y : !h128
  }

  func.func @lstm(%x: tensor<?x?x128xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x256xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "wi", "wh" : tensor<1024x128xf32>, tensor<1024x256xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r : tensor<?x?x128xf32>, tensor<1024x128xf32>, tensor<1024x256xf32>
    return %y : tensor<?x?x256xf32>
  }
}
