// RUN: sinter-opt --sinter-expand-recurrence --split-input-file %s | FileCheck %s

// The example of the pass's documentation.
!x = tensor<?x?x5xf32>
!w = tensor<6x5xf32>
!r = tensor<6x6xf32>

// CHECK-LABEL: func.func @rnn
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?x5xf32>, %[[W:[^:]*]]: tensor<6x5xf32>, %[[R:[^:]*]]: tensor<6x6xf32>
func.func @rnn(%x: !x, %w: !w, %r: !r) -> (tensor<?x?x6xf32>, tensor<?x6xf32>) {
  // CHECK: %[[Y:.*]]:2 = sinter.scan each(%[[XT:.*]] = %[[X]] : tensor<?x?x5xf32>) carry(%[[S:.*]] = zero : tensor<?x6xf32>)
  // CHECK: %[[A:.*]] = sinter.linear %[[XT]], %[[W]] : tensor<?x5xf32>, tensor<6x5xf32>
  // CHECK: %[[B:.*]] = sinter.linear %[[S]], %[[R]] : tensor<?x6xf32>, tensor<6x6xf32>
  // CHECK: %[[Z:.*]] = arith.addf %[[A]], %[[B]] : tensor<?x6xf32>
  // CHECK: %[[S1:.*]] = math.tanh %[[Z]] : tensor<?x6xf32>
  // CHECK: sinter.yield each(%[[S1]] : tensor<?x6xf32>) carry(%[[S1]] : tensor<?x6xf32>)
  // CHECK: return %[[Y]]#0, %[[Y]]#1
  %y, %h = sinter.rnn %x, %w, %r : !x, !w, !r
  return %y, %h : tensor<?x?x6xf32>, tensor<?x6xf32>
}

// -----

!x = tensor<?x?x5xf32>
!h = tensor<?x6xf32>

// Biases of which only the sum counts are added once; a bias inside of the reset gate's product stays where it is.
// CHECK-LABEL: func.func @before
// CHECK-SAME: %[[BI:[^:]*]]: tensor<18xf32>, %[[BH:[^:]*]]: tensor<18xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[BI]], %[[BH]] : tensor<18xf32>
// CHECK: sinter.scan
// CHECK: sinter.linear %{{.*}}, %{{.*}}, %[[SUM]] :
// CHECK: sinter.linear %{{.*}}, %{{.*}} : tensor<?x6xf32>, tensor<18x6xf32>
// CHECK: %[[RH:.*]] = arith.mulf
// CHECK: sinter.linear %[[RH]], %{{.*}} : tensor<?x6xf32>, tensor<18x6xf32>
func.func @before(%x: !x, %w: tensor<18x5xf32>, %r: tensor<18x6xf32>, %bi: tensor<18xf32>, %bh: tensor<18xf32>) -> !h {
  %y, %h = sinter.gru %x, %w, %r, %bi, %bh reset(before)
      : !x, tensor<18x5xf32>, tensor<18x6xf32>, tensor<18xf32>, tensor<18xf32>
  return %h : !h
}

// CHECK-LABEL: func.func @after
// CHECK-SAME: %[[BI:[^:]*]]: tensor<18xf32>, %[[BH:[^:]*]]: tensor<18xf32>
// CHECK: sinter.scan
// CHECK: sinter.linear %{{.*}}, %{{.*}}, %[[BI]] :
// CHECK: %[[Q:.*]] = sinter.linear %{{.*}}, %{{.*}}, %[[BH]] :
// CHECK: %[[P:.*]]:3 = sinter.split %[[Q]] [6, 6, 6]
// CHECK: arith.mulf %{{.*}}, %[[P]]#2
func.func @after(%x: !x, %w: tensor<18x5xf32>, %r: tensor<18x6xf32>, %bi: tensor<18xf32>, %bh: tensor<18xf32>) -> !h {
  %y, %h = sinter.gru %x, %w, %r, %bi, %bh reset(after)
      : !x, tensor<18x5xf32>, tensor<18x6xf32>, tensor<18xf32>, tensor<18xf32>
  return %h : !h
}

// -----

