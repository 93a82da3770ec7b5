// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v4 --canonicalize --split-input-file --verify-diagnostics \
// RUN:   | FileCheck %s

// An unknown cell of one phase with two gates: h' = s |s| with s = g h + (1 - g) (W x + U h), g = sigmoid(V x + G h).
// The scratch holds two copies of the state and the projections of a fixed number of steps, whatever the length.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = memref<1x?x24xf32>
!y = memref<1x?x32xf32>
!h = memref<1x32xf32>
!w = memref<24x32xf32, #panels>
!u = memref<32x32xf32, #panels>
!units = !fused.units<32xf32>

// CHECK-LABEL: llvm.func internal @cell_tasks(
// CHECK: llvm.return %{{c1_i64|.*}} : i64
// CHECK-LABEL: llvm.func internal @cell(
// CHECK-SAME: fused.scratch = 83776 : i64
// Chunks of 252 steps, projected six at a time, one weight after the other.
// CHECK: scf.for {{.*}} step %c252_i64
// CHECK: scf.if
// CHECK: else
// CHECK: scf.for {{.*}} step %c6_i64
// CHECK: scf.for {{.*}} step %c6_i64
// A step: the sums of both gates for 16 units, in two sets, and the map on registers.
// CHECK: scf.for {{.*}} step %c1_i64
// CHECK: scf.for {{.*}} step %c16_i64
// CHECK: scf.for {{.*}} -> ([[SUMS:(vector<16xf32>(, )?){8}]])
// CHECK-COUNT-8: llvm.intr.fmuladd
// CHECK: scf.yield
// CHECK: arith.divf
// CHECK: llvm.intr.fabs
// CHECK-NOT: llvm.call @
fused.kernel @cell {
^bb0(%x: !x, %w0: !w, %w1: !w, %u0: !u, %u1: !u, %h0: !h, %y: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w0, %w1 : !w, !w) state(%h0 by (b, u) : !h)
      outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %g: !units, %h: !units):
    %h1 = fused.phase products(%h * %u0, %h * %u1 : !u, !u) vectors(%a, %g, %h) -> !units
      map {
      ^bb0(%pa: f32, %pg: f32, %xa: f32, %xg: f32, %hu: f32):
        %one = arith.constant 1.0 : f32
        %g0 = arith.addf %pg, %xg : f32
        %gate = fused.sigmoid %g0 : f32
        %new = arith.addf %pa, %xa : f32
        %kept = arith.mulf %gate, %hu : f32
        %open = arith.subf %one, %gate : f32
        %added = arith.mulf %open, %new : f32
        %s = arith.addf %kept, %added : f32
        %size = math.absf %s : f32
        %r = arith.mulf %s, %size : f32
        fused.yield %r : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
}

// -----

// With lengths a row that is done keeps its state and gives 0; 20 units are a whole panel and a masked rest.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!y = memref<?x?x20xf32>
!h = memref<?x20xf32>
!u = memref<20x20xf32, #panels>
!units = !fused.units<20xf32>

// CHECK-LABEL: llvm.func internal @lengths(
// CHECK: scf.if {{.*}} {
// CHECK: %[[ACTIVE:.*]] = vector.broadcast {{.*}} : i1 to vector<16xi1>
// CHECK: arith.select %[[ACTIVE]]
// CHECK: arith.select %[[ACTIVE]]
// CHECK: llvm.intr.masked.store
// CHECK: } else {
fused.kernel @lengths {
^bb0(%x: !y, %u: !u, %h0: !h, %n: memref<?xi64>, %y: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) reverse lengths(%n by (b) : memref<?xi64>) vectors(%x by (b, t, u) : !y)
      state(%h0 by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %h: !units):
    %h1 = fused.phase products(%h * %u : !u) vectors(%a) -> !units
      map {
      ^bb0(%p: f32, %xa: f32):
        %s = arith.addf %p, %xa : f32
        %r = math.tanh %s : f32
        fused.yield %r : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
}

// -----

// A stack of four matrices is read as one stream: 64 numbers further at each step of k. The second phase, of other units and
// without a matrix of its own, is done by the same task; what it needs of the first is kept in scratch.

#stack = #fused.layout<(g, k, n) -> (n floordiv 16, k, g, n mod 16)>
!y = memref<1x?x16xf32>
!h = memref<1x32xf32>
!u = memref<4x32x16xf32, #stack>
!many = !fused.units<32xf32>
!few = !fused.units<16xf32>

// CHECK-LABEL: llvm.func internal @stack(
// CHECK-SAME: fused.scratch = 768 : i64
// CHECK: scf.for {{.*}} -> ([[SUMS:(vector<16xf32>(, )?){8}]])
// CHECK: arith.muli %{{.*}}, %c64_i64
// CHECK-COUNT-16: llvm.intr.fmuladd
// CHECK: scf.yield
// CHECK: llvm.intr.fabs
// CHECK: arith.negf
// The next state is an argument of the step.
// CHECK: scf.for %{{.*}} = %c0_i64 to %c32_i64 step %c16_i64
fused.kernel @stack {
^bb0(%x: memref<1x?x32xf32>, %u: !u, %h0: !h, %y: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) vectors(%x by (b, t, u) : memref<1x?x32xf32>)
      state(%h0 by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !many, %h: !many):
    %h1 = fused.phase products(%h * %u : !u) -> !few
      map {
      ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
        %pq = arith.addf %p, %q : f32
        %rs = arith.addf %r, %s : f32
        %v = arith.mulf %pq, %rs : f32
        %size = math.absf %v : f32
        fused.yield %size : f32
      }
    %h2 = fused.phase vectors(%h1) -> !few
      map {
      ^bb0(%v: f32):
        %n = arith.negf %v : f32
        fused.yield %n : f32
      }
    fused.step outputs(%h2 : !few) state(%a : !many)
  }
}

