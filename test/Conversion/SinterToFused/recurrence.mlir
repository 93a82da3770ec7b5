// RUN: sinter-opt %s --sinter-expand-recurrence --convert-sinter-to-fused | FileCheck %s

module attributes {sinter.archive = "w.safetensors"} {
  // One phase; the gates are a stack of the stored weights' rows.
  // CHECK: #[[STACK:.*]] = #fused.layout<(d0, d1, d2) -> (d2 floordiv 16, d1, d0, d2 mod 16)>
  // CHECK-LABEL: func @lstm
  // CHECK: %[[W:.*]] = fused.map dims(g = 4, k = 5, n = 6) ins(%{{.*}} by (n + 6 * g, k) : tensor<24x5xf32>)
  // CHECK-SAME: outs(%{{.*}} by (g, k, n) : tensor<4x5x6xf32, #[[STACK]]>)
  // CHECK: %[[Y:.*]]:3 = fused.recurrence dims(b, t, u, k) lengths(%arg1 by (b) : tensor<?xi64>)
  // CHECK-SAME: project(%arg0 by (b, t, k) : tensor<?x?x5xf32>) weights(%[[W]] : tensor<4x5x6xf32, #[[STACK]]>)
  // CHECK-SAME: state(%{{.*}} by (b, u), %{{.*}} by (b, u) :
  // CHECK: fused.phase products(%{{.*}} * %{{.*}} : tensor<4x6x6xf32, #[[STACK]]>)
  // CHECK-SAME: captures(%{{.*}} by (u
  // CHECK: fused.sigmoid
  // CHECK: math.tanh
  // CHECK-NOT: fused.phase
  // CHECK: fused.step
  // CHECK-NOT: fused.recurrence
  // CHECK: return %[[Y]]#0, %[[Y]]#1
  func.func @lstm(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}, tensor<?x6xf32> {sinter.name = "h"}) {
    %w, %r, %b = sinter.weight "w", "r", "b" : tensor<24x5xf32>, tensor<24x6xf32>, tensor<24xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %b gates("fiog") lengths(%n : tensor<?xi64>)
        : tensor<?x?x5xf32>, tensor<24x5xf32>, tensor<24x6xf32>, tensor<24xf32>
    return %y, %h : tensor<?x?x6xf32>, tensor<?x6xf32>
  }

  // CHECK-LABEL: func @reverse
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
  // CHECK: %[[Y:.*]]:2 = fused.recurrence
  // CHECK-SAME: state(%arg1 by (b, u), %arg2 by (b, u)
  // CHECK: return %[[Y]]#0, %[[Y]]#1
  func.func @cell(%x: tensor<?x5xf32> {sinter.name = "x", sinter.dims = ["batch"]},
      %h: tensor<?x6xf32> {sinter.name = "h", sinter.dims = ["batch"]}, %c: tensor<?x6xf32> {sinter.name = "c", sinter.dims = ["batch"]})
      -> (tensor<?x6xf32> {sinter.name = "h1"}, tensor<?x6xf32> {sinter.name = "c1"}) {
    %w, %r = sinter.weight "w", "r" : tensor<24x5xf32>, tensor<24x6xf32>
    %h1, %c1 = sinter.lstm_cell %x, %h, %c, %w, %r
        : tensor<?x5xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<24x5xf32>, tensor<24x6xf32>
    return %h1, %c1 : tensor<?x6xf32>, tensor<?x6xf32>
  }

  // Every activation is code of the phase.
  // CHECK-LABEL: func @rnn
  // CHECK: fused.recurrence
  // CHECK: fused.phase
  // CHECK: math.exp
  // CHECK: math.log1p
  // CHECK-NOT: fused.phase
  // CHECK-NOT: fused.recurrence
  // CHECK: return
  func.func @rnn(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "w1", "r1" : tensor<6x5xf32>, tensor<6x6xf32>
    %y, %h = sinter.rnn %x, %w, %r activations(softplus) clip(3.0) : tensor<?x?x5xf32>, tensor<6x5xf32>, tensor<6x6xf32>
    return %y : tensor<?x?x6xf32>
  }

  // Reset after the matrix: one phase. Reset before it: the second needs what the first makes.
  // CHECK-LABEL: func @reset_after
  // CHECK: fused.recurrence
  // CHECK: fused.phase products(%{{.*}} * %{{.*}} : tensor<3x6x6xf32,
  // CHECK-NOT: fused.phase
  // CHECK-NOT: fused.recurrence
  // CHECK: return
  func.func @reset_after(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "w3", "r3" : tensor<18x5xf32>, tensor<18x6xf32>
    %y, %h = sinter.gru %x, %w, %r reset(after) : tensor<?x?x5xf32>, tensor<18x5xf32>, tensor<18x6xf32>
    return %y : tensor<?x?x6xf32>
  }

  // CHECK-LABEL: func @reset_before
  // CHECK: fused.recurrence
  // CHECK: %[[P:.*]]:2 = fused.phase products(%{{.*}} * %{{.*}} : tensor<2x6x6xf32,
  // CHECK: fused.phase products(%[[P]]#{{[01]}} * %{{.*}} : tensor<6x6xf32,
  // CHECK-NOT: fused.phase
  // CHECK-NOT: fused.recurrence
  // CHECK: return
  func.func @reset_before(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "w3", "r3" : tensor<18x5xf32>, tensor<18x6xf32>
    %y, %h = sinter.gru %x, %w, %r reset(before) : tensor<?x?x5xf32>, tensor<18x5xf32>, tensor<18x6xf32>
    return %y : tensor<?x?x6xf32>
  }

  // Time first is another order of indices, not a copy.
  // CHECK-LABEL: func @time_major
  // CHECK: fused.recurrence dims(b, t, u, k) project(%arg0 by (t, b, k) :
  // CHECK-SAME: outs(%{{.*}} by (t, b, u), %{{.*}} by (b, u) :
  func.func @time_major(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]})
      -> (tensor<?x?x6xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "w3", "r3" : tensor<18x5xf32>, tensor<18x6xf32>
    %y, %h = sinter.gru %x, %w, %r reset(after) time_major : tensor<?x?x5xf32>, tensor<18x5xf32>, tensor<18x6xf32>
    return %y : tensor<?x?x6xf32>
  }

  // Both directions store their halves of the sequence and of the last states; nothing is copied.
  // CHECK-LABEL: func @bidirectional
  // CHECK: %[[F:.*]]:2 = fused.recurrence
  // CHECK: %[[G:.*]]:2 = fused.recurrence {{.*}} outs(%[[F]]#0 by (b, t, u + 6), %[[F]]#1 by (b, u + 6) : tensor<?x?x12xf32>, tensor<?x12xf32>)
  // CHECK-NOT: fused.map
  // CHECK: return %[[G]]#0, %[[G]]#1
  func.func @bidirectional(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x12xf32> {sinter.name = "y"}, tensor<?x12xf32> {sinter.name = "h"}) {
    %w, %r, %w2, %r2 = sinter.weight "w1", "r1", "w2", "r2" : tensor<6x5xf32>, tensor<6x6xf32>, tensor<6x5xf32>, tensor<6x6xf32>
    %f, %fh = sinter.rnn %x, %w, %r : tensor<?x?x5xf32>, tensor<6x5xf32>, tensor<6x6xf32>
    %g, %gh = sinter.rnn %x, %w2, %r2 reverse : tensor<?x?x5xf32>, tensor<6x5xf32>, tensor<6x6xf32>
    %y = tensor.concat dim(2) %f, %g : (tensor<?x?x6xf32>, tensor<?x?x6xf32>) -> tensor<?x?x12xf32>
    %h = tensor.concat dim(1) %fh, %gh : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x12xf32>
    return %y, %h : tensor<?x?x12xf32>, tensor<?x12xf32>
  }
}
