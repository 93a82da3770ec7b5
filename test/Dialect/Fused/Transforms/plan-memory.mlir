// RUN: sinter-opt %s --fused-plan-memory --split-input-file --verify-diagnostics | FileCheck %s
// RUN: sinter-opt %s --fused-plan-memory --fused-outline-kernels --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s --check-prefix=KERNEL

// Four values in a chain: the last is the output, the others share two slots; equal kernels are one.

!t = tensor<?x?x8xf32>

// CHECK: #[[BYTES:.*]] = affine_map<()[s0, s1] -> ((s0 * s1) * 32)>
// CHECK-LABEL: func.func @chain
// CHECK-SAME: memref<?x?x8xf32> {sinter.dims = ["batch", "sequence"]}
// CHECK-SAME: %[[OUT:.*]]: memref<?x?x8xf32> {fused.extents = affine_map<()[s0, s1] -> (s0, s1, 8)>, sinter.name = "y"}
// CHECK-SAME: fused.dims = ["batch", "sequence"]
// CHECK-SAME: fused.slots = [#[[BYTES]], #[[BYTES]]]
// CHECK: fused.slot 0
// CHECK: fused.slot 1
// CHECK: fused.slot 0
// CHECK: outs(%[[OUT]]

// KERNEL-LABEL: func.func @chain
// KERNEL-COUNT-4: fused.launch @map_0
// KERNEL: fused.kernel @map_0
// KERNEL-NOT: fused.kernel
func.func @chain(%x: !t {sinter.dims = ["batch", "sequence"]}) -> (!t {sinter.name = "y"}) {
  %b = fused.dim "batch"
  %s = fused.dim "sequence"
  %e0 = tensor.empty(%b, %s) : !t
  %0 = fused.map dims(i, j, k) ins(%x by (i, j, k) : !t) outs(%e0 by (i, j, k) : !t) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    fused.yield %n : f32
  }
  %1 = fused.map dims(i, j, k) ins(%0 by (i, j, k) : !t) outs(%e0 by (i, j, k) : !t) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    fused.yield %n : f32
  }
  %2 = fused.map dims(i, j, k) ins(%1 by (i, j, k) : !t) outs(%e0 by (i, j, k) : !t) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    fused.yield %n : f32
  }
  %3 = fused.map dims(i, j, k) ins(%2 by (i, j, k) : !t) outs(%e0 by (i, j, k) : !t) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    fused.yield %n : f32
  }
  return %3 : !t
}

// -----

// A returned argument is copied; a view of a slot shares it.

!t = tensor<?x8xf32>
!v = tensor<?x2x4xf32>

// KERNEL-LABEL: func.func @views
// CHECK-LABEL: func.func @views
// CHECK: %[[SLOT:.*]] = fused.slot 0
// CHECK: %[[VIEW:.*]] = fused.view %[[SLOT]]
// CHECK: fused.map dims(i0, i1)
func.func @views(%x: !t {sinter.dims = ["batch"]}) -> (!t, !v) {
  %b = fused.dim "batch"
  %e = tensor.empty(%b) : !t
  %0 = fused.map dims(i, j) ins(%x by (i, j) : !t) outs(%e by (i, j) : !t) {
  ^bb0(%v: f32):
    %n = arith.negf %v : f32
    fused.yield %n : f32
  }
  %1 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [%b, 2, 4] : !t into !v
  %e1 = tensor.empty(%b) : !v
  %2 = fused.map dims(i, j, k) ins(%1 by (i, j, k) : !v) outs(%e1 by (i, j, k) : !v) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  return %x, %2 : !t, !v
}

// -----

// An update of a state happens in place.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!keys = tensor<?x4x?x8xf32, #keys>
!new = tensor<?x?x4x8xf32>
fused.storage @"kv.keys" dims ["batch", "context"] cursor "context" keys of "kv" bounds [0, 512] : !keys

// CHECK-LABEL: func.func @append
// CHECK-SAME: fused.slots = []
// CHECK: %[[STATE:.*]] = fused.state @kv.keys
// CHECK: fused.map {{.*}}outs(%[[STATE]]
func.func @append(%k: !new {sinter.dims = ["batch", "sequence"]}) {
  %start = fused.cursor "context" : tensor<?xi64>
  %keys = fused.state @kv.keys : !keys
  %0 = fused.map dims(b, t, h, d) symbols(p = %start by (b) : tensor<?xi64>) ins(%k by (b, t, h, d) : !new)
      outs(%keys by (b, h, t + p, d) : !keys) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  fused.commit @kv.keys, %0 : !keys
  return
}

// -----

func.func @loop(%x: tensor<?xf32> {sinter.dims = ["n"]}) -> tensor<?xf32> {
  // expected-error @below {{'math.tanh' has no place in the memory plan}}
  // expected-note @below {{it must be lowered to a fused op first}}
  %y = math.tanh %x : tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// Two states change places and the old content of one is returned: the output and the old contents are read first.

!t = tensor<?x8xf32>
fused.storage @g dims ["batch"] bounds [0] : !t
fused.storage @h dims ["batch"] bounds [0] : !t

// KERNEL-LABEL: func.func @swap
// KERNEL-SAME: %[[OUT:[a-z0-9]+]]: memref<?x8xf32> {fused.extents
// KERNEL: %[[G:.*]] = fused.state @g
// KERNEL: %[[S0:.*]] = fused.slot 0
// KERNEL: fused.launch @[[COPY:.*]](%[[G]], %[[S0]])
// KERNEL: %[[H:.*]] = fused.state @h
// KERNEL: %[[S1:.*]] = fused.slot 1
// KERNEL: fused.launch @[[COPY]](%[[H]], %[[S1]])
// KERNEL: fused.launch @[[COPY]](%[[H]], %[[OUT]])
// KERNEL: %[[H1:.*]] = fused.state @h
// KERNEL: fused.launch @[[COPY]](%[[S0]], %[[H1]])
// KERNEL: %[[G1:.*]] = fused.state @g
// KERNEL: fused.launch @[[COPY]](%[[S1]], %[[G1]])
func.func @swap(%x: !t {sinter.dims = ["batch"]}) -> !t {
  %g = fused.state @g : !t
  %h = fused.state @h : !t
  fused.commit @h, %g : !t
  fused.commit @g, %h : !t
  return %h : !t
}

// -----

// A weight is no place to write to.

!t = tensor<8xf32>
func.func @into_weight(%x: !t) -> !t {
  %w = fused.constant @w : !t
  // expected-error @below {{would update an input or a weight in place}}
  %0 = fused.map dims(i) ins(%x by (i) : !t) outs(%w by (i) : !t) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  return %0 : !t
}
