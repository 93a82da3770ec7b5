// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

!x = tensor<?x?x8xf32>
!v = tensor<8xf32>
module attributes {sinter.archive = "w.safetensors"} {
  // CHECK-LABEL: func @rms
  // CHECK: fused.normalize dims(b, t, j) ins(%arg0 by (b, t, j) : {{.*}}) captures(%{{.*}} by (j) : tensor<8xf32>)
  // CHECK-SAME: reduce sum {
  // CHECK: arith.mulf
  // CHECK: } post {
  // CHECK: math.rsqrt
  func.func @rms(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %g = sinter.weight "g" : !v
    %y = sinter.rms_norm %x, %g eps(1.0e-5) : !x, !v
    return %y : !x
  }

  // The second reduction takes the mean off first. A residual sum before the norm that is needed later too is stored by it.
  // CHECK-LABEL: func @layer_norm
  // CHECK: %[[N:.*]]:2 = fused.normalize dims(b, t, j) ins(%arg0 by (b, t, j), %arg1 by (b, t, j) :
  // CHECK-SAME: pre {
  // CHECK: arith.addf
  // CHECK: } reduce sum {
  // CHECK: } reduce sum {
  // CHECK-NEXT: ^bb0(%[[V:.*]]: f32, %[[SUM:.*]]: f32):
  // CHECK: arith.divf %[[SUM]]
  // CHECK: %[[D:.*]] = arith.subf %[[V]]
  // CHECK: arith.mulf %[[D]], %[[D]]
  // CHECK: return %[[N]]#0, %[[N]]#1
  func.func @layer_norm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %y: !x {sinter.name = "y", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "z"}, !x {sinter.name = "s"}) {
    %g, %b = sinter.weight "g", "b" : !v, !v
    %s = arith.addf %x, %y : !x
    %z = sinter.layer_norm %s, %g, %b eps(1.0e-5) : !x, !v, !v
    return %z, %s : !x, !x
  }

  // CHECK-LABEL: func @softmax
  // CHECK: fused.normalize
  // CHECK-SAME: reduce max {
  // CHECK: } reduce sum {
  // CHECK: math.exp
  // CHECK: } post {
  // CHECK: math.exp
  // CHECK: arith.divf
  // CHECK: arith.mulf
  // An element-wise reader runs in post.
  // CHECK: math.sqrt
  // CHECK-NOT: fused.map
  func.func @softmax(%x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?xf32> {sinter.name = "y"}) {
    %p = sinter.softmax %x : tensor<?x?xf32>
    %y = math.sqrt %p : tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }

  // CHECK-LABEL: func @log_softmax
  // CHECK: math.log
  func.func @log_softmax(%x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?xf32> {sinter.name = "y"}) {
    %y = sinter.log_softmax %x : tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }
}
