// RUN: gate-kernels %s | FileCheck %s

!w768 = tensor<768xf32>

// Rows of a warp, of a block, and longer than registers hold; widths that are no multiple of four.
module @rows attributes {sinter.archive = "rows.safetensors"} {
  // CHECK: normalize_0 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: values_in0, values_in1, post_in3, post_in4, post_out0, post_out1; less: none
  func.func @add_norm(%x: tensor<?x768xf32> {sinter.name = "x", sinter.dims = ["rows"]},
      %z: tensor<?x768xf32> {sinter.name = "z", sinter.dims = ["rows"]}) -> (tensor<?x768xf32> {sinter.name = "s"}, tensor<?x768xf32> {sinter.name = "y"}) {
    %g, %b = sinter.weight "g", "b" : !w768, !w768
    %s = arith.addf %x, %z : tensor<?x768xf32>
    %y = sinter.layer_norm %s, %g, %b eps(1.0e-5) : tensor<?x768xf32>, !w768, !w768
    return %s, %y : tensor<?x768xf32>, tensor<?x768xf32>
  }

  // CHECK: normalize_1 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: values_in0, post_in2, post_out0; less: none
  func.func @rms(%x: tensor<?x4096xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x4096xf32> {sinter.name = "y"}) {
    %g = sinter.weight "gain" : tensor<4096xf32>
    %y = sinter.rms_norm %x, %g eps(1.0e-6) : tensor<?x4096xf32>, tensor<4096xf32>
    return %y : tensor<?x4096xf32>
  }

  // CHECK: normalize_2 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: none; less: values_in0, post_out0
  func.func @vocabulary(%x: tensor<?x50257xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x50257xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x50257xf32>
    return %y : tensor<?x50257xf32>
  }

  // CHECK: normalize_3 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: values_in0, post_out0; less: none
  func.func @long(%x: tensor<?x65536xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x65536xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x65536xf32>
    return %y : tensor<?x65536xf32>
  }

  // CHECK: normalize_4 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: none; less: values_in0, post_out0
  func.func @dynamic(%x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["rows", "columns"]}) -> (tensor<?x?xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }

  // Three kernels, between which rows lie in the workspace.
  // CHECK: normalize_5 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: values_in0, post_in2, post_out0; less: none
  // CHECK: normalize_6 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: values_in0, post_out0; less: none
  func.func @between(%x: tensor<?x32768xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x32768xf32> {sinter.name = "y"}) {
    %g = sinter.weight "gain32768" : tensor<32768xf32>
    %a = sinter.rms_norm %x, %g eps(1.0e-6) : tensor<?x32768xf32>, tensor<32768xf32>
    %s = sinter.softmax %a : tensor<?x32768xf32>
    %y = sinter.rms_norm %s, %g eps(1.0e-6) : tensor<?x32768xf32>, tensor<32768xf32>
    return %y : tensor<?x32768xf32>
  }
}
