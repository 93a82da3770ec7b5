// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v3 --canonicalize --split-input-file | FileCheck %s

// A sink starts a row's maximum and sum, before any key.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x64x8x8xf32>
!k = memref<?x8x?x8xf32, #keys>
!v = memref<?x8x?x8xf32>
!z = memref<8xf32>

// CHECK-LABEL: llvm.func internal @sink(
// CHECK: scf.for
// CHECK: %[[SINK:.*]] = llvm.load %{{.*}} -> f32
// CHECK: %[[MAXIMUM:.*]] = arith.select %{{.*}}, %[[SINK]], %{{.*}} : f32
// CHECK: arith.subf
// CHECK: %[[SUM:.*]] = arith.mulf
// CHECK: llvm.store %[[MAXIMUM]]
// CHECK: llvm.store %[[SUM]]
// CHECK: loop_annotation
fused.kernel @sink {
^bb0(%q: !q, %k: !k, %v: !v, %z: !z, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      sink captures(%z by (h) : !z) {
      ^bb0(%b: index, %h: index, %i: index, %s: f32):
        fused.yield %s : f32
      }
}

// -----

// What is summed over d is the region; a distance that no one knows is code like any other. Keys lie in panels.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x64x8x32xf32>
!k = memref<?x8x?x32xf32, #keys>
!v = memref<?x8x?x32xf32>

// CHECK-LABEL: llvm.func internal @combine(
// Rows one by one, each with four vectors of keys.
// CHECK: scf.for %{{.*}} = %c0_i64 to %{{.*}} step %c1_i64 : i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c1_i64 iter_args({{.*}}) -> ([[TILE:(vector<8xf32>(, )?){4}]])
// CHECK-COUNT-4: llvm.intr.fabs({{.*}}) : (vector<8xf32>) -> vector<8xf32>
// CHECK-NOT: llvm.intr.fabs
// CHECK: scf.yield
// CHECK: arith.cmpi sle
fused.kernel @combine {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      combine {
      ^bb0(%qd: f32, %kd: f32):
        %s = arith.subf %qd, %kd : f32
        %a = math.absf %s : f32
        %r = arith.negf %a : f32
        fused.yield %r : f32
      }
      mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %seen = arith.cmpi sle, %j, %i : index
        fused.yield %seen : i1
      }
}

// -----

// Weights are made in place of the scores: there is one pass of products, and scratch memory as without them.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x64x8x32xf32>
!k = memref<?x8x?x32xf32, #keys>
!v = memref<?x8x?x32xf32>
!w = memref<?x8x64x?xf32>
!l = memref<?x8x64xf32>

// CHECK-LABEL: llvm.func internal @extras(
// CHECK-SAME: fused.scratch = 30616 : i64
// CHECK-DAG: %[[NOTHING:.*]] = arith.constant dense<0xFF800000> : vector<8xf32>
// CHECK: llvm.store %[[NOTHING]], %{{.*}} : vector<8xf32>
// CHECK: -> ([[TILE:(vector<8xf32>(, )?){12}]])
// CHECK-COUNT-24: llvm.intr.fmuladd
// The mixture is the last sum of products.
// CHECK: -> ([[TILE]])
// CHECK: arith.divf
// CHECK: llvm.store %{{.*}} : f32, !llvm.ptr
// CHECK-NOT: -> (vector
// CHECK: scf.for
// CHECK: %[[SCORES:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: %[[NONE:.*]] = arith.cmpf oeq, %[[SCORES]], %{{.*}} : vector<8xf32>
// CHECK: %[[WEIGHTS:.*]] = arith.select %[[NONE]], {{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: llvm.store %[[WEIGHTS]], {{.*}} : vector<8xf32>
fused.kernel @extras {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q, %l: !l, %w: !w):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      extras(lse %l by (b, h, q), weights %w by (b, h, q, k) : !l, !w)
      mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %seen = arith.cmpi sle, %j, %i : index
        fused.yield %seen : i1
      }
}
