// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x?x8x16xf32>
!k = tensor<?x?x4x16xf32>
!v = tensor<?x?x4x32xf32>
!n = tensor<?xi64>

sinter.state @cache dims ["batch", "context"] : !sinter.cache<heads = 4, key = 16, value = 32, f32>

// CHECK-LABEL: func.func @clauses
func.func @clauses(%q: !q, %k: !k, %v: !v, %n: !n, %m: tensor<?x1x?x?xi1>, %f: tensor<1x8x?x?xf32>, %h: tensor<8xf32>) {
  // CHECK: sinter.attention %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x8x16xf32>, tensor<?x?x4x16xf32>, tensor<?x?x4x32xf32>
  %a = sinter.attention %q, %k, %v : !q, !k, !v
  // CHECK: sinter.attention %{{.*}} causal scale(5.000000e-01) append(@cache) lengths(%{{.*}} : tensor<?xi64>) mask(%{{.*}} : tensor<?x1x?x?xi1>) :
  %b = sinter.attention %q, %k, %v mask(%m : tensor<?x1x?x?xi1>) lengths(%n : !n) append(@cache) scale(0.5) causal : !q, !k, !v
  // CHECK: sinter.attention %{{.*}} offset(%{{.*}} : tensor<?xi64>) mask(%{{.*}} : tensor<1x8x?x?xf32>) :
  %c = sinter.attention %q, %k, %v offset(%n : !n) mask(%f : tensor<1x8x?x?xf32>) : !q, !k, !v
  // The value size is not the query's here, so the type is written.
  // CHECK: sinter.attention %{{.*}} from(@cache) : tensor<?x?x8x16xf32> -> tensor<?x?x8x32xf32>
  %d = sinter.attention %q from(@cache) : !q -> tensor<?x?x8x32xf32>
  // CHECK: sinter.attention %{{.*}} causal window(255, ?) softcap(5.000000e+01) alibi(%{{.*}} : tensor<8xf32>) :
  %e = sinter.attention %q, %k, %v alibi(%h : tensor<8xf32>) softcap(50.0) window(255, ?) causal : !q, !k, !v
  // CHECK: sinter.attention %{{.*}} window(3, 4) :
  %g = sinter.attention %q, %k, %v window(3, 4) : !q, !k, !v
  // CHECK: sinter.attention %{{.*}} window(?, 0) :
  %i = sinter.attention %q, %k, %v window(?, 0) : !q, !k, !v
  // CHECK: sinter.merge_heads %{{.*}} : tensor<?x?x8x32xf32>
  %y = sinter.merge_heads %a : tensor<?x?x8x32xf32>
  return
}

// CHECK-LABEL: func.func @rules
func.func @rules(%q: !q, %k: !k, %v: !v, %slopes: tensor<8xf32>) {
  // CHECK: sinter.attention
  // CHECK-SAME: score(%[[S:.*]]: f32, %{{.*}}: index, %[[H:.*]]: index, %{{.*}}: index, %{{.*}}: index) {
  // CHECK: tensor.extract %{{.*}}[%[[H]]]
  // CHECK: } mask(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index) {
  // CHECK: } sink(%{{.*}}: index, %{{.*}}: index, %{{.*}}: index) {
  // CHECK: } combine(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: index, %{{.*}}: index) {
  %y = sinter.attention %q, %k, %v : !q, !k, !v
    combine(%x: f32, %z: f32, %h: index, %d: index) {
      %r = arith.addf %x, %z : f32
      sinter.yield %r : f32
    }
    sink(%b: index, %h: index, %i: index) {
      %r = tensor.extract %slopes[%h] : tensor<8xf32>
      sinter.yield %r : f32
    }
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %m = tensor.extract %slopes[%h] : tensor<8xf32>
      %r = arith.mulf %s, %m : f32
      sinter.yield %r : f32
    }
    mask(%b: index, %h: index, %i: index, %j: index) {
      %r = arith.cmpi sle, %j, %i : index
      sinter.yield %r : i1
    }
  return
}

// Further results stand in the order lse, scores, weights; their types follow from the operands.
// CHECK-LABEL: func.func @results
func.func @results(%q: !q, %k: !k, %v: !v) -> (tensor<?x?x8xf32>, tensor<?x8x?x?xf32>, tensor<?x8x?x?xf32>, tensor<?x?x8xf32>) {
  // CHECK: %{{.*}}, %[[L:.*]], %[[S:.*]], %[[W:.*]] = sinter.attention %{{.*}} lse scores weights :
  %y, %l, %s, %w = sinter.attention %q, %k, %v weights lse scores : !q, !k, !v
  // CHECK: %{{.*}}, %[[C:.*]] = sinter.attention %{{.*}} from(@cache) lse :
  %z, %c = sinter.attention %q from(@cache) lse : !q -> tensor<?x?x8x32xf32>
  // CHECK: return %[[L]], %[[S]], %[[W]], %[[C]]
  return %l, %s, %w, %c : tensor<?x?x8xf32>, tensor<?x8x?x?xf32>, tensor<?x8x?x?xf32>, tensor<?x?x8xf32>
}

// CHECK-LABEL: func.func @additive
func.func @additive(%q: tensor<?x7xf32>, %qs: tensor<?x?x7xf32>, %k: tensor<?x?x7xf32>, %v: tensor<?x?x5xf32>, %w: tensor<7xf32>, %n: !n,
    %m: tensor<?x?xi1>, %f: tensor<1x?x?xf32>) -> (tensor<?x5xf32>, tensor<?x?xf32>, tensor<?x?x5xf32>, tensor<?x?x?xf32>) {
  // CHECK: sinter.additive_attention %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x5xf32>, tensor<7xf32>
  %a = sinter.additive_attention %q, %k, %v, %w : tensor<?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x5xf32>, tensor<7xf32>
  // CHECK: sinter.additive_attention {{.*}} lengths(%{{.*}} : tensor<?xi64>) mask(%{{.*}} : tensor<?x?xi1>) weights :
  %b, %p = sinter.additive_attention %q, %k, %v, %w weights mask(%m : tensor<?x?xi1>) lengths(%n : !n)
      : tensor<?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x5xf32>, tensor<7xf32>
  // CHECK: sinter.additive_attention {{.*}} mask(%{{.*}} : tensor<1x?x?xf32>) weights :
  %c, %r = sinter.additive_attention %qs, %k, %v, %w weights mask(%f : tensor<1x?x?xf32>)
      : tensor<?x?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x5xf32>, tensor<7xf32>
  return %a, %p, %c, %r : tensor<?x5xf32>, tensor<?x?xf32>, tensor<?x?x5xf32>, tensor<?x?x?xf32>
}
