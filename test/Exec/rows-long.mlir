// RUN: sinter-run %s %sweep --dim=rows=0,1,3 --dim=columns=600,601,1024
// RUN: sinter-run %s %sweep --dim=rows=2 --dim=columns=2050 --nasty

// Rows that are too long for one warp of a GPU: a block keeps a row in registers (768, 4099), or reads it once per pass (20000 and on,
// and where only a call tells how long it is); in accesses of 16 bytes, of 8, or one number at a time.
module @long attributes {sinter.archive = "long.safetensors"} {
  func.func @residual(%x: tensor<?x768xf32> {sinter.name = "a", sinter.dims = ["rows"]}, %z: tensor<?x768xf32> {sinter.name = "b", sinter.dims = ["rows"]})
      -> (tensor<?x768xf32> {sinter.name = "s"}, tensor<?x768xf32> {sinter.name = "n"}) {
    %g, %b = sinter.weight "g", "b" : tensor<768xf32>, tensor<768xf32>
    %s = arith.addf %x, %z : tensor<?x768xf32>
    %n = sinter.layer_norm %s, %g, %b eps(1.0e-5) : tensor<?x768xf32>, tensor<768xf32>, tensor<768xf32>
    return %s, %n : tensor<?x768xf32>, tensor<?x768xf32>
  }

  func.func @odd(%x: tensor<?x4099xf32> {sinter.name = "c", sinter.dims = ["rows"]}) -> (tensor<?x4099xf32> {sinter.name = "d"}) {
    %g = sinter.weight "gain" : tensor<4099xf32>
    %y = sinter.rms_norm %x, %g eps(1.0e-6) : tensor<?x4099xf32>, tensor<4099xf32>
    return %y : tensor<?x4099xf32>
  }

  func.func @streamed(%x: tensor<?x20000xf32> {sinter.name = "e", sinter.dims = ["rows"]}, %z: tensor<?x20002xf32> {sinter.name = "f", sinter.dims = ["rows"]})
      -> (tensor<?x20000xf32> {sinter.name = "h"}, tensor<?x20002xf32> {sinter.name = "i"}) {
    %y = sinter.softmax %x : tensor<?x20000xf32>
    %l = sinter.log_softmax %z : tensor<?x20002xf32>
    return %y, %l : tensor<?x20000xf32>, tensor<?x20002xf32>
  }

  func.func @dynamic(%x: tensor<?x?xf32> {sinter.name = "k", sinter.dims = ["rows", "columns"]}) -> (tensor<?x?xf32> {sinter.name = "l"}) {
    %y = sinter.softmax %x : tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }
}
