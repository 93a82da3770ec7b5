// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v3 --canonicalize --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s

// An unknown activation is a region like any other: one kernel on vectors, with a masked rest.

!t = memref<?x67xf32>

// CHECK-LABEL: llvm.func internal @activation(
// CHECK: scf.for
// CHECK: %[[X:.*]] = llvm.load {{.*}} -> vector<8xf32>
// CHECK: %[[A:.*]] = llvm.intr.fabs(%[[X]])
// CHECK: arith.mulf %[[X]], %[[A]] : vector<8xf32>
// CHECK: llvm.intr.masked.store
fused.kernel @activation {
^bb0(%x: !t, %y: !t):
  fused.map dims(m, j) ins(%x by (m, j) : !t) outs(%y by (m, j) : !t) {
  ^bb0(%a: f32):
    %s = math.absf %a : f32
    %r = arith.mulf %a, %s : f32
    fused.yield %r : f32
  }
}

// -----

// A gather whose last index counts with the lanes reads whole vectors where they lie inside the table.

!ids = memref<?xi32>
!table = memref<512x64xf32>
!t = memref<?x64xf32>

// CHECK-LABEL: llvm.func internal @embedding(
// CHECK: scf.if
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: llvm.load {{.*}} -> vector<8xf32>
fused.kernel @embedding {
^bb0(%ids: !ids, %table: !table, %y: !t):
  fused.map dims(m, j) ins(%ids by (m), %table : !ids, !table) outs(%y by (m, j) : !t) index(j) {
  ^bb0(%id: i32, %all: !table, %j: index):
    %i = arith.index_cast %id : i32 to index
    %r = fused.read %all[%i, %j] : !table
    fused.yield %r : f32
  }
}

// -----

// What has no translation is named where it stands.

!t = memref<?xf32>
fused.kernel @unknown {
^bb0(%x: !t, %y: !t):
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: f32):
    // expected-error @below {{'math.erfc' has no translation in a region on a CPU}}
    %r = math.erfc %a : f32
    fused.yield %r : f32
  }
}

// -----

// A scatter into a cache: lanes that lie apart are stored one by one.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!k = memref<?x?x4x8xf32>
!c = memref<?x4x?x8xf32, #keys>
!p = memref<?xi64>

// CHECK-LABEL: llvm.func internal @append(
// CHECK: llvm.load {{.*}} -> vector<8xf32>
// CHECK-COUNT-8: llvm.store {{.*}} : f32, !llvm.ptr
fused.kernel @append {
^bb0(%k: !k, %p: !p, %c: !c):
  fused.map dims(b, t, h, d) symbols(s = %p by (b) : !p) ins(%k by (b, t, h, d) : !k) outs(%c by (b, h, s + t, d) : !c) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}

// -----

// Vectors of indices take 32 bits where no value can be beyond them, and in comparisons of differences, where the lanes differ by
// constants; else 64.

!y = memref<?x?xf32>

// CHECK-LABEL: llvm.func internal @distances(
// CHECK: %[[LANES:.*]] = arith.constant dense<[0, -1, -2, -3, -4, -5, -6, -7]> : vector<8xi32>
// CHECK-DAG: arith.sitofp {{.*}} : vector<8xi32> to vector<8xf32>
// CHECK-DAG: arith.cmpi sgt, %{{.*}}, %[[LANES]] : vector<8xi32>
// CHECK-DAG: arith.cmpi sgt, {{.*}} : vector<8xi64>
fused.kernel @distances {
^bb0(%x: !y, %y: !y):
  fused.map dims(q, k) ins(%x by (q, k) : !y) outs(%y by (q, k) : !y) index(q, k) {
  ^bb0(%a: f32, %q: index, %k: index):
    %distance = arith.subi %q, %k : index
    %i = arith.index_cast %distance : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %f, %a : f32
    %c = arith.constant 5 : index
    %near = arith.cmpi slt, %distance, %c : index
    %square = arith.muli %distance, %distance : index
    %far = arith.cmpi sgt, %square, %c : index
    %u = arith.select %near, %s, %a : f32
    %r = arith.select %far, %u, %a : f32
    fused.yield %r : f32
  }
}
