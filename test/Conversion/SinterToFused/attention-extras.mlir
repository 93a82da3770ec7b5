// RUN: sinter-opt %s --sinter-expand-library --canonicalize --convert-sinter-to-fused | FileCheck %s

!q = tensor<?x?x4x8xf32>
!k = tensor<?x?x2x8xf32>
!p = tensor<?x4x?x?xf32>
!n = tensor<?xi64>

// A sink reads per head; further results are destinations of the same kernel.
// CHECK-LABEL: func @results
// CHECK: fused.attention
// CHECK-SAME: outs(%{{.*}} by (b, q, h, e) : tensor<?x?x4x8xf32>) extras(lse %{{.*}} by (b, q, h), weights %{{.*}} by (b, h, q, k) : tensor<?x?x4xf32>, tensor<?x4x?x?xf32>)
// CHECK: sink captures(%arg3 by (h) : tensor<4xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %[[Z:.*]]: f32):
// CHECK-NEXT: fused.yield %[[Z]] : f32
func.func @results(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]}, %v: !k {sinter.name = "v", sinter.dims = ["batch", "source"]},
    %sinks: tensor<4xf32> {sinter.name = "sinks"})
    -> (!q {sinter.name = "y"}, tensor<?x?x4xf32> {sinter.name = "l"}, !p {sinter.name = "p"}) {
  %y, %l, %s, %p = sinter.attention %q, %k, %v lse scores weights : !q, !k, !k
    sink(%b: index, %h: index, %i: index) {
      %z = tensor.extract %sinks[%h] : tensor<4xf32>
      sinter.yield %z : f32
    }
  return %y, %l, %p : !q, tensor<?x?x4xf32>, !p
}

// Additive attention: one kernel, which reads keys where they lie (in rows long enough); no numbers of size T x S x D, no weights.
// CHECK-LABEL: func @additive
// CHECK-NOT: fused.map
// CHECK: fused.attention dims(b, h, q, k, d, e) length(%arg4 by (b) : tensor<?xi64>) ins(%{{.*}} : tensor<?x1x1x20xf32>,
// CHECK-NOT: extras
// CHECK: combine captures(%arg3 by (d) : tensor<20xf32>) {
// CHECK-NEXT: ^bb0(%[[Q:.*]]: f32, %[[K:.*]]: f32, %[[V:.*]]: f32):
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[Q]], %[[K]] : f32
// CHECK-NEXT: %[[T:.*]] = math.tanh %[[S]] : f32
// CHECK-NEXT: %[[R:.*]] = arith.mulf %[[V]], %[[T]] : f32
// CHECK-NEXT: fused.yield %[[R]] : f32
// CHECK-NOT: fused.
// CHECK-NOT: score
// CHECK: return
func.func @additive(%q: tensor<?x20xf32> {sinter.name = "q", sinter.dims = ["batch"]},
    %k: tensor<?x?x20xf32> {sinter.name = "k", sinter.dims = ["batch", "source"]},
    %v: tensor<?x?x5xf32> {sinter.name = "v", sinter.dims = ["batch", "source"]}, %w: tensor<20xf32> {sinter.name = "w"},
    %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x5xf32> {sinter.name = "y"}) {
  %y, %p = sinter.additive_attention %q, %k, %v, %w lengths(%n : !n) weights
      : tensor<?x20xf32>, tensor<?x?x20xf32>, tensor<?x?x5xf32>, tensor<20xf32>
  return %y : tensor<?x5xf32>
}

// A combine region is told no indices: where it computes with them, they are read from a table of numbers.
// CHECK-LABEL: func @combine_with_indices
// CHECK: %[[NUMBERS:.*]] = fused.map dims(i) {{.*}} index(i)
// CHECK: fused.attention
// CHECK: combine captures(%[[NUMBERS]] by (d), %arg1 by (h, d) : tensor<8xi64>, tensor<4x8xf32>) {
// CHECK-NEXT: ^bb0(%[[Q:.*]]: f32, %[[K:.*]]: f32, %[[N:.*]]: i64, %[[W:.*]]: f32):
// CHECK-NEXT: %[[D:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK-NEXT: arith.index_cast %[[D]] : index to i32
func.func @combine_with_indices(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %w: tensor<4x8xf32> {sinter.name = "w"}) -> (!q {sinter.name = "y"}) {
  %y = sinter.attention %q, %q, %q : !q, !q, !q
    combine(%x: f32, %z: f32, %h: index, %d: index) {
      %n = arith.index_cast %d : index to i32
      %f = arith.sitofp %n : i32 to f32
      %g = tensor.extract %w[%h, %d] : tensor<4x8xf32>
      %a = arith.mulf %x, %z : f32
      %b = arith.mulf %a, %f : f32
      %r = arith.addf %b, %g : f32
      sinter.yield %r : f32
    }
  return %y : !q
}

sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 8, value = 8, f32>

// With a cache the mask's columns are not the kernel's keys: it is read at computed places, its rows from the offset on.
// CHECK-LABEL: func @cached_mask
// CHECK: fused.attention
// CHECK: mask captures(%arg3, %[[OFFSET:.*]] by (b) : tensor<?x1x?x?xi1>, tensor<?xi64>) {
// CHECK-NEXT: ^bb0(%[[B:.*]]: index, %{{.*}}: index, %[[Q:.*]]: index, %[[K:.*]]: index, %[[M:.*]]: tensor<?x1x?x?xi1>, %[[O:.*]]: i64):
// CHECK: %[[T:.*]] = arith.subi %[[Q]], %{{.*}} : index
// CHECK: fused.read %[[M]][%[[B]], %{{.*}}, %[[T]], %[[K]]]
func.func @cached_mask(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !k {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
    %m: tensor<?x1x?x?xi1> {sinter.name = "m", sinter.dims = ["batch", "sequence", "total"]}) -> (!q {sinter.name = "y"}) {
  %y = sinter.attention %q, %k, %v append(@kv) mask(%m : tensor<?x1x?x?xi1>) : !q, !k, !k
  return %y : !q
}

// The offset of queries that attend to a cache alone is its cursor less their number.
// CHECK-LABEL: func @from_bottom_right
// CHECK: %[[AT:.*]] = fused.cursor "context"
// CHECK: %[[OFFSET:.*]] = fused.map dims(i) ins(%[[AT]] by (i), %{{.*}} : tensor<?xi64>, tensor<?xi64>)
// CHECK: fused.attention dims({{.*}}) offset(%[[OFFSET]] by (b) : tensor<?xi64>) length(%[[AT]] by (b) : tensor<?xi64>)
func.func @from_bottom_right(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]}) -> (!q {sinter.name = "y"}) {
  %y = sinter.attention %q from(@kv) causal : !q
  return %y : !q
}
