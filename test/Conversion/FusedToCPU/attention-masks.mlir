// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v3 --canonicalize --split-input-file | FileCheck %s

// A window of 256 keys: blocks and groups of rows go from the first key that their first row sees to the last one that
// their last row sees; no tile outside is visited, whatever the length.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<1x16384x1x64xf32>
!k = memref<1x1x16384x64xf32, #keys>
!v = memref<1x1x16384x64xf32>

// CHECK-LABEL: llvm.func internal @window(
// CHECK: %[[FIRST:.*]] = arith.addi %{{.*}}, %c-255 : index
// CHECK: arith.maxsi %[[FIRST]], %c0 : index
// CHECK: %[[BEGIN:.*]] = arith.muli %{{.*}}, %c16_i64
// CHECK-NEXT: scf.for %[[BLOCK:.*]] = %[[BEGIN]] to %{{.*}} step %c512_i64
// CHECK: scf.for
// CHECK: arith.addi %{{.*}}, %c-255 : index
// CHECK: arith.subi %{{.*}}, %[[BLOCK]] : i64
// CHECK: %[[COLUMN:.*]] = arith.muli %{{.*}}, %c16_i64
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %c512_i64
// CHECK: %[[SOME:.*]] = arith.cmpi slt, %[[COLUMN]], %[[END]]
// CHECK: scf.if %[[SOME]]
// CHECK: scf.for %{{.*}} = %[[COLUMN]]
fused.kernel @window {
^bb0(%q: !q, %k: !k, %v: !v, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %w = arith.constant 256 : index
        %d = arith.subi %i, %j : index
        %near = arith.cmpi slt, %d, %w : index
        %past = arith.cmpi sle, %j, %i : index
        %seen = arith.andi %near, %past : i1
        fused.yield %seen : i1
      }
}

// -----

// A table for blocks of 64: key blocks and blocks of rows are those of the rule, and one read decides about a tile.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!q = memref<?x128x1x64xf32>
!k = memref<?x1x?x64xf32, #keys>
!v = memref<?x1x?x64xf32>
!table = memref<64x64xi1>

// CHECK-LABEL: llvm.func internal @table(
// CHECK: scf.for %[[BLOCK:.*]] = %c0_i64 to %{{.*}} step %c64_i64
// CHECK: arith.divsi %{{.*}}, %c64 : index
// CHECK: %[[ROWS:.*]] = arith.cmpi eq, {{.*}} : index
// CHECK: %[[COLUMNS:.*]] = arith.cmpi eq, {{.*}} : index
// CHECK: %[[CONSTANT:.*]] = arith.andi %[[ROWS]], %[[COLUMNS]] : i1
// CHECK: %[[BYTE:.*]] = llvm.load {{.*}} -> i8
// CHECK: %[[SEEN:.*]] = arith.cmpi ne, %[[BYTE]], %c0_i8
// CHECK: %[[UNKNOWN:.*]] = arith.xori %[[CONSTANT]], %true
// CHECK: arith.ori %[[UNKNOWN]], %[[SEEN]]
// CHECK: %[[MAY:.*]] = arith.ori
// CHECK: scf.if %[[MAY]]
// CHECK: -> ({{vector<8xf32>(, vector<8xf32>)*}})
fused.kernel @table {
^bb0(%q: !q, %k: !k, %v: !v, %t: !table, %o: !q):
  fused.attention dims(b, h, q, k, d, e)
      ins(%q by (b, q, h, d), %k by (b, h, k, d), %v by (b, h, k, e) : !q, !k, !v) outs(%o by (b, q, h, e) : !q)
      mask captures(%t : !table) {
      ^bb0(%b: index, %h: index, %i: index, %j: index, %seen: !table):
        %c64 = arith.constant 64 : index
        %bi = arith.divui %i, %c64 : index
        %bj = arith.divui %j, %c64 : index
        %r = fused.read %seen[%bi, %bj] : !table
        fused.yield %r : i1
      }
}
