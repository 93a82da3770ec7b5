// RUN: sinter-opt %s --convert-sinter-to-fused --fused-pack-weights | FileCheck %s

// A norm of weights is the packer's work, not a kernel.

// CHECK: fused.packed @packed0
// CHECK: fused.weight "w"
// CHECK: fused.normalize
// CHECK: fused.yield
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: fused.normalize
// CHECK: fused.constant @packed0
// CHECK-NOT: fused.normalize
// CHECK-LABEL: func.func @gain
// CHECK: fused.normalize
// CHECK-NOT: fused.map
module attributes {sinter.archive = "a.safetensors"} {
  func.func @softmax(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x9xf32> {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<5x9xf32>
    %s = sinter.softmax %w : tensor<5x9xf32>
    %y = sinter.matmul %x, %s : tensor<?x5xf32>, tensor<5x9xf32>
    return %y : tensor<?x9xf32>
  }

  // So is 1 + gain.
  func.func @gain(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x5xf32> {sinter.name = "y"}) {
    %g = sinter.weight "g" : tensor<5xf32>
    %y = sinter.rms_norm %x, %g unit_offset eps(1.0e-6) : tensor<?x5xf32>, tensor<5xf32>
    return %y : tensor<?x5xf32>
  }
}
