// RUN: sinter-opt --sinter-expand-library --split-input-file %s | FileCheck %s

!q = tensor<?x?x8x64xf32>

// CHECK-LABEL: func.func @default_scale_and_causal
func.func @default_scale_and_causal(%q: !q) -> !q {
  // CHECK: sinter.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.000000e+00) :
  // CHECK-SAME: score(%[[S:.*]]: f32, %{{.*}}) {
  // CHECK: %[[C:.*]] = arith.constant 1.250000e-01 : f32
  // CHECK: %[[R:.*]] = arith.mulf %[[S]], %[[C]] : f32
  // CHECK: sinter.yield %[[R]]
  // CHECK: } mask(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index) {
  // CHECK: %[[M:.*]] = arith.cmpi sle, %[[J]], %[[I]] : index
  // CHECK: sinter.yield %[[M]]
  %y = sinter.attention %q, %q, %q causal : !q, !q, !q
  return %y : !q
}

// -----

!q = tensor<?x?x8x64xf32>

// A rule of the user sees the scaled product; the masks are a conjunction.
// CHECK-LABEL: func.func @rules
func.func @rules(%q: !q) -> !q {
  // CHECK: score(%[[S:.*]]: f32,
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[S]],
  // CHECK: math.absf %[[SCALED]]
  // CHECK: } mask(%{{.*}}: index, %[[H:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index) {
  // CHECK: %[[A:.*]] = arith.cmpi eq
  // CHECK: %[[B:.*]] = arith.cmpi sle, %[[J]], %[[I]]
  // CHECK: %[[BOTH:.*]] = arith.andi %[[A]], %[[B]]
  // CHECK: sinter.yield %[[BOTH]]
  %y = sinter.attention %q, %q, %q causal scale(2.0) : !q, !q, !q
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %r = math.absf %s : f32
      sinter.yield %r : f32
    }
    mask(%b: index, %h: index, %i: index, %j: index) {
      %r = arith.cmpi eq, %h, %b : index
      sinter.yield %r : i1
    }
  return %y : !q
}

// -----

!q = tensor<?x?x8x64xf32>

// CHECK-LABEL: func.func @no_scale
func.func @no_scale(%q: !q) -> !q {
  // CHECK: sinter.attention
  // CHECK-NOT: score
  // CHECK: return
  %y = sinter.attention %q, %q, %q scale(1.0) : !q, !q, !q
  return %y : !q
}

// -----

// CHECK-LABEL: func.func @feed_forward
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[U:.*]]: tensor<8x4xf32>, %[[UB:.*]]: tensor<8xf32>, %[[D:.*]]: tensor<4x8xf32>, %[[DB:.*]]: tensor<4xf32>)
func.func @feed_forward(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %ub: tensor<8xf32>, %d: tensor<4x8xf32>, %db: tensor<4xf32>)
    -> (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
  // CHECK: %[[A:.*]] = sinter.linear %[[X]], %[[U]], %[[UB]] : {{.*}}
  // CHECK: %[[B:.*]] = sinter.gelu %[[A]] tanh
  // CHECK: sinter.linear %[[B]], %[[D]], %[[DB]]
  %a = sinter.ffn %x, %u, %ub, %d, %db gelu_tanh : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>
  // CHECK: %[[C:.*]] = sinter.linear %[[X]], %[[D]] in_out
  // CHECK: math.tanh %[[C]]
  %b = sinter.ffn %x, %d, %u tanh in_out : tensor<?x4xf32>, tensor<4x8xf32>, tensor<8x4xf32>
  // CHECK: %[[G:.*]] = sinter.linear %[[X]], %[[U]]
  // CHECK: %[[S:.*]] = sinter.silu %[[G]]
  // CHECK: %[[UP:.*]] = sinter.linear %[[X]], %[[U]]
  // CHECK: %[[P:.*]] = arith.mulf %[[S]], %[[UP]]
  // CHECK: sinter.linear %[[P]], %[[D]]
  %c = sinter.gated_ffn %x, %u, %u, %d silu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return %a, %b, %c : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// One weight for gate and up is cut in halves, the gate first.
// CHECK-LABEL: func.func @joined
// CHECK-SAME: (%[[X:.*]]: tensor<?x4xf32>, %[[GU:.*]]: tensor<16x4xf32>, %[[B:.*]]: tensor<16xf32>, %[[D:.*]]: tensor<4x8xf32>, %[[DB:.*]]: tensor<4xf32>)
func.func @joined(%x: tensor<?x4xf32>, %gu: tensor<16x4xf32>, %b: tensor<16xf32>, %d: tensor<4x8xf32>, %db: tensor<4xf32>) -> tensor<?x4xf32> {
  // CHECK: %[[U:.*]] = tensor.extract_slice %[[GU]][8, 0] [8, 4] [1, 1]
  // CHECK: %[[G:.*]] = tensor.extract_slice %[[GU]][0, 0] [8, 4] [1, 1]
  // CHECK: %[[UB:.*]] = tensor.extract_slice %[[B]][8] [8] [1]
  // CHECK: %[[GB:.*]] = tensor.extract_slice %[[B]][0] [8] [1]
  // CHECK: %[[GATE:.*]] = sinter.linear %[[X]], %[[G]], %[[GB]]
  // CHECK: %[[A:.*]] = sinter.mish %[[GATE]]
  // CHECK: %[[UP:.*]] = sinter.linear %[[X]], %[[U]], %[[UB]]
  // CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[UP]]
  // CHECK: sinter.linear %[[P]], %[[D]], %[[DB]]
  %y = sinter.gated_ffn %x, %gu, %b, %d, %db mish : tensor<?x4xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<4x8xf32>, tensor<4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @slopes
func.func @slopes() -> tensor<3xf32> {
  // CHECK: arith.constant dense<[6.250000e-02, 3.906250e-03, 2.500000e-01]> : tensor<3xf32>
  %y = sinter.alibi_slopes : tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

// CHECK-LABEL: func.func @dropout
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32>
// CHECK-NEXT: return %[[X]]
func.func @dropout(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = sinter.dropout %x rate(0.5) : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
