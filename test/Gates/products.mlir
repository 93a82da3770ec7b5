// RUN: gate-kernels %s

!x = tensor<?x?x512xf32>

module @products attributes {sinter.archive = "products.safetensors"} {
  // Many rows and a few; bias and activation in the epilogue.
  func.func @linear(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1024xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<1024x512xf32>, tensor<1024xf32>
    %l = sinter.linear %x, %w, %b : !x, tensor<1024x512xf32>, tensor<1024xf32>
    %y = sinter.gelu %l : tensor<?x?x1024xf32>
    return %y : tensor<?x?x1024xf32>
  }
  sinter.entry @decode = @linear with {batch = 1, sequence = 1}

  // Two weights of one segment.
  func.func @gated(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x768xf32> {sinter.name = "y"}) {
    %g, %u = sinter.weight "gate", "up" : tensor<768x512xf32>, tensor<768x512xf32>
    %a = sinter.linear %x, %g : !x, tensor<768x512xf32>
    %s = sinter.silu %a : tensor<?x?x768xf32>
    %c = sinter.linear %x, %u : !x, tensor<768x512xf32>
    %y = arith.mulf %s, %c : tensor<?x?x768xf32>
    return %y : tensor<?x?x768xf32>
  }

  // Three segments of sizes that fill no tile.
  func.func @odd(%x: tensor<?x37xf32> {sinter.name = "x", sinter.dims = ["rows"]})
      -> (tensor<?x19xf32> {sinter.name = "a"}, tensor<?x5xf32> {sinter.name = "b"}, tensor<?x65xf32> {sinter.name = "c"}) {
    %u, %v, %w = sinter.weight "u", "v", "z" : tensor<19x37xf32>, tensor<5x37xf32>, tensor<65x37xf32>
    %a = sinter.linear %x, %u : tensor<?x37xf32>, tensor<19x37xf32>
    %b = sinter.linear %x, %v : tensor<?x37xf32>, tensor<5x37xf32>
    %c = sinter.linear %x, %w : tensor<?x37xf32>, tensor<65x37xf32>
    return %a, %b, %c : tensor<?x19xf32>, tensor<?x5xf32>, tensor<?x65xf32>
  }

  // No weight: both sides are activations.
  func.func @matmul(%a: tensor<?x?x64xf32> {sinter.name = "a", sinter.dims = ["batch", "rows"]},
      %b: tensor<?x64x?xf32> {sinter.name = "b", sinter.dims = ["batch", "columns"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b : tensor<?x?x64xf32>, tensor<?x64x?xf32>
    return %y : tensor<?x?x?xf32>
  }
}
