// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

module attributes {sinter.archive = "w.safetensors"} {
  // One phase; the gates are a stack, filled from rows of the stored weights, taken in their order there: here f, i, o, g.
  // CHECK: #[[STACK:.*]] = #fused.layout<(d0, d1, d2) -> (d2 floordiv 16, d1, d0, d2 mod 16)>
  // CHECK-LABEL: func @lstm
  // CHECK: %[[BI:.*]] = fused.map dims(i = 6) ins(%{{.*}} by (i + 6) : tensor<24xf32>)
  // CHECK: %[[W0:.*]] = fused.map dims(g = 1, k = 5, n = 6) ins(%[[W:.*]] by (n + 6, k) : tensor<24x5xf32>)
  // CHECK-SAME: outs(%{{.*}} by (g, k, n) : tensor<4x5x6xf32, #[[STACK]]>)
  // CHECK: %[[W1:.*]] = fused.map dims(g = 2, k = 5, n = 6) ins(%[[W]] by (n + 18 * g, k) : tensor<24x5xf32>)
  // CHECK-SAME: outs(%[[W0]] by (g + 1, k, n) :
  // CHECK: %[[W2:.*]] = fused.map dims(g = 1, k = 5, n = 6) ins(%[[W]] by (n + 12, k) : tensor<24x5xf32>)
  // CHECK-SAME: outs(%[[W1]] by (g + 3, k, n) :
  // CHECK: %[[Y:.*]]:3 = fused.recurrence dims(b, t, u, k) lengths(%arg1 by (b) : tensor<?xi64>)
  // CHECK-SAME: project(%arg0 by (b, t, k) : tensor<?x?x5xf32>) weights(%[[W2]] : tensor<4x5x6xf32, #[[STACK]]>)
  // CHECK-SAME: state(%{{.*}} by (b, u), %{{.*}} by (b, u) :
  // CHECK: fused.phase products(%{{.*}} * %{{.*}} : tensor<4x6x6xf32, #[[STACK]]>)
  // CHECK-SAME: captures(%[[BI]] by (u)
  // CHECK: fused.sigmoid
  // CHECK: math.tanh
  // CHECK-NOT: fused.phase
  // CHECK: fused.step
  // CHECK: return %[[Y]]#0, %[[Y]]#1
  func.func @lstm(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}, tensor<?x6xf32> {sinter.name = "h"}) {
    %w, %r, %b = sinter.weight "w", "r", "b" : tensor<24x5xf32>, tensor<24x6xf32>, tensor<24xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %b gates("fiog") lengths(%n : tensor<?xi64>)
        : tensor<?x?x5xf32>, tensor<24x5xf32>, tensor<24x6xf32>, tensor<24xf32>
    return %y, %h : tensor<?x?x6xf32>, tensor<?x6xf32>
  }

  // Gates in the order of the weights take one map.
  // CHECK-LABEL: func @reverse
  // CHECK: fused.map dims(g = 4, k = 5, n = 6) ins(%{{.*}} by (n + 6 * g, k) : tensor<24x5xf32>)
  // CHECK-SAME: outs(%{{.*}} by (g, k, n) :
  // CHECK: fused.recurrence
  // CHECK-SAME: reverse
  func.func @reverse(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "w", "r" : tensor<24x5xf32>, tensor<24x6xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r reverse : tensor<?x?x5xf32>, tensor<24x5xf32>, tensor<24x6xf32>
    return %y : tensor<?x?x6xf32>
  }

  // A cell is the layer at T = 1.
  // CHECK-LABEL: func @cell
  // CHECK: tensor.expand_shape %arg0 {{.*}} : tensor<?x5xf32> into tensor<?x1x5xf32>
  // CHECK: %[[Y:.*]]:3 = fused.recurrence
  // CHECK-SAME: state(%arg1 by (b, u), %arg2 by (b, u)
  // CHECK: return %[[Y]]#1, %[[Y]]#2
  func.func @cell(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]},
      %h: tensor<?x6xf32> {sinter.name = "h", sinter.dims = ["batch"]}, %c: tensor<?x6xf32> {sinter.name = "c", sinter.dims = ["batch"]})
      -> (tensor<?x6xf32> {sinter.name = "h1"}, tensor<?x6xf32> {sinter.name = "c1"}) {
    %w, %r = sinter.weight "w", "r" : tensor<24x5xf32>, tensor<24x6xf32>
    %h1, %c1 = sinter.lstm_cell %x, %h, %c, %w, %r
        : tensor<?x5xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<24x5xf32>, tensor<24x6xf32>
    return %h1, %c1 : tensor<?x6xf32>, tensor<?x6xf32>
  }
}
