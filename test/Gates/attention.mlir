// RUN: gate-kernels %s

module @attention {
  func.func @head32(%q: tensor<?x?x8x32xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x8x32xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x8x32xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x8x32xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v  : tensor<?x?x8x32xf32>, tensor<?x?x8x32xf32>, tensor<?x?x8x32xf32>
    return %y : tensor<?x?x8x32xf32>
  }

  func.func @head64(%q: tensor<?x?x8x64xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x8x64xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x8x64xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x8x64xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
    return %y : tensor<?x?x8x64xf32>
  }

  func.func @head96(%q: tensor<?x?x4x96xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x4x96xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x4x96xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x4x96xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal window(128, 0) : tensor<?x?x4x96xf32>, tensor<?x?x4x96xf32>, tensor<?x?x4x96xf32>
    return %y : tensor<?x?x4x96xf32>
  }

  func.func @head128(%q: tensor<?x?x8x128xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x2x128xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x2x128xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x8x128xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal softcap(30.0) : tensor<?x?x8x128xf32>, tensor<?x?x2x128xf32>, tensor<?x?x2x128xf32>
    return %y : tensor<?x?x8x128xf32>
  }

  func.func @head256(%q: tensor<?x?x4x256xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x1x256xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x1x256xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x4x256xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x4x256xf32>, tensor<?x?x1x256xf32>, tensor<?x?x1x256xf32>
    return %y : tensor<?x?x4x256xf32>
  }

  func.func @head20(%q: tensor<?x?x3x20xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x3x20xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x3x20xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x3x20xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v  : tensor<?x?x3x20xf32>, tensor<?x?x3x20xf32>, tensor<?x?x3x20xf32>
    return %y : tensor<?x?x3x20xf32>
  }

}
