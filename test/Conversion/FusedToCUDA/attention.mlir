// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// A causal mask: comparisons become the range of keys, no tile has to be asked. Keys lie in panels of 16, so that 16 bytes are
// four keys of one d.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x64x4x32xf32>
!k = memref<?x4x?x32xf32, #keys>
!v = memref<?x4x?x32xf32>

// CHECK: name = "causal"{{.*}}template = "attention"
// CHECK-SAME: has_few = false;{{.*}}has_many = true;
// CHECK-SAME: struct Key {{{.*}}along = 3, step = 1, lanes = 16;
// CHECK-SAME: struct Value {{{.*}}along = 5, step = 1, lanes = 16;
// CHECK-SAME: bool mask_region({{.*}} = a3 <= a2;
// CHECK-SAME: range_is_exact = true;
// CHECK-SAME: key_range_Values key_range(
// CHECK-NOT: tile_state
// CHECK: SINTER_KERNEL(causal, sinter::causal_spec, sinter::attention)
// CHECK: llvm.func internal @causal_tasks(
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

// One query row: two query heads share a block of two rows, which streams their keys once. The score is one that no library has.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x1x8x8xf32>
!k = memref<?x4x?x8xf32, #keys>
!v = memref<?x4x?x8xf32>
!len = memref<?xi64>

// CHECK: name = "decode"
// CHECK-SAME: has_many = false;
// CHECK-SAME: struct Few {{{.*}}heads = 2;{{.*}}groups = 1;{{.*}}rows = 2;{{.*}}keys = 256;
// CHECK-SAME: i64 offset({{.*}}loadOne<Offset>(args, p);{{.*}}i64 key_limit({{.*}}loadOne<Length>(args, p);
// CHECK-SAME: float score_region({{.*}}const float v0 = absolute(a0);{{.*}}const float v1 = a0 * v0;
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

// A table of blocks: tiles divide its blocks of 128 keys and 32 queries, and each is asked once. The few rows of decoding are
// of one head, so both schedules ask the same question.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x?x4x32xf32>
!k = memref<?x4x?x32xf32, #keys>
!v = memref<?x4x?x32xf32>
!table = memref<?x?xi1>

// CHECK: name = "blocks"
// CHECK-SAME: struct Few {{{.*}}keys = 128;
// CHECK-SAME: struct Many {{{.*}}rows = 2;{{.*}}keys = 64;
// CHECK-SAME: range_is_exact = false;
// CHECK-SAME: bool v1;{{.*}}tile_state_region({{.*}}readClamped<tile_state_region_table6>
// CHECK-NOT: heads_tile_state
// CHECK: SINTER_KERNEL(blocks
fused.kernel @blocks {
^bb0(%q: !q, %k: !k, %v: !v, %table: !table, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      mask captures(%table : !table) {
      ^bb0(%b: index, %h: index, %i: index, %j: index, %t: !table):
        %c32 = arith.constant 32 : index
        %c128 = arith.constant 128 : index
        %qb = arith.floordivsi %i, %c32 : index
        %kb = arith.floordivsi %j, %c128 : index
        %seen = fused.read %t[%qb, %kb] : !table
        fused.yield %seen : i1
      }
}

// -----

// Keys in rows, a combination of query and key, values too wide for one block of many rows.

!q = memref<?x?x256xf32>
!k = memref<?x?x256xf32>
!v = memref<?x?x1024xf32>
!o = memref<?x?x1024xf32>
!w = memref<256xf32>

// CHECK: name = "additive"
// CHECK-SAME: struct Few {{{.*}}value_tile = 1024;
// CHECK-SAME: struct Many {{{.*}}keys = 32;{{.*}}value_tile = 256;
// CHECK-SAME: struct Key {{{.*}}along = 4
// CHECK-SAME: float combine({{.*}}float a0, float a1) {{{.*}}loadOne<combine_in2>(args, p);
fused.kernel @additive {
^bb0(%q: !q, %k: !k, %v: !v, %w: !w, %o: !o):
  fused.attention dims(b, h = 1, q, k, d, e)
      ins(%q by (b, q, d), %k by (b, k, d), %v by (b, k, e) : !q, !k, !v) outs(%o by (b, q, e) : !o)
      combine captures(%w by (d) : !w) {
      ^bb0(%qd: f32, %kd: f32, %wd: f32):
        %s = arith.addf %qd, %kd : f32
        %t = math.tanh %s : f32
        %r = arith.mulf %wd, %t : f32
        fused.yield %r : f32
      }
}

// -----

// Weights are made in place of the scores; each result is there only if asked for.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x64x4x32xf32>
!k = memref<?x4x?x32xf32, #keys>
!v = memref<?x4x?x32xf32>
!w = memref<?x4x64x?xf32>

// CHECK: blocks_per_sm = 2 : i64, name = "weights"
// CHECK-SAME: using KeptScores = Weights;{{.*}}keeps_scores = true;{{.*}}has_weights = true;{{.*}}has_log_sum_exp = false;
fused.kernel @weights {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q, %w: !w):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v)
      outs(%o by (b, q, h, e) : !q) extras(weights %w by (b, h, q, k) : !w)
}

// -----

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x?x4x65536xf32>
!k = memref<?x4x?x65536xf32, #keys>
!v = memref<?x4x?x32xf32>
!o = memref<?x?x4x32xf32>

fused.kernel @long_rows {
^bb0(%q: !q, %k: !k, %v: !v, %o: !o):
  // expected-error @+1 {{attention over heads of 65536 numbers does not fit shared memory}}
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !o)
}
