// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v3 --canonicalize --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s

// A causal mask: tiles that the mask analysis finds full compute scores without any comparison, others mask them. The rows
// at hand need 12 KiB of scores whatever the lengths.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x64x4x32xf32>
!k = memref<?x4x?x32xf32, #keys>
!v = memref<?x4x?x32xf32>

// CHECK-LABEL: llvm.func internal @causal_tasks(
// CHECK-NOT: scf.if
// CHECK-LABEL: llvm.func internal @causal(
// CHECK-SAME: fused.scratch = 30616 : i64
// Full tiles: 6 rows by two vectors of keys.
// CHECK: scf.for {{.*}} -> ([[TILE:(vector<8xf32>(, )?){12}]])
// CHECK-COUNT-24: llvm.intr.fmuladd
// CHECK: scf.yield
// CHECK-NOT: arith.cmpi
// CHECK-COUNT-12: llvm.store {{.*}} : vector<8xf32>
// Cut tiles: the scores of the visible keys.
// CHECK: scf.for
// CHECK: arith.cmpi sle, {{.*}} : vector<8xi32>
// CHECK: arith.select {{.*}} : vector<8xi1>, vector<8xf32>
// CHECK: scf.yield
// CHECK: llvm.call @causal_mixture(
// CHECK-NOT: llvm.call @
fused.kernel @causal {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %seen = arith.cmpi sle, %j, %i : index
        fused.yield %seen : i1
      }
}

// -----

// One query row: both query heads of a key head are the rows of a tile. A score region that no one knows is code like any other.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x1x8x8xf32>
!k = memref<?x4x?x8xf32, #keys>
!v = memref<?x4x?x8xf32>
!len = memref<?xi64>

// CHECK-LABEL: llvm.func internal @decode_stream_mixture(
// The mixture has four sums for each of the two rows.
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-LABEL: llvm.func internal @decode(
// Two rows by four vectors of keys, all of the head size at once.
// CHECK: scf.for
// CHECK-COUNT-64: llvm.intr.fmuladd
// CHECK: llvm.intr.fabs
// CHECK: scf.for {{.*}} -> (vector<8xf32>)
// CHECK: llvm.call @decode_stream_mixture(
fused.kernel @decode {
^bb0(%q: !q, %k: !k, %v: !v, %start: !len, %end: !len, %o: !q):
  fused.attention dims(b, h, q, k, d, e) offset(%start by (b) : !len) length(%end by (b) : !len)
      ins(%q by (b, q, h, d), %k by (b, h floordiv 2, k, d), %v by (b, h floordiv 2, k, e) : !q, !k, !v)
      outs(%o by (b, q, h, e) : !q)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %a = math.absf %s : f32
        %r = arith.mulf %s, %a : f32
        fused.yield %r : f32
      }
}

// -----

// A number of rows that is known only at run time takes either schedule.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x?x8x8xf32>
!k = memref<?x4x?x8xf32, #keys>
!v = memref<?x4x?x8xf32>

// CHECK-LABEL: llvm.func internal @both_tasks(
// CHECK: %[[FEW:.*]] = arith.cmpi sle, {{.*}}, %c3_i64
// CHECK: scf.if %[[FEW]] -> (i64)
// CHECK-LABEL: llvm.func internal @both(
// CHECK: %[[FEW:.*]] = arith.cmpi sle, {{.*}}, %c3_i64
// CHECK: scf.if %[[FEW]] {
// CHECK: } else {
fused.kernel @both {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h floordiv 2, k, d), %v by (b, h floordiv 2, k, e) : !q, !k, !v)
      outs(%o by (b, q, h, e) : !q)
}

// -----

!q = memref<?x?x8x8xf32>
!k = memref<?x?x8x8xf32>

fused.kernel @rows_of_keys {
^bb0(%q: !q, %k: !k, %v: !k, %o: !q):
  // expected-error @below {{attention with keys that do not lie in panels of 16 is not lowered yet}}
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, k, h, d), %v by (b, k, h, e) : !q, !k, !k) outs(%o by (b, q, h, e) : !q)
}

// -----

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x?x8x?xf32>
!k = memref<?x8x?x?xf32, #keys>
!v = memref<?x8x?x?xf32>

fused.kernel @head_size {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q):
  // expected-error @below {{attention with a dynamic head size is not lowered; expected a number as the extent of 'd' and 'e'}}
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
}

// -----

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x?x8x8xf32>
!k = memref<?x8x?x8xf32, #keys>
!v = memref<?x8x?x8xf32>
!l = memref<?x?x8xf64>

fused.kernel @double_result {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q, %l: !l):
  // expected-error @below {{attention with operands other than f32 is not lowered yet}}
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      extras(lse %l by (b, q, h) : !l)
}
