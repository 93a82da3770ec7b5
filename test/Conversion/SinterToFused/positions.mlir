// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

// Angles are computed in double, once for all that rotate by the same positions.
// CHECK-LABEL: func @rope
// CHECK: %[[F:.*]] = arith.constant dense<[1.000000e+00, 1.000000e-01, 1.000000e-02, 1.000000e-03]> : tensor<4xf64>
// CHECK: %[[A:.*]]:2 = fused.map dims(b, t, i) ins(%arg2 by (b, t), %[[F]] by (i) :
// CHECK: math.cos %{{.*}} : f64
// CHECK: fused.map dims(b, t, h, i = 4) ins(%arg0 by (b, t, h, 2 * i), %arg0 by (b, t, h, 2 * i + 1), %[[A]]#0 by (b, t, i), %[[A]]#1 by (b, t, i)
// CHECK: fused.map dims(b, t, h, i = 4) ins(%arg1 by (b, t, h, i), %arg1 by (b, t, h, i + 4), %[[A]]#0 by (b, t, i), %[[A]]#1 by (b, t, i)
func.func @rope(%x: tensor<?x?x2x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %y: tensor<?x?x2x8xf32> {sinter.name = "y", sinter.dims = ["batch", "sequence"]},
    %p: tensor<?x?xi64> {sinter.name = "p", sinter.dims = ["batch", "sequence"]})
    -> (tensor<?x?x2x8xf32> {sinter.name = "u"}, tensor<?x?x2x8xf32> {sinter.name = "v"}) {
  %u = sinter.rope %x, %p interleaved : tensor<?x?x2x8xf32>, tensor<?x?xi64>
  %v = sinter.rope %y, %p : tensor<?x?x2x8xf32>, tensor<?x?xi64>
  return %u, %v : tensor<?x?x2x8xf32>, tensor<?x?x2x8xf32>
}

// CHECK-LABEL: func @sinusoidal
// CHECK: outs(%{{.*}} by (b, t, 2 * i), %{{.*}} by (b, t, 2 * i + 1)
// CHECK: math.sin
func.func @sinusoidal(%p: tensor<?x?xi64> {sinter.name = "p", sinter.dims = ["batch", "sequence"]})
    -> (tensor<?x?x8xf32> {sinter.name = "y"}) {
  %y = sinter.sinusoidal_positions %p : tensor<?x?xi64> -> tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// Embedding rows are read at clamped indices; what is added to them is added in the same map.
// CHECK-LABEL: func @embedding
// CHECK: fused.map dims(b, t, i{{.*}}) ins(
// CHECK: fused.read
// CHECK: fused.read
// CHECK: arith.addf
// CHECK-NOT: fused.map
func.func @embedding(%ids: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]},
    %t: tensor<16x8xf32> {sinter.name = "t"}, %u: tensor<32x8xf32> {sinter.name = "u"})
    -> (tensor<?x?x8xf32> {sinter.name = "y"}) {
  %at = sinter.positions %ids : tensor<?x?xi32>
  %e = sinter.embedding %ids, %t : tensor<?x?xi32>, tensor<16x8xf32>
  %p = sinter.embedding %at, %u : tensor<?x?xi64>, tensor<32x8xf32>
  %y = arith.addf %e, %p : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

// Columns behind those that turn are copied beside them.
// CHECK-LABEL: func @partial
// CHECK: %[[R:.*]] = fused.map dims(b, t, h, i = 2) ins(%arg0 by (b, t, h, i), %arg0 by (b, t, h, i + 2),
// CHECK: fused.map dims(b, t, h, i = 4) ins(%arg0 by (b, t, h, i + 4) : {{.*}}) outs(%[[R]] by (b, t, h, i + 4)
func.func @partial(%x: tensor<?x?x2x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %p: tensor<?x?xi64> {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
  %y = sinter.rope %x, %p rotary(4) scaling<linear, factor = 2.0> : tensor<?x?x2x8xf32>, tensor<?x?xi64>
  return %y : tensor<?x?x2x8xf32>
}

// A row's length is a reduction over its positions; layers share it and the tables.
// CHECK-LABEL: func @longrope
// CHECK: %[[L:.*]] = fused.normalize dims(b, j) ins(%arg1 by (b, j) :
// CHECK: reduce max
// CHECK: fused.map dims(b, t, i) ins(%arg1 by (b, t), %{{.*}} by (i), %[[L]] by (b), %{{.*}} by (i) :
// CHECK: arith.cmpf ogt, %{{.*}}, %{{.*}} : f64
// CHECK: math.cos
// CHECK-NOT: math.cos
func.func @longrope(%x: tensor<?x?x2x4xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %p: tensor<?x?xi64> {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x4xf32> {sinter.name = "y"}) {
  %a = sinter.rope %x, %p scaling<longrope, original_length = 8, short_factor = [1.0, 1.5], long_factor = [2.0, 9.0], factor = 4.0>
      : tensor<?x?x2x4xf32>, tensor<?x?xi64>
  %y = sinter.rope %a, %p scaling<longrope, original_length = 8, short_factor = [1.0, 1.5], long_factor = [2.0, 9.0], factor = 4.0>
      : tensor<?x?x2x4xf32>, tensor<?x?xi64>
  return %y : tensor<?x?x2x4xf32>
}
