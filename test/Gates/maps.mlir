// RUN: gate-kernels %s --wide=map_0

!x = tensor<?x?x64xf32>

module @maps attributes {sinter.archive = "maps.safetensors"} {
  func.func @gelu(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %z: !x {sinter.name = "z", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "y"}) {
    %s = sinter.gelu %x : !x
    %y = arith.addf %s, %z : !x
    return %y : !x
  }

  // Seven columns: no access is wide.
  func.func @odd(%x: tensor<?x7xf32> {sinter.name = "x", sinter.dims = ["rows"]}) -> (tensor<?x7xf32> {sinter.name = "y"}) {
    %y = math.tanh %x : tensor<?x7xf32>
    return %y : tensor<?x7xf32>
  }

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
