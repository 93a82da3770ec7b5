// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// An unknown cell of one phase with two gates is one launch a step, and one more before each 64 steps, which projects their
// inputs and, the first time, copies the states. Scratch grows with the batch, never with the length.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = memref<?x?x24xf32>
!y = memref<?x?x32xf32>
!h = memref<?x32xf32>
!w = memref<24x32xf32, #panels>
!u = memref<32x32xf32, #panels>
!units = !fused.units<32xf32>

// CHECK-DAG: affine_map<()[{{.*}}] -> (s1 * 16640)>
// CHECK: name = "cell", scratch = {{.*}}template = "recurrence"
// CHECK-SAME: rows = 4;{{.*}}chunk = 64;{{.*}}has_prologue = 1;{{.*}}projection_stride = 64;{{.*}}state_stride = 32;
// CHECK-SAME: struct State0 {{.*}}using Final = out1;
// CHECK-SAME: struct project_stack0 {{.*}}return readDepth<Input, Wide, is_whole>(row.args(), p, depth - k);
// CHECK-SAME: using Projections = TypeList<project_stack0, project_stack1>;
// CHECK-SAME: struct phase0_stack0 {{.*}}return readDepth<Wide, is_whole>(row.states + 0 + k, depth - k);
// CHECK-SAME: phase0_map_region({{.*}}sigmoid(
// CHECK-SAME: storeGlobal(row.nextStates + 0 + u, made);{{.*}}storeOne<out0>(row.args(), p, made);
// CHECK-SAME: void idle({{.*}}storeOne<out0>(row.args(), p, 0.0f);
// CHECK-SAME: kind = PhaseKind::Panels;{{.*}}using Launches = TypeList<Launch0>;
// CHECK: llvm.func internal @cell_steps(
// CHECK: llvm.func internal @cell_tasks(
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

// A phase that reduces takes a launch for its products and one for the rest. Its result feeds a second phase of other units;
// the next state is an argument of the step, which takes a last launch.

#stack = #fused.layout<(g, k, n) -> (n floordiv 16, k, g, n mod 16)>
#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!y = memref<?x?x16xf32>
!h = memref<?x32xf32>
!u = memref<4x32x20xf32, #stack>
!v = memref<20x16xf32, #panels>
!many = !fused.units<32xf32>
!some = !fused.units<20xf32>
!few = !fused.units<16xf32>

// CHECK: name = "phases"
// CHECK-SAME: has_prologue = 1;{{.*}}projection_stride = 0;{{.*}}state_stride = 32;{{.*}}result_stride = 32;{{.*}}product_stride = 128;
// CHECK-SAME: is_reversed = 1;{{.*}}return loadOne<Lengths>(args, p);
// CHECK-SAME: struct phase0_stack0 {{.*}}gates = 4;{{.*}}depth = 32, units = 20, spacing = 32, first = 0;
// CHECK-SAME: combine(Number<0>, float a, float b) {{.*}}return b > a ? b : a;
// CHECK-SAME: phase1_stack0 {{.*}}return readDepth<Wide, is_whole>(row.results + 0 + k, depth - k);
// CHECK-SAME: struct Phase2 {{.*}}if (u < 32) {{.*}}loadOne<vector0>(row.args(), row.at(u))
// CHECK-SAME: PhaseKind::Products;{{.*}}PhaseKind::Reduce;{{.*}}PhaseKind::Panels;{{.*}}PhaseKind::Elements;
// CHECK-SAME: using Launches = TypeList<Launch0, Launch1, Launch2, Launch3>;
fused.kernel @phases {
^bb0(%x: memref<?x?x32xf32>, %u: !u, %v: !v, %h0: !h, %n: memref<?xi64>, %y: !y, %hn: !h):
  fused.recurrence dims(b, t, u, k) reverse lengths(%n by (b) : memref<?xi64>) vectors(%x by (b, t, u) : memref<?x?x32xf32>)
      state(%h0 by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !many, %h: !many):
    %h1 = fused.phase products(%h * %u : !u) -> !some
      reduce max {
      ^bb0(%p: f32, %q: f32, %r: f32, %s: f32):
        %m = arith.addf %p, %q : f32
        fused.yield %m : f32
      } map {
      ^bb0(%p: f32, %q: f32, %r: f32, %s: f32, %max: f32):
        %rs = arith.addf %r, %s : f32
        %v0 = arith.subf %rs, %max : f32
        fused.yield %v0 : f32
      }
    %h2 = fused.phase products(%h1 * %v : !v) -> !few
      map {
      ^bb0(%p: f32):
        fused.yield %p : f32
      }
    fused.step outputs(%h2 : !few) state(%a : !many)
  }
}

// -----

!y = memref<?x?x8xf32>
!units = !fused.units<8xf32>

fused.kernel @counts {
^bb0(%x: !y, %y: !y):
  fused.recurrence dims(b, t, u, k) vectors(%x by (b, t, u) : !y) outs(%y by (b, t, u) : !y) {
  ^bb0(%a: !units):
    // expected-error @below {{recurrence with a reduction of other than f32 is not supported on a GPU}}
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
