// RUN: gate-kernels %s | FileCheck %s

!x = tensor<?x?x64xf32>

module @maps attributes {sinter.archive = "maps.safetensors"} {
  // CHECK: map_0 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: point_in0, point_in1, point_out0; less: none
  func.func @gelu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %z: !x {sinter.name = "z", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "y"}) {
    %s = sinter.gelu %x : !x
    %y = arith.addf %s, %z : !x
    return %y : !x
  }

  // Seven columns: no access is wide.
  // CHECK: map_1 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: none; less: point_in0, point_out0
  func.func @odd(%x: tensor<?x7xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x7xf32> {sinter.name = "y"}) {
    %y = math.tanh %x : tensor<?x7xf32>
    return %y : tensor<?x7xf32>
  }

  // CHECK: map_2 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: point_out0; less: point_in0, point_gather0
  func.func @embed(%ids: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %t = sinter.weight "table" : tensor<1000x64xf32>
    %y = sinter.embedding %ids, %t : tensor<?x?xi32>, tensor<1000x64xf32>
    return %y : !x
  }

  // Angles in f64, their sine and cosine by our own code.
  func.func @rope(%x: tensor<?x?x4x64xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %p: tensor<?x?xi64> {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x4x64xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p theta(1.0e4) : tensor<?x?x4x64xf32>, tensor<?x?xi64>
    return %y : tensor<?x?x4x64xf32>
  }
}
