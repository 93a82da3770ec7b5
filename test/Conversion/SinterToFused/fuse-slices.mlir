// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

// A slice that starts at 0 reads through the identity, but less: it is no epilogue, and what it copies from is not redirected.
!x = tensor<?x8xf32>
module attributes {sinter.archive = "w.safetensors"} {
  // CHECK-LABEL: func @of_contract
  // CHECK: %[[P:.*]] = fused.contract dims(b, n, k) {{.*}} outs(%{{.*}} : tensor<?x16xf32>)
  // CHECK: fused.map dims(b, i = 6) ins(%[[P]] by (b, i)
  func.func @of_contract(%x: !x {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x6xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<16x8xf32>
    %p = sinter.linear %x, %w : !x, tensor<16x8xf32>
    %y, %z = sinter.split %p [6, 10] : tensor<?x16xf32>
    return %y : tensor<?x6xf32>
  }

  // CHECK-LABEL: func @of_normalize
  // CHECK: %[[P:.*]] = fused.normalize {{.*}} outs(%{{.*}} : tensor<?x8xf32>)
  // CHECK: fused.map dims(b, i = 6) ins(%[[P]] by (b, i)
  func.func @of_normalize(%x: !x {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x6xf32> {sinter.name = "y"}) {
    %p = sinter.softmax %x : !x
    %y, %z = sinter.split %p [6, 2] : !x
    return %y : tensor<?x6xf32>
  }

  // CHECK-LABEL: func @of_concat
  // CHECK: %[[A:.*]] = fused.map {{.*}} ins(%arg0 by (b, i)
  // CHECK: %[[B:.*]] = fused.map {{.*}} outs(%[[A]] by (b, i + 8)
  // CHECK: fused.map dims(b, i = 12) ins(%[[B]] by (b, i)
  func.func @of_concat(%x: !x {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x12xf32> {sinter.name = "y"}) {
    %p = tensor.concat dim(1) %x, %x : (!x, !x) -> tensor<?x16xf32>
    %y, %z = sinter.split %p [12, 4] : tensor<?x16xf32>
    return %y : tensor<?x12xf32>
  }

  // What makes a part of a concatenation stores it there; its extent, which the place does not tell, is kept.
  // CHECK-LABEL: func @into_concat
  // CHECK: fused.map dims(b, i = 8) {{.*}} by (b, i + 8) : tensor<?x16xf32>)
  // CHECK: arith.constant 0.7615
  func.func @into_concat(%x: !x {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x16xf32> {sinter.name = "y"}) {
    %c = arith.constant 1.0 : f32
    %o = sinter.broadcast %c like(%x) : f32, !x
    %t = math.tanh %o : !x
    %y = tensor.concat dim(1) %x, %t : (!x, !x) -> tensor<?x16xf32>
    return %y : tensor<?x16xf32>
  }
}
