// RUN: sinter-opt %s --sinter-expand-library --convert-sinter-to-fused | FileCheck %s

!q = tensor<?x?x4x8xf32>
!k = tensor<?x?x2x8xf32>
!v = tensor<?x?x2x6xf32>
!y = tensor<?x?x4x6xf32>

// Keys are copied into the layout that attention reads; heads share keys in groups; the value has its own size.
// CHECK-LABEL: func @cross
// CHECK: %[[K:.*]] = fused.map dims(b, t, h, i) ins(%arg1 by (b, t, h, i) : {{.*}}) outs(%{{.*}} by (b, h, t, i) : tensor<?x2x?x8xf32, #[[KEYS:.*]]>)
// CHECK: fused.attention dims(b, h, q, k, d, e) length(%arg3 by (b) : tensor<?xi64>)
// CHECK-SAME: ins(%arg0 by (b, q, h, d), %[[K]] by (b, h floordiv 2, k, d), %arg2 by (b, k, h floordiv 2, e) :
// CHECK-SAME: outs(%{{.*}} by (b, q, h, e) : tensor<?x?x4x6xf32>) score {
// CHECK: arith.mulf
// CHECK-NOT: mask
// CHECK: return
func.func @cross(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]},
    %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}) {
  %y = sinter.attention %q, %k, %v lengths(%n : tensor<?xi64>) : !q, !k, !v
  return %y : !y
}

// Causal is a mask region. As many keys as queries by name: no offset.
// CHECK-LABEL: func @causal
// CHECK: fused.attention dims(b, h, q, k, d, e) ins(
// CHECK: mask {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index):
// CHECK-NEXT: arith.cmpi sle, %[[J]], %[[I]]
func.func @causal(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
    -> (!y {sinter.name = "y"}) {
  %y = sinter.attention %q, %k, %v causal : !q, !k, !v
  return %y : !y
}

// Otherwise the offset is S - T.
// CHECK-LABEL: func @bottom_right
// CHECK: %[[OFFSET:.*]] = fused.map dims(i) ins(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi64>)
// CHECK: arith.subi
// CHECK: fused.attention dims(b, h, q, k, d, e) offset(%[[OFFSET]] by (b) : tensor<?xi64>)
func.func @bottom_right(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]})
    -> (!y {sinter.name = "y"}) {
  %y = sinter.attention %q, %k, %v causal : !q, !k, !v
  return %y : !y
}

// A boolean mask is a conjunct; an additive one is a score, and a conjunct where it is -inf.
// CHECK-LABEL: func @dense
// CHECK: fused.attention
// CHECK-SAME: score captures(%arg3 by (b, 0, q, k) : tensor<?x1x?x?xf32>)
// CHECK: arith.addf
// CHECK: mask captures(%arg3 by (b, 0, q, k) : tensor<?x1x?x?xf32>)
// CHECK: arith.cmpf une
func.func @dense(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]},
    %m: tensor<?x1x?x?xf32> {sinter.name = "mask", sinter.dims = ["batch", "target", "source"]}) -> (!y {sinter.name = "y"}) {
  %y = sinter.attention %q, %k, %v mask(%m : tensor<?x1x?x?xf32>) : !q, !k, !v
  return %y : !y
}

// A score that no library has; only the region differs from the first function.
// CHECK-LABEL: func @signed_square
// CHECK: fused.attention
// CHECK: ^bb0(%[[S:.*]]: f32, %{{.*}}: index
// CHECK: math.absf
// CHECK: fused.yield
func.func @signed_square(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]})
    -> (!y {sinter.name = "y"}) {
  %y = sinter.attention %q, %k, %v : !q, !k, !v
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %m = math.absf %s : f32
      %r = arith.mulf %s, %m : f32
      sinter.yield %r : f32
    }
  return %y : !y
}

// Reads at a head are captures with a map; at a computed index they are reads of a table. Constants are copied in.
// CHECK-LABEL: func @tables
// CHECK: %[[SLOPES:.*]] = arith.constant dense
// CHECK: fused.attention
// CHECK-SAME: score captures(%[[SLOPES]] by (h), %arg3 : tensor<4xf32>, tensor<16x16xf32>)
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index, %[[SLOPE:.*]]: f32, %[[TABLE:.*]]: tensor<16x16xf32>):
// CHECK: arith.mulf %{{.*}}, %[[SLOPE]]
// CHECK: fused.read %[[TABLE]][%{{.*}}, %[[J]]]
func.func @tables(%q: !q {sinter.name = "q", sinter.dims = ["batch", "target"]},
    %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]},
    %t: tensor<16x16xf32> {sinter.name = "table"}) -> (!y {sinter.name = "y"}) {
  %slopes = arith.constant dense<[0.5, 0.25, 0.125, 0.0625]> : tensor<4xf32>
  %c4 = arith.constant 4 : index
  %y = sinter.attention %q, %k, %v : !q, !k, !v
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %slope = tensor.extract %slopes[%h] : tensor<4xf32>
      %a = arith.mulf %s, %slope : f32
      %bi = arith.divui %i, %c4 : index
      %x = tensor.extract %t[%bi, %j] : tensor<16x16xf32>
      %r = arith.addf %a, %x : f32
      sinter.yield %r : f32
    }
  return %y : !y
}

// Several groups of heads are slices of one product: their readers read it in place.
// CHECK-LABEL: func @split
// CHECK: %[[P:.*]] = tensor.expand_shape
// CHECK: %[[K:.*]] = fused.map dims(b, t, h, i) ins(%[[P]] by (b, t, h + 4, i)
// CHECK: fused.attention
// CHECK-SAME: dims(b, h = 4, q, k, d, e)
// CHECK-SAME: ins(%[[P]] by (b, q, h, d), %[[K]] by (b, h floordiv 2, k, d), %[[P]] by (b, k, h floordiv 2 + 6, e) :
func.func @split(%p: tensor<?x?x64xf32> {sinter.name = "p", sinter.dims = ["batch", "sequence"]})
    -> (tensor<?x?x32xf32> {sinter.name = "y"}) {
  %q, %k, %v = sinter.split_heads %p [4, 2, 2] : tensor<?x?x64xf32>
  %y = sinter.attention %q, %k, %v : !q, !k, !k
  %m = sinter.merge_heads %y : !q
  return %m : tensor<?x?x32xf32>
}
