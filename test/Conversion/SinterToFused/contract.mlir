// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

module attributes {sinter.archive = "w.safetensors"} {
  // Weights [out, in] are transposed into panels by maps over weights alone; the bias is a capture of the epilogue.
  // CHECK-LABEL: func @linear
  // CHECK: %[[B:.*]] = fused.dim "batch"
  // CHECK: %[[W:.*]] = fused.weight "w" from "w.safetensors" : tensor<24x20xf32>
  // CHECK: %[[P:.*]] = fused.map dims(k, n = 24) ins(%[[W]] by (n, k) : tensor<24x20xf32>)
  // CHECK-SAME: tensor<20x24xf32, #[[PANELS:.*]]>
  // CHECK: %[[O:.*]] = tensor.empty(%[[B]]) : tensor<?x24xf32>
  // CHECK: %[[Y:.*]] = fused.contract dims(b, n, k) ins(%{{.*}} by (b, k) : tensor<?x20xf32>) outs(%[[O]] : tensor<?x24xf32>)
  // CHECK: fused.segment n(24) weights(%[[P]] : tensor<20x24xf32, #[[PANELS]]>) captures(%{{.*}} by (n) : tensor<24xf32>) stores(%[[O]] by (b, n) : tensor<?x24xf32>)
  // CHECK: return %[[Y]]
  func.func @linear(%x: tensor<?x20xf32> {sinter.name = "x", sinter.dims = ["batch"]})
      -> (tensor<?x24xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<24x20xf32>, tensor<24xf32>
    %y = sinter.linear %x, %w, %b : tensor<?x20xf32>, tensor<24x20xf32>, tensor<24xf32>
    return %y : tensor<?x24xf32>
  }

  // CHECK-LABEL: func @in_out
  // CHECK: fused.map dims(k, n = 24) ins(%{{.*}} by (k, n) : tensor<20x24xf32>)
  // CHECK: fused.contract dims(b, t, n, k) ins(%{{.*}} by (b, t, k)
  func.func @in_out(%x: tensor<?x?x20xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x24xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<20x24xf32>
    %y = sinter.linear %x, %w in_out : tensor<?x?x20xf32>, tensor<20x24xf32>
    return %y : tensor<?x?x24xf32>
  }

  // An activation on the right is read in place.
  // CHECK-LABEL: func @matmul
  // CHECK: fused.contract dims(b, t, n, k) ins(%{{.*}} by (b, t, k) : tensor<?x?x8xf32>)
  // CHECK: fused.segment n(?) weights(%{{.*}} by (b, n, k) : tensor<?x?x8xf32>)
  func.func @matmul(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["batch", "rows"]},
      %y: tensor<?x?x8xf32> {sinter.name = "y", sinter.dims = ["batch", "columns"]})
      -> (tensor<?x?x?xf32> {sinter.name = "z"}) {
    %z = sinter.matmul %x, %y transpose_rhs : tensor<?x?x8xf32>, tensor<?x?x8xf32>
    return %z : tensor<?x?x?xf32>
  }

  // A table that a projection multiplies by is read from its panels: one copy for both.
  // CHECK-LABEL: func @tied
  // CHECK: %[[P:.*]] = fused.map dims(k, n
  // CHECK: fused.map dims(b, i) ins(%arg0 by (b), %[[P]] :
  // CHECK: ^bb0(%[[ID:.*]]: i32, %[[T:.*]]: tensor<8x16xf32, #{{.*}}>, %[[I:.*]]: index):
  // CHECK: fused.read %[[T]][%[[I]], %[[ID]]
  // CHECK: weights(%[[P]]
  func.func @tied(%ids: tensor<?xi32> {sinter.name = "ids", sinter.dims = ["batch"]})
      -> (tensor<?x16xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<16x8xf32>
    %e = sinter.embedding %ids, %w : tensor<?xi32>, tensor<16x8xf32>
    %y = sinter.linear %e, %w : tensor<?x8xf32>, tensor<16x8xf32>
    return %y : tensor<?x16xf32>
  }
}
