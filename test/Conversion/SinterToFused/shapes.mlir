// RUN: sinter-opt %s --convert-sinter-to-fused=fuse=false | FileCheck %s

// Heads are views.
// CHECK-LABEL: func @heads
// CHECK-NOT: fused.map
// CHECK: tensor.expand_shape
// CHECK: tensor.collapse_shape
func.func @heads(%x: tensor<?x?x32xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
    -> (tensor<?x?x32xf32> {sinter.name = "y"}) {
  %h = sinter.split_heads %x [4] : tensor<?x?x32xf32>
  %y = sinter.merge_heads %h : tensor<?x?x4x8xf32>
  return %y : tensor<?x?x32xf32>
}

// CHECK-LABEL: func @split
// CHECK: fused.map dims(b, i = 3) ins(%arg0 by (b, i) : tensor<?x8xf32>)
// CHECK: fused.map dims(b, i = 5) ins(%arg0 by (b, i + 3) : tensor<?x8xf32>)
func.func @split(%x: tensor<?x8xf32> {sinter.name = "x", sinter.dims = ["batch"]})
    -> (tensor<?x3xf32> {sinter.name = "a"}, tensor<?x5xf32> {sinter.name = "b"}) {
  %a, %b = sinter.split %x [3, 5] : tensor<?x8xf32>
  return %a, %b : tensor<?x3xf32>, tensor<?x5xf32>
}

// CHECK-LABEL: func @concat
// CHECK: %[[A:.*]] = fused.map {{.*}} outs(%{{.*}} by (b, i) : tensor<?x8xf32>)
// CHECK: %[[B:.*]] = fused.map {{.*}} outs(%[[A]] by (b, i + 3) : tensor<?x8xf32>)
// CHECK: return %[[B]]
func.func @concat(%a: tensor<?x3xf32> {sinter.name = "a", sinter.dims = ["batch"]},
    %b: tensor<?x5xf32> {sinter.name = "b", sinter.dims = ["batch"]}) -> (tensor<?x8xf32> {sinter.name = "y"}) {
  %y = tensor.concat dim(1) %a, %b : (tensor<?x3xf32>, tensor<?x5xf32>) -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func @transpose
// CHECK: fused.map dims(b, t, i = 4) ins(%arg0 by (i, b, t)
func.func @transpose(%x: tensor<4x?x?xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
    -> (tensor<?x?x4xf32> {sinter.name = "y"}) {
  %y = sinter.transpose %x [1, 2, 0] : tensor<4x?x?xf32>
  return %y : tensor<?x?x4xf32>
}

// CHECK-LABEL: func @broadcast
// CHECK: ins(%arg1 by (0, i) : tensor<1x8xf32>)
func.func @broadcast(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %v: tensor<1x8xf32> {sinter.name = "v"}) -> (tensor<?x?x8xf32> {sinter.name = "y"}) {
  %y = sinter.broadcast %v like(%x) : tensor<1x8xf32>, tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// Length 0 leaves the row unwritten.
// CHECK-LABEL: func @last
// CHECK: fused.map dims(b, t = 1, i) symbols(n = %arg1 by (b) : tensor<?xi64>) ins(%arg0 by (b, n - 1, i)
// CHECK-SAME: rows(%arg1 by (b) of t : tensor<?xi64>) outs(%{{.*}} by (b, i) : tensor<?x8xf32>)
func.func @last(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]}) -> (tensor<?x8xf32> {sinter.name = "y"}) {
  %y = sinter.last %x lengths(%n : tensor<?xi64>) : tensor<?x?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func @take
// CHECK: fused.read %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}} : index, i64, index]
func.func @take(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]}) -> (tensor<?x8xf32> {sinter.name = "y"}) {
  %y = sinter.take %x at(%n : tensor<?xi64>) : tensor<?x?x8xf32>
  return %y : tensor<?x8xf32>
}

// CHECK-LABEL: func @splat
// CHECK: %[[B:.*]] = fused.dim "batch"
// CHECK: tensor.empty(%[[B]]) : tensor<?xi64>
// CHECK: fused.map dims(i) outs(
// CHECK: arith.constant 1 : i64
func.func @splat(%x: tensor<?x8xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?xi64> {sinter.name = "y"}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i64
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %y = tensor.splat %c1[%n] : tensor<?xi64>
  return %y : tensor<?xi64>
}
