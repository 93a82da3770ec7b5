// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v4 --canonicalize --split-input-file | FileCheck %s

// A softmax over a length that is known at run time: two reductions, of which the second uses the first, then the map. A
// reduction has four vectors in flight and a masked rest.

!t = memref<?x?xf32>

// CHECK-LABEL: llvm.func internal @softmax_tasks(
// CHECK-LABEL: llvm.func internal @softmax(
// The maximum of 64 numbers at a time:
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK-COUNT-4: arith.cmpf ogt
// CHECK: scf.for {{.*}} -> (vector<16xf32>)
// CHECK: scf.if {{.*}} -> (vector<16xf32>)
// CHECK: llvm.intr.masked.load
// The sum:
// CHECK: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>, vector<16xf32>, vector<16xf32>)
// CHECK: x86.avx512.mask.scalef
// The exponentials wait where the results will stand.
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK-COUNT-5: x86.avx512.mask.scalef
// The results:
// CHECK-NOT: scalef
// CHECK: arith.divf {{.*}} : vector<16xf32>
// CHECK: llvm.intr.masked.store
// CHECK-NOT: llvm.call @
fused.kernel @softmax {
^bb0(%x: !t, %y: !t):
  fused.normalize dims(b, j) ins(%x by (b, j) : !t) outs(%y by (b, j) : !t)
    reduce max {
    ^bb0(%v: f32):
      fused.yield %v : f32
    } reduce sum {
    ^bb0(%v: f32, %m: f32):
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      fused.yield %e : f32
    } post {
    ^bb0(%v: f32, %m: f32, %s: f32):
      %d = arith.subf %v, %m : f32
      %e = math.exp %d : f32
      %r = arith.divf %e, %s : f32
      fused.yield %r : f32
    }
}

// -----

// Statistics alone: two reductions that do not use each other share a pass, and post runs once per row, on scalars.

!t = memref<?x96xf32>
!r = memref<?xf32>

// CHECK-LABEL: llvm.func internal @statistics(
// CHECK: scf.for
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: arith.cmpf ogt, {{.*}} : vector<16xf32>
// CHECK-NOT: masked
// CHECK: %[[R:.*]] = arith.mulf {{.*}} : f32
// CHECK: llvm.store %[[R]], {{.*}} : f32, !llvm.ptr
// CHECK-NOT: llvm.store
fused.kernel @statistics {
^bb0(%x: !t, %y: !r):
  fused.normalize dims(b, j) ins(%x by (b, j) : !t) outs(%y by (b) : !r)
    reduce sum {
    ^bb0(%v: f32):
      fused.yield %v : f32
    } reduce max {
    ^bb0(%v: f32, %sum: f32):
      fused.yield %v : f32
    } post {
    ^bb0(%sum: f32, %max: f32):
      %r = arith.mulf %sum, %max : f32
      fused.yield %r : f32
    }
}

// -----

// A residual that is stored beside the normalised row, for rows below a limit.

!t = memref<?x?x64xf32>

// CHECK-LABEL: llvm.func internal @residual(
// CHECK: %[[N:.*]] = llvm.load {{.*}} -> i64
// CHECK: arith.cmpi slt, {{.*}}, %[[N]]
// CHECK: scf.if
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK-COUNT-2: llvm.store {{.*}} : vector<16xf32>
fused.kernel @residual {
^bb0(%x: !t, %r: !t, %n: memref<?xi64>, %y: !t, %z: !t):
  fused.normalize dims(b, t, j) ins(%x by (b, t, j), %r by (b, t, j) : !t, !t) rows(%n by (b) of t : memref<?xi64>)
      outs(%y by (b, t, j), %z by (b, t, j) : !t, !t)
    pre {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      fused.yield %s : f32
    } reduce sum {
    ^bb0(%v: f32):
      %q = arith.mulf %v, %v : f32
      fused.yield %q : f32
    } post {
    ^bb0(%v: f32, %q: f32):
      %r1 = math.rsqrt %q : f32
      %n1 = arith.mulf %v, %r1 : f32
      fused.yield %n1, %v : f32, f32
    }
}

// -----

// What post needs again is kept whatever it is, if it costs more than to keep it.

!t = memref<?x64xf32>

// CHECK-LABEL: llvm.func internal @kept(
// CHECK-COUNT-4: llvm.intr.sqrt
// CHECK-NOT: llvm.intr.sqrt
fused.kernel @kept {
^bb0(%x: !t, %y: !t):
  fused.normalize dims(b, j) ins(%x by (b, j) : !t) outs(%y by (b, j) : !t)
    reduce sum {
    ^bb0(%v: f32):
      %r = math.sqrt %v : f32
      fused.yield %r : f32
    } post {
    ^bb0(%v: f32, %s: f32):
      %r = math.sqrt %v : f32
      %q = arith.mulf %r, %s : f32
      fused.yield %q : f32
    }
}

// -----

// The row is needed too, and may lie where the result will: nothing is kept.

!t = memref<?x64xf32>

// CHECK-LABEL: llvm.func internal @not_kept(
// CHECK-COUNT-5: llvm.intr.sqrt
fused.kernel @not_kept {
^bb0(%x: !t, %y: !t):
  fused.normalize dims(b, j) ins(%x by (b, j) : !t) outs(%y by (b, j) : !t)
    reduce sum {
    ^bb0(%v: f32):
      %r = math.sqrt %v : f32
      fused.yield %r : f32
    } post {
    ^bb0(%v: f32, %s: f32):
      %r = math.sqrt %v : f32
      %q = arith.mulf %r, %s : f32
      %p = arith.addf %q, %v : f32
      fused.yield %p : f32
    }
}
