// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

// Of the positions of a prompt only the last is projected: sinter.last moves up to the first operation that mixes positions.
// CHECK-LABEL: func @last
// CHECK: %[[L:.*]] = fused.map {{.*}} ins(%arg0 by (b, n - 1, i)
// CHECK: fused.normalize dims(b, j) ins(%[[L]] by (b, j)
// CHECK: fused.contract dims(b, n, k)
// CHECK-SAME: outs(%{{.*}} : tensor<?x8xf32>)
// CHECK: captures(%[[L]] by (b, n)
module attributes {sinter.archive = "w.safetensors"} {
  func.func @last(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]}) -> (tensor<?x8xf32> {sinter.name = "y"}) {
    %g, %w = sinter.weight "g", "w" : tensor<8xf32>, tensor<8x8xf32>
    %a = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?x8xf32>, tensor<8xf32>
    %b = sinter.linear %a, %w : tensor<?x?x8xf32>, tensor<8x8xf32>
    %c = arith.addf %x, %b : tensor<?x?x8xf32>
    %y = sinter.last %c lengths(%n : tensor<?xi64>) : tensor<?x?x8xf32>
    return %y : tensor<?x8xf32>
  }
}
