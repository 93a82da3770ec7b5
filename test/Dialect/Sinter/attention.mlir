// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s

!q = tensor<?x?x8x16xf32>
!k = tensor<?x?x4x16xf32>
!v = tensor<?x?x4x32xf32>
!n = tensor<?xi64>

sinter.state @cache dims ["batch", "context"] : !sinter.cache<heads = 4, key = 16, value = 32, f32>

// CHECK-LABEL: func.func @clauses
func.func @clauses(%q: !q, %k: !k, %v: !v, %n: !n, %m: tensor<?x1x?x?xi1>, %f: tensor<1x8x?x?xf32>) {
  // CHECK: sinter.attention %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x8x16xf32>, tensor<?x?x4x16xf32>, tensor<?x?x4x32xf32>
  %a = sinter.attention %q, %k, %v : !q, !k, !v
  // CHECK: sinter.attention %{{.*}} causal scale(5.000000e-01) append(@cache) lengths(%{{.*}} : tensor<?xi64>) mask(%{{.*}} : tensor<?x1x?x?xi1>) :
  %b = sinter.attention %q, %k, %v mask(%m : tensor<?x1x?x?xi1>) lengths(%n : !n) append(@cache) scale(0.5) causal : !q, !k, !v
  // CHECK: sinter.attention %{{.*}} offset(%{{.*}} : tensor<?xi64>) mask(%{{.*}} : tensor<1x8x?x?xf32>) :
  %c = sinter.attention %q, %k, %v offset(%n : !n) mask(%f : tensor<1x8x?x?xf32>) : !q, !k, !v
  // The value size is not the query's here, so the type is written.
  // CHECK: sinter.attention %{{.*}} from(@cache) : tensor<?x?x8x16xf32> -> tensor<?x?x8x32xf32>
  %d = sinter.attention %q from(@cache) : !q -> tensor<?x?x8x32xf32>
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
