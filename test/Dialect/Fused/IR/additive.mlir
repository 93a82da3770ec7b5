// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s

// Bahdanau's attention after fusion: score = sum over d of v[d] tanh(q[d] + k[d]), d being the key's size.
// One head, one query per row, no scale; values of another size than keys; no length x length x d numbers anywhere.

// CHECK: fused.attention dims(b, h = 1, q = 1, k, d, e) length(%{{.*}} by (b) : tensor<?xi64>)
// CHECK: combine captures(%{{.*}} by (d) : tensor<256xf32>)

!len    = tensor<?xi64>
!query  = tensor<?x256xf32>
!keys   = tensor<?x?x256xf32>
!memory = tensor<?x?x1024xf32>
!mix    = tensor<?x1024xf32>
!v      = tensor<256xf32>

func.func private @additive(%q: !query, %keys: !keys, %memory: !memory, %v: !v, %n: !len, %c0: !mix) -> !mix {
  %c = fused.attention dims(b, h = 1, q = 1, k, d, e) length(%n by (b) : !len)
      ins(%q by (b, d), %keys by (b, k, d), %memory by (b, k, e) : !query, !keys, !memory)
      outs(%c0 by (b, e) : !mix)
      combine captures(%v by (d) : !v) {
      ^bb0(%qd: f32, %kd: f32, %vd: f32):
        %s = arith.addf %qd, %kd : f32
        %t = math.tanh %s : f32
        %r = arith.mulf %vd, %t : f32
        fused.yield %r : f32
      }
  return %c : !mix
}