// -----

// A reduction reads the products again, in vectors, the units past the last one masked; the map follows. What does not stay in
// registers is made by a function, which the code around can't make spill.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!y = memref<1x?x20xf32>
!h = memref<1x20xf32>
!u = memref<20x20xf32, #panels>
!units = !fused.units<20xf32>

// CHECK-LABEL: llvm.func internal @reduces(
// CHECK: %[[LOW:.*]] = arith.constant dense<0xFF800000> : vector<16xf32>
// CHECK: arith.cmpf ogt
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[LOW]]
// CHECK: arith.divf
// CHECK-LABEL: llvm.func internal @reduces_tile0_1(
// CHECK: llvm.intr.fmuladd
// CHECK: llvm.store
fused.kernel @reduces {
^bb0(%u: !u, %h0: !h, %y: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) state(%h0 by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%h: !units):
    %h1 = fused.phase products(%h * %u : !u) -> !units
      reduce max {
      ^bb0(%p: f32):
        %size = math.absf %p : f32
        fused.yield %size : f32
      } map {
      ^bb0(%p: f32, %max: f32):
        %r = arith.divf %p, %max : f32
        fused.yield %r : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
}

// -----

!h = memref<?x32xf32>
!u = memref<32x32xf32>
!units = !fused.units<32xf32>

fused.kernel @row_major {
^bb0(%u: !u, %h0: !h, %hn: !h, %y: memref<?x?x32xf32>):
  // expected-error @below {{recurrence with a matrix that does not lie in panels of 16 columns is not lowered yet}}
  fused.recurrence dims(b, t, u, k) state(%h0 by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : memref<?x?x32xf32>, !h) {
  ^bb0(%h: !units):
    %h1 = fused.phase products(%h * %u : !u) -> !units
      map {
      ^bb0(%p: f32):
        fused.yield %p : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
}

// -----

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!y = memref<?x?x32xf32>
!u = memref<32x32xf32, #panels>
!units = !fused.units<32xf32>

fused.kernel @spread {
^bb0(%x: memref<?x32x32xf32>, %u: !u, %y: !y):
  fused.recurrence dims(b, t, u, k) vectors(%x by (t, u, u) : memref<?x32x32xf32>) outs(%y by (b, t, u) : !y) {
  ^bb0(%a: !units):
    // expected-error @below {{recurrence with a product of a 'vectors' input whose units are not neighbours in memory is not lowered yet}}
    %h1 = fused.phase products(%a * %u : !u) -> !units
      map {
      ^bb0(%p: f32):
        fused.yield %p : f32
      }
    fused.step outputs(%h1 : !units)
  }
}

// -----

!y = memref<?x?x8xf32>
!units = !fused.units<8xf32>
!doubles = !fused.units<8xf64>

fused.kernel @doubles {
^bb0(%x: !y, %y: !y):
  fused.recurrence dims(b, t, u, k) vectors(%x by (b, t, u) : !y) outs(%y by (b, t, u) : !y) {
  ^bb0(%a: !units):
    // expected-error @below {{recurrence with results of a phase other than f32 is not lowered yet}}
    %h1, %w = "fused.phase"() <{capture_maps = [], reductions = [], operandSegmentSizes = array<i32: 0, 0, 0, 0>}> ({
      %c = arith.constant 1.0 : f64
      fused.yield %c, %c : f64, f64
    }) : () -> (!doubles, !doubles)
    fused.step outputs(%a : !units)
  }
}

// -----

!y = memref<?x?x8xf32>
!units = !fused.units<8xf32>

fused.kernel @counts {
^bb0(%x: !y, %y: !y):
  fused.recurrence dims(b, t, u, k) vectors(%x by (b, t, u) : !y) outs(%y by (b, t, u) : !y) {
  ^bb0(%a: !units):
    // expected-error @below {{recurrence with a reduction of other than f32 is not lowered yet}}
    %h1 = fused.phase vectors(%a) -> !units
      reduce sum {
      ^bb0(%v: f32):
        %i = arith.fptosi %v : f32 to i32
        fused.yield %i : i32
      } map {
      ^bb0(%v: f32, %sum: i32):
        fused.yield %v : f32
      }
    fused.step outputs(%h1 : !units)
  }
}
