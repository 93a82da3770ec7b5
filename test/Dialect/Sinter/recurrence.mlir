// RUN: sinter-opt %s | sinter-opt | FileCheck %s

!x = tensor<?x?x64xf32>
!xt = tensor<?x64xf32>
!h = tensor<?x32xf32>
!n = tensor<?xi64>
!b1 = tensor<32xf32>
!w1 = tensor<32x64xf32>
!r1 = tensor<32x32xf32>
!b3 = tensor<96xf32>
!w3 = tensor<96x64xf32>
!r3 = tensor<96x32xf32>
!b4 = tensor<128xf32>
!w4 = tensor<128x64xf32>
!r4 = tensor<128x32xf32>
!wt = tensor<64x96xf32>
!rt = tensor<32x96xf32>

// The examples of the documentation.
// CHECK-LABEL: @documentation_rnn
func.func @documentation_rnn(%x: !x, %w: !w1, %r: !r1, %bi: !b1, %bh: !b1) {
  // CHECK: sinter.rnn %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} activations(leaky_relu(1.000000e-01)) reverse : tensor<?x?x64xf32>
  %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(leaky_relu(0.1)) reverse
      : tensor<?x?x64xf32>, tensor<32x64xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>
  return
}

// CHECK-LABEL: @documentation_rnn_cell
func.func @documentation_rnn_cell(%x: !xt, %h: !h, %w: !w1, %r: !r1) {
  // CHECK: sinter.rnn_cell %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} activations(relu) : tensor<?x64xf32>
  %h1 = sinter.rnn_cell %x, %h, %w, %r activations(relu)
      : tensor<?x64xf32>, tensor<?x32xf32>, tensor<32x64xf32>, tensor<32x32xf32>
  return
}

// CHECK-LABEL: @documentation_gru
func.func @documentation_gru(%x: !x, %n: !n, %w: !w3, %r: !r3, %bi: !b3, %bh: !b3) {
  // CHECK: sinter.gru %{{.*}} reset(after) lengths(%{{.*}} : tensor<?xi64>) : tensor<?x?x64xf32>
  %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("rzn") reset(after) lengths(%n : tensor<?xi64>)
      : tensor<?x?x64xf32>, tensor<96x64xf32>, tensor<96x32xf32>, tensor<96xf32>, tensor<96xf32>
  return
}

// CHECK-LABEL: @documentation_gru_cell
func.func @documentation_gru_cell(%x: !xt, %h: !h, %w: !w3, %r: !r3) {
  // CHECK: sinter.gru_cell %{{.*}} gates("zrn") reset(before) : tensor<?x64xf32>
  %h1 = sinter.gru_cell %x, %h, %w, %r gates("zrn") reset(before)
      : tensor<?x64xf32>, tensor<?x32xf32>, tensor<96x64xf32>, tensor<96x32xf32>
  return
}

// CHECK-LABEL: @documentation_lstm
func.func @documentation_lstm(%x: !x, %n: !n, %w: !w4, %r: !r4, %bi: !b4, %bh: !b4) {
  // CHECK: sinter.lstm %{{.*}} reverse lengths(%{{.*}} : tensor<?xi64>) : tensor<?x?x64xf32>
  %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh reverse lengths(%n : tensor<?xi64>)
      : tensor<?x?x64xf32>, tensor<128x64xf32>, tensor<128x32xf32>, tensor<128xf32>, tensor<128xf32>
  return
}

// CHECK-LABEL: @documentation_lstm_cell
func.func @documentation_lstm_cell(%x: !xt, %h: !h, %c: !h, %w: !w4, %r: !r4) {
  // CHECK: sinter.lstm_cell %{{.*}} gates("iofg") : tensor<?x64xf32>
  %h1, %c1 = sinter.lstm_cell %x, %h, %c, %w, %r gates("iofg")
      : tensor<?x64xf32>, tensor<?x32xf32>, tensor<?x32xf32>, tensor<128x64xf32>, tensor<128x32xf32>
  return
}

// Parameters that are left out are written with their defaults.
// CHECK-LABEL: @clauses
func.func @clauses(%x: !x, %h: !h, %n: !n, %w: !w4, %r: !r4, %p: tensor<96xf32>) {
  // CHECK: sinter.lstm
  // CHECK-SAME: peephole(%{{.*}} : tensor<96xf32>) coupled activations(hard_sigmoid(2.000000e-01, 5.000000e-01), affine(2.000000e+00, 0.000000e+00), softplus)
  // CHECK-SAME: clip(3.000000e+00) time_major init(%{{.*}}, %{{.*}} : tensor<?x32xf32>, tensor<?x32xf32>)
  // CHECK-SAME: : tensor<?x?x64xf32>
  %y, %h1, %c1 = sinter.lstm %x, %w, %r time_major init(%h, %h : !h, !h) lengths(%n : !n) clip(3.0) coupled
      peephole(%p : tensor<96xf32>) activations(hard_sigmoid, affine(2.0), softplus) : !x, !w4, !r4
  return
}

// y has the layout of x.
// CHECK-LABEL: @time_major
func.func @time_major(%x: tensor<7x3x64xf32>, %w: !wt, %r: !rt) -> tensor<7x3x32xf32> {
  // CHECK: sinter.gru %{{.*}} reset(before) in_out time_major : tensor<7x3x64xf32>, tensor<64x96xf32>, tensor<32x96xf32>
  %y, %h = sinter.gru %x, %w, %r reset(before) in_out time_major : tensor<7x3x64xf32>, !wt, !rt
  return %y : tensor<7x3x32xf32>
}
