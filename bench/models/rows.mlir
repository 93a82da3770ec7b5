// One row operation each over rows of 768.
!x = tensor<?x768xf32>
!g = tensor<768xf32>
module @rows attributes {sinter.archive = "rows.safetensors"} {
  func.func @layer_norm(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}) -> (!x {sinter.name = "y"}) {
    %g, %b = sinter.weight "gain", "shift" : !g, !g
    %y = sinter.layer_norm %x, %g, %b eps(1.0e-5) : !x, !g, !g
    return %y : !x
  }
  func.func @rms_norm(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}) -> (!x {sinter.name = "y"}) {
    %g = sinter.weight "gain" : !g
    %y = sinter.rms_norm %x, %g eps(1.0e-5) : !x, !g
    return %y : !x
  }
  func.func @softmax(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}) -> (!x {sinter.name = "y"}) {
    %y = sinter.softmax %x : !x
    return %y : !x
  }
  func.func @gelu(%x: !x {sinter.name = "x", sinter.dims = ["rows"]}) -> (!x {sinter.name = "y"}) {
    %y = sinter.gelu %x : !x
    return %y : !x
  }
}
