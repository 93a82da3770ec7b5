// RUN: sinter-opt %s --sinter-kernel-pipeline --convert-fused-to-cpu=cpu=x86-64-v3 --canonicalize | FileCheck %s

// Bahdanau's attention after fusion, down to a kernel: keys lie in rows here, as the sketch has them.

!len    = tensor<?xi64>
!query  = tensor<?x256xf32>
!keys   = tensor<?x?x256xf32>
!memory = tensor<?x?x1024xf32>
!mix    = tensor<?x1024xf32>
!v      = tensor<256xf32>

// CHECK-LABEL: llvm.func internal @attention_0_stream_mixture(
// Many columns of values: a loop over tiles.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c1024_i64 step
// CHECK-LABEL: llvm.func internal @attention_0(
// One key after the other, vectors over d; tanh is a quotient of polynomials.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c256_i64 step %c8_i64 iter_args({{.*}}) -> (vector<8xf32>)
// CHECK: %[[TANH:.*]] = arith.divf {{.*}} : vector<8xf32>
// CHECK: arith.mulf %{{.*}}, %[[TANH]] : vector<8xf32>
// CHECK: scf.yield
// CHECK-NOT: math.tanh
func.func @additive(%q: !query {sinter.name = "q", sinter.dims = ["batch"]},
    %keys: !keys {sinter.name = "keys", sinter.dims = ["batch", "length"]},
    %memory: !memory {sinter.name = "memory", sinter.dims = ["batch", "length"]}, %v: !v {sinter.name = "v"},
    %n: !len {sinter.name = "n", sinter.dims = ["batch"]})
    -> (!mix {sinter.name = "y"}) {
  %batch = fused.dim "batch"
  %c0 = tensor.empty(%batch) : !mix
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
