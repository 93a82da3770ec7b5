// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s
// RUN: sinter-opt --sinter-expand-entries --canonicalize --sinter-check-dimensions --sinter-derive-checks %s | FileCheck %s --check-prefix=BOUND

!seq   = tensor<?x?x64xf32>
!state = tensor<?x64xf32>
!len   = tensor<?xi64>

// CHECK-LABEL: func.func @description
func.func @description(%x: !seq {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %n: !len {sinter.name = "n", sinter.dims = ["batch"]})
    -> (!seq {sinter.name = "y", sinter.dims = ["batch", "sequence"]}, !state {sinter.name = "last", sinter.dims = ["batch"]}) {
  // CHECK: sinter.scan each(%[[XT:.*]] = %{{.*}} : tensor<?x?x64xf32>) carry(%[[H:.*]] = zero : tensor<?x64xf32>)
  // CHECK-SAME: lengths(%{{.*}} : tensor<?xi64>) reverse -> (tensor<?x?x64xf32>, tensor<?x64xf32>) {
  %y, %last = sinter.scan each(%xt = %x : !seq) carry(%h = zero : !state) lengths(%n : !len) reverse -> (!seq, !state) {
    // CHECK: arith.addf %[[XT]], %[[H]]
    %s = arith.addf %xt, %h : !state
    %h1 = math.tanh %s : !state
    // CHECK: sinter.yield each(%[[H1:.*]] : tensor<?x64xf32>) carry(%[[H1]] : tensor<?x64xf32>)
    sinter.yield each(%h1 : !state) carry(%h1 : !state)
  }
  return %y, %last : !seq, !state
}

// CHECK-LABEL: func.func @parts
func.func @parts(%x: !seq {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %z: tensor<?x?xf32> {sinter.name = "z", sinter.dims = ["batch", "sequence"]},
    %h0: !state {sinter.name = "h0", sinter.dims = ["batch"]}) -> (!state {sinter.name = "last", sinter.dims = ["batch"]}) {
  // CHECK: sinter.scan each(%{{.*}} = %{{.*}} : tensor<?x?x64xf32>, %{{.*}} = %{{.*}} : tensor<?x?xf32>)
  // CHECK-SAME: carry(%{{.*}} = %{{.*}} : tensor<?x64xf32>, %{{.*}} = zero : tensor<?x64xf32>)
  // CHECK-SAME: -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  %last:2 = sinter.scan each(%xt = %x : !seq, %zt = %z : tensor<?x?xf32>) carry(%h = %h0 : !state, %c = zero : !state)
      -> (!state, !state) {
    // CHECK: sinter.yield carry(%{{.*}}, %{{.*}} : tensor<?x64xf32>, tensor<?x64xf32>)
    sinter.yield carry(%c, %xt : !state, !state)
  }
  // CHECK: sinter.scan each(%{{.*}} = %{{.*}} : tensor<?x?x64xf32>) -> tensor<?x?x64xf32> {
  %y = sinter.scan each(%xt = %x : !seq) -> !seq {
    // CHECK: sinter.yield each(%{{.*}} : tensor<?x64xf32>)
    sinter.yield each(%xt : !state)
  }
  // CHECK: sinter.scan each(%{{.*}} = %{{.*}} : tensor<?x?x64xf32>) {
  sinter.scan each(%xt = %x : !seq) {
    // CHECK: sinter.yield each()
    sinter.yield each()
  }
  return %last#0 : !state
}

// Extents bound by an entry go into the body; lengths that are whole go away.
sinter.entry @one = @description with {batch = 2, sequence = 1, n = 1}
sinter.entry @two = @parts with {batch = 2}

// BOUND-LABEL: func.func @description
// BOUND-SAME: sinter.lengths = "sequence"
// BOUND-LABEL: func.func @one(%{{.*}}: tensor<2x1x64xf32>
// BOUND: sinter.scan each(%{{.*}} = %{{.*}} : tensor<2x1x64xf32>) carry(%{{.*}} = zero : tensor<2x64xf32>) reverse
// BOUND-SAME: -> (tensor<2x1x64xf32>, tensor<2x64xf32>)
// BOUND: arith.addf %{{.*}}, %{{.*}} : tensor<2x64xf32>
// BOUND-LABEL: func.func @two
// BOUND: sinter.scan each(%{{.*}} = %{{.*}} : tensor<2x?x64xf32>, %{{.*}} = %{{.*}} : tensor<2x?xf32>)
// BOUND-SAME: -> (tensor<2x64xf32>, tensor<2x64xf32>)
