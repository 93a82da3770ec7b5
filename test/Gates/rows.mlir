// RUN: gate-kernels %s --wide=normalize_0,normalize_1,normalize_3,normalize_5,normalize_6

!w768 = tensor<768xf32>

// Rows of a warp, of a block, and longer than registers hold; widths that are no multiple of four.
module @rows attributes {sinter.archive = "rows.safetensors"} {
  func.func @add_norm(%x: tensor<?x768xf32> {sinter.name = "x", sinter.dims = ["rows"]},
      %z: tensor<?x768xf32> {sinter.name = "z", sinter.dims = ["rows"]}) -> (tensor<?x768xf32> {sinter.name = "s"}, tensor<?x768xf32> {sinter.name = "y"}) {
    %g, %b = sinter.weight "g", "b" : !w768, !w768
    %s = arith.addf %x, %z : tensor<?x768xf32>
    %y = sinter.layer_norm %s, %g, %b eps(1.0e-5) : tensor<?x768xf32>, !w768, !w768
    return %s, %y : tensor<?x768xf32>, tensor<?x768xf32>
  }

  func.func @rms(%x: tensor<?x4096xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x4096xf32> {sinter.name = "y"}) {
    %g = sinter.weight "gain" : tensor<4096xf32>
    %y = sinter.rms_norm %x, %g eps(1.0e-6) : tensor<?x4096xf32>, tensor<4096xf32>
    return %y : tensor<?x4096xf32>
  }

  func.func @vocabulary(%x: tensor<?x50257xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x50257xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x50257xf32>
    return %y : tensor<?x50257xf32>
  }

  func.func @long(%x: tensor<?x65536xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x65536xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x65536xf32>
    return %y : tensor<?x65536xf32>
  }

  func.func @dynamic(%x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["rows", "columns"]}) -> (tensor<?x?xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }

  // Three kernels, between which rows lie in the workspace.
  func.func @between(%x: tensor<?x32768xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x32768xf32> {sinter.name = "y"}) {
    %g = sinter.weight "gain32768" : tensor<32768xf32>
    %a = sinter.rms_norm %x, %g eps(1.0e-6) : tensor<?x32768xf32>, tensor<32768xf32>
    %s = sinter.softmax %a : tensor<?x32768xf32>
    %y = sinter.rms_norm %s, %g eps(1.0e-6) : tensor<?x32768xf32>, tensor<32768xf32>
    return %y : tensor<?x32768xf32>
  }
}
