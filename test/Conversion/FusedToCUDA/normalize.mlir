// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// A softmax over a length that the launch tells is a block's work, in two passes, then the map.

!t = memref<?x?xf32>

// CHECK: name = "softmax", shared = 64 : i64
// CHECK-SAME: row_threads = 128, lanes = 4, held = 0;
// CHECK-SAME: reductions = 2, passes = 2;
// CHECK-SAME: return b > a ? b : a;
// CHECK-SAME: exp(
// CHECK-SAME: SINTER_KERNEL(softmax, sinter::softmax_spec, sinter::normalize)
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

// Statistics alone: reductions that do not use each other share a pass; post runs once per row. A short row is a warp's.

!t = memref<?x96xf32>
!r = memref<?xf32>

// CHECK: name = "statistics", shared = 0 : i64
// CHECK-SAME: row_threads = 32, lanes = 4, held = 1;
// CHECK-SAME: statistics = true;
// CHECK-SAME: reductions = 2, passes = 1;
// CHECK-SAME: void finishRow({{.*}}post<1>(args, status, p, done[0], done[1]);
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

// A long row is a block's, and stays in its registers; rows at or past the limit are left out. Two results, one kernel.

!t = memref<?x?x8192xf32>

// CHECK: name = "residual"
// CHECK-SAME: row_threads = 512, lanes = 4, held = 4;
// CHECK-SAME: static constexpr int limited_dim = 1;
// CHECK-SAME: return loadOne<Rows>(args, p);
// CHECK-SAME: store<N, post_out0, Wide>(args, p, y0);{{.*}}store<N, post_out1, Wide>(args, p, y1);
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
