// RUN: sinter-opt %s --sinter-expand-library --convert-sinter-to-fused | FileCheck %s

!q = tensor<?x?x4x8xf32>
!k = tensor<?x?x2x8xf32>

// CHECK-DAG: #[[KEYS:.*]] = #fused.layout<(d0, d1, d2, d3) -> (d0, d1, d2 floordiv 16, d3, d2 mod 16)>
// CHECK: fused.storage @layers.0.kv.keys dims ["batch", "context"] cursor "context" keys of "layers.0.kv" bounds [{{.*}}, 512] : tensor<?x2x?x8xf32, #[[KEYS]]>
// CHECK: fused.storage @layers.0.kv.values dims ["batch", "context"] cursor "context" values of "layers.0.kv" bounds [{{.*}}, 512] : tensor<?x2x?x8xf32>
// CHECK: fused.storage @hidden dims ["batch"]
sinter.state @layers.0.kv dims ["batch", "context" <= 512] : !sinter.cache<heads = 2, key = 8, value = 8, f32>
sinter.state @hidden dims ["batch"] : tensor<?x8xf32>

// CHECK-LABEL: func @append
// CHECK: %[[P:.*]] = fused.cursor "context" : tensor<?xi64>
// The rotated keys go straight into their slots.
// CHECK: %[[KEYS0:.*]] = fused.state @layers.0.kv.keys
// CHECK: %[[VALUES0:.*]] = fused.state @layers.0.kv.values
// CHECK: %[[K:.*]] = fused.map dims(b, t, h, i = 4) symbols(p = %[[P]] by (b) : tensor<?xi64>) ins({{.*}}) rows(%arg3 by (b) of t : tensor<?xi64>)
// CHECK-SAME: outs(%[[KEYS0]] by (b, h, t + p, 2 * i), %[[KEYS0]] by (b, h, t + p, 2 * i + 1)
// CHECK: %[[V:.*]] = fused.map dims(b, t, h, i) symbols(p = %[[P]] by (b) : tensor<?xi64>)
// CHECK: fused.commit @layers.0.kv.keys, %[[K]]
// CHECK: fused.commit @layers.0.kv.values, %[[V]]
// CHECK: %[[END:.*]] = fused.cursor "context" after : tensor<?xi64>
// CHECK: fused.attention {{.*}} offset(%[[P]] by (b) : tensor<?xi64>) length(%[[END]] by (b) : tensor<?xi64>) rows(%arg3 by (b) : tensor<?xi64>)
// CHECK: fused.advance "context" lengths(%arg3 : tensor<?xi64>)
// CHECK-NEXT: return
func.func @append(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
    %k0: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !k {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
    %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
  %at = sinter.positions %q after("context") : !q
  %k = sinter.rope %k0, %at interleaved theta(1.0e4) : !k, tensor<?x?xi64>
  %y = sinter.attention %q, %k, %v append(@layers.0.kv) lengths(%n : tensor<?xi64>) : !q, !k, !k
  return %y : !q
}

// CHECK-LABEL: func @fill
// CHECK: outs(%{{.*}} by (b, h, t, i)
// CHECK: fused.advance "context" restart extent(%{{.*}})
func.func @fill(%k: !k {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
    %v: !k {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) {
  sinter.fill @layers.0.kv, %k, %v : !k, !k
  return
}

// CHECK-LABEL: func @from
// CHECK: %[[N:.*]] = fused.cursor "context" : tensor<?xi64>
// CHECK: fused.attention dims(b, h, q, k, d, e) length(%[[N]] by (b) : tensor<?xi64>)
// CHECK-NOT: fused.advance
func.func @from(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}) -> (!q {sinter.name = "y"}) {
  %y = sinter.attention %q from(@layers.0.kv) : !q
  return %y : !q
}

// CHECK-LABEL: func @tensor_state
// CHECK: %[[OLD:.*]] = fused.state @hidden : tensor<?x8xf32>
// CHECK: %[[NEW:.*]] = fused.map
// CHECK: fused.commit @hidden, %[[NEW]]
func.func @tensor_state(%x: tensor<?x8xf32> {sinter.name = "x", sinter.dims = ["batch"]}) {
  %h = sinter.read @hidden : tensor<?x8xf32>
  %y = arith.addf %h, %x : tensor<?x8xf32>
  sinter.write @hidden, %y : tensor<?x8xf32>
  return
}
