// RUN: gate-kernels %s | FileCheck %s

!x = tensor<?x?x512xf32>

module @products attributes {sinter.archive = "products.safetensors"} {
  // Many rows and a few; bias and activation in the epilogue.
  // CHECK: contract_0 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input, segment0_epilogue_out0, segment0_weight0, segment0_epilogue_in1; less: none
  func.func @linear(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1024xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<1024x512xf32>, tensor<1024xf32>
    %l = sinter.linear %x, %w, %b : !x, tensor<1024x512xf32>, tensor<1024xf32>
    %y = sinter.gelu %l : tensor<?x?x1024xf32>
    return %y : tensor<?x?x1024xf32>
  }
  // CHECK: contract_1 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input, segment0_weight0; less: segment0_epilogue_out0, segment0_epilogue_in1
  sinter.entry @decode = @linear with {batch = 1, sequence = 1}

  // Two weights of one segment.
  // CHECK: contract_2 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input, segment0_epilogue_out0, segment0_weight0, segment0_weight1; less: none
  func.func @gated(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x768xf32> {sinter.name = "y"}) {
    %g, %u = sinter.weight "gate", "up" : tensor<768x512xf32>, tensor<768x512xf32>
    %a = sinter.linear %x, %g : !x, tensor<768x512xf32>
    %s = sinter.silu %a : tensor<?x?x768xf32>
    %c = sinter.linear %x, %u : !x, tensor<768x512xf32>
    %y = arith.mulf %s, %c : tensor<?x?x768xf32>
    return %y : tensor<?x?x768xf32>
  }

  // Three segments of sizes that fill no tile.
  // CHECK: contract_3 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: segment0_weight0; less: Input, segment0_epilogue_out0
  func.func @odd(%x: tensor<?x37xf32> {sinter.name = "x", sinter.dims = ["rows"]})
      -> (tensor<?x19xf32> {sinter.name = "a"}, tensor<?x5xf32> {sinter.name = "b"}, tensor<?x65xf32> {sinter.name = "c"}) {
    %u, %v, %w = sinter.weight "u", "v", "z" : tensor<19x37xf32>, tensor<5x37xf32>, tensor<65x37xf32>
    %a = sinter.linear %x, %u : tensor<?x37xf32>, tensor<19x37xf32>
    %b = sinter.linear %x, %v : tensor<?x37xf32>, tensor<5x37xf32>
    %c = sinter.linear %x, %w : tensor<?x37xf32>, tensor<65x37xf32>
    return %a, %b, %c : tensor<?x19xf32>, tensor<?x5xf32>, tensor<?x65xf32>
  }

  // No weight: both sides are activations.
  // CHECK: contract_6 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input; less: segment0_epilogue_out0, segment0_weight0
  func.func @matmul(%a: tensor<?x?x64xf32> {sinter.name = "a", sinter.dims = ["batch", "rows"]},
      %b: tensor<?x64x?xf32> {sinter.name = "b", sinter.dims = ["batch", "columns"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b : tensor<?x?x64xf32>, tensor<?x64x?xf32>
    return %y : tensor<?x?x?xf32>
  }

  // The second one's rows are its columns: turned on their way.
  // CHECK: contract_7 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input, segment0_weight0; less: segment0_epilogue_out0
  func.func @turned(%a: tensor<?x?x64xf32> {sinter.name = "a", sinter.dims = ["batch", "rows"]},
      %b: tensor<?x?x64xf32> {sinter.name = "b", sinter.dims = ["batch", "columns"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b transpose_rhs : tensor<?x?x64xf32>, tensor<?x?x64xf32>
    return %y : tensor<?x?x?xf32>
  }

  // Enough columns for the largest tiles.
  // CHECK: contract_8 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input, segment0_epilogue_out0, segment0_weight0; less: none
  func.func @large(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x4096xf32> {sinter.name = "y"}) {
    %w = sinter.weight "large" : tensor<4096x512xf32>
    %l = sinter.linear %x, %w : !x, tensor<4096x512xf32>
    %y = sinter.gelu %l : tensor<?x?x4096xf32>
    return %y : tensor<?x?x4096xf32>
  }
}