// With time first the scan stands between transposes; an operand that does not know the batch is cast to what others know.
// CHECK-LABEL: func.func @time_major
// CHECK: %[[X:.*]] = sinter.transpose %{{.*}} [1, 0, 2] : tensor<7x?x5xf32>
// CHECK: %[[CAST:.*]] = tensor.cast %[[X]] : tensor<?x7x5xf32> to tensor<3x7x5xf32>
// CHECK: %[[S:.*]]:2 = sinter.scan each(%{{.*}} = %[[CAST]] : tensor<3x7x5xf32>) carry(%{{.*}} = %{{.*}} : tensor<3x6xf32>)
// CHECK: %[[Y:.*]] = sinter.transpose %[[S]]#0 [1, 0, 2] : tensor<3x7x6xf32>
// CHECK: return %[[Y]] : tensor<7x3x6xf32>
func.func @time_major(%x: tensor<7x?x5xf32>, %w: tensor<6x5xf32>, %r: tensor<6x6xf32>, %h0: tensor<3x6xf32>) -> tensor<7x3x6xf32> {
  %y, %h = sinter.rnn %x, %w, %r time_major init(%h0 : tensor<3x6xf32>)
      : tensor<7x?x5xf32>, tensor<6x5xf32>, tensor<6x6xf32>
  return %y : tensor<7x3x6xf32>
}

// -----

// A cell is a scan over one element.
// CHECK-LABEL: func.func @cell
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{.*}} : tensor<?x5xf32> into tensor<?x1x5xf32>
// CHECK: %[[S:.*]]:2 = sinter.scan each(%{{.*}} = %[[X]] : tensor<?x1x5xf32>)
// CHECK-SAME: carry(%{{.*}} = %{{.*}} : tensor<?x6xf32>, %{{.*}} = %{{.*}} : tensor<?x6xf32>) -> (tensor<?x6xf32>, tensor<?x6xf32>)
// CHECK: return %[[S]]#0, %[[S]]#1
func.func @cell(%x: tensor<?x5xf32>, %h: tensor<?x6xf32>, %c: tensor<?x6xf32>, %w: tensor<24x5xf32>, %r: tensor<24x6xf32>)
    -> (tensor<?x6xf32>, tensor<?x6xf32>) {
  %h1, %c1 = sinter.lstm_cell %x, %h, %c, %w, %r
      : tensor<?x5xf32>, tensor<?x6xf32>, tensor<?x6xf32>, tensor<24x5xf32>, tensor<24x6xf32>
  return %h1, %c1 : tensor<?x6xf32>, tensor<?x6xf32>
}

// -----

// In a scan it is a part of the step.
// CHECK-LABEL: func.func @cell_in_scan
// CHECK: sinter.scan
// CHECK-NOT: sinter.scan
// CHECK: sinter.relu
func.func @cell_in_scan(%x: tensor<?x?x5xf32>, %w: tensor<6x5xf32>, %r: tensor<6x6xf32>) -> tensor<?x6xf32> {
  %last = sinter.scan each(%xt = %x : tensor<?x?x5xf32>) carry(%h = zero : tensor<?x6xf32>) -> (tensor<?x6xf32>) {
    %h1 = sinter.rnn_cell %xt, %h, %w, %r activations(relu)
        : tensor<?x5xf32>, tensor<?x6xf32>, tensor<6x5xf32>, tensor<6x6xf32>
    sinter.yield carry(%h1 : tensor<?x6xf32>)
  }
  return %last : tensor<?x6xf32>
}

// -----

// The peepholes are those of i, f and o in the order of the gates; o sees the new cell. A clip is of gates alone.
// CHECK-LABEL: func.func @peephole
// CHECK: sinter.scan {{.*}}carry(%{{.*}} = zero : tensor<?x6xf32>, %[[C:.*]] = zero : tensor<?x6xf32>)
// CHECK: %[[P:.*]]:3 = sinter.split %{{.*}} [6, 6, 6] : tensor<18xf32>
// CHECK: %[[PI:.*]] = sinter.broadcast %[[P]]#0 like(%[[C]])
// CHECK: arith.mulf %[[PI]], %[[C]]
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: %[[PF:.*]] = sinter.broadcast %[[P]]#2 like(%[[C]])
// CHECK: arith.mulf %[[PF]], %[[C]]
// CHECK: %[[KEPT:.*]] = arith.mulf %{{.*}}, %[[C]]
// CHECK: %[[C1:.*]] = arith.addf %[[KEPT]],
// CHECK: %[[PO:.*]] = sinter.broadcast %[[P]]#1 like(%[[C1]])
// CHECK: arith.mulf %[[PO]], %[[C1]]
// CHECK: math.tanh %[[C1]]
func.func @peephole(%x: tensor<?x?x5xf32>, %w: tensor<24x5xf32>, %r: tensor<24x6xf32>, %p: tensor<18xf32>) -> tensor<?x6xf32> {
  %y, %h, %c = sinter.lstm %x, %w, %r gates("iofg") peephole(%p : tensor<18xf32>) clip(2.0)
      : tensor<?x?x5xf32>, tensor<24x5xf32>, tensor<24x6xf32>
  return %h : tensor<?x6xf32>
}
