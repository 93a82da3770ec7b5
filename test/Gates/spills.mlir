// RUN: gate-kernels %s --spills=mixed | FileCheck %s

// Rows of this length claim eight blocks of a multiprocessor, so 64 registers a thread; sixteen further tensors whose numbers
// are all needed twice take more. The kernel is compiled again for one block, and the occupancy is that of the result.

!t = memref<?x768xf32>

// CHECK: mixed (normalize) on sm_80: {{(6[5-9]|[7-9][0-9]|[12][0-9][0-9])}} registers, 128 threads, {{.*}}; registers for 8 would spill
fused.kernel @mixed {
^bb0(%x: !t, %c0: !t, %c1: !t, %c2: !t, %c3: !t, %c4: !t, %c5: !t, %c6: !t, %c7: !t, %c8: !t, %c9: !t, %c10: !t, %c11:
    !t, %c12: !t, %c13: !t, %c14: !t, %c15: !t, %y: !t):
  fused.normalize dims(m, j) ins(%x by (m, j) : !t) captures(%c0 by (m, j), %c1 by (m, j), %c2 by (m, j), %c3 by (m,
      j), %c4 by (m, j), %c5 by (m, j), %c6 by (m, j), %c7 by (m, j), %c8 by (m, j), %c9 by (m, j), %c10 by (m, j),
      %c11 by (m, j), %c12 by (m, j), %c13 by (m, j), %c14 by (m, j), %c15 by (m, j) : !t, !t, !t, !t, !t, !t, !t, !t,
      !t, !t, !t, !t, !t, !t, !t, !t) outs(%y by (m, j) : !t)
    reduce sum {
    ^bb0(%v: f32):
      fused.yield %v : f32
    } post {
    ^bb0(%v: f32, %sum: f32, %a0: f32, %a1: f32, %a2: f32, %a3: f32, %a4: f32, %a5: f32, %a6: f32, %a7: f32, %a8: f32,
        %a9: f32, %a10: f32, %a11: f32, %a12: f32, %a13: f32, %a14: f32, %a15: f32):
      %s0 = arith.addf %v, %a0 : f32
      %s1 = arith.addf %s0, %a1 : f32
      %s2 = arith.addf %s1, %a2 : f32
      %s3 = arith.addf %s2, %a3 : f32
      %s4 = arith.addf %s3, %a4 : f32
      %s5 = arith.addf %s4, %a5 : f32
      %s6 = arith.addf %s5, %a6 : f32
      %s7 = arith.addf %s6, %a7 : f32
      %s8 = arith.addf %s7, %a8 : f32
      %s9 = arith.addf %s8, %a9 : f32
      %s10 = arith.addf %s9, %a10 : f32
      %s11 = arith.addf %s10, %a11 : f32
      %s12 = arith.addf %s11, %a12 : f32
      %s13 = arith.addf %s12, %a13 : f32
      %s14 = arith.addf %s13, %a14 : f32
      %s15 = arith.addf %s14, %a15 : f32
      %t = arith.divf %s15, %sum : f32
      %p0 = arith.mulf %t, %a0 : f32
      %q0 = arith.maximumf %p0, %t : f32
      %p1 = arith.mulf %q0, %a1 : f32
      %q1 = arith.maximumf %p1, %q0 : f32
      %p2 = arith.mulf %q1, %a2 : f32
      %q2 = arith.maximumf %p2, %q1 : f32
      %p3 = arith.mulf %q2, %a3 : f32
      %q3 = arith.maximumf %p3, %q2 : f32
      %p4 = arith.mulf %q3, %a4 : f32
      %q4 = arith.maximumf %p4, %q3 : f32
      %p5 = arith.mulf %q4, %a5 : f32
      %q5 = arith.maximumf %p5, %q4 : f32
      %p6 = arith.mulf %q5, %a6 : f32
      %q6 = arith.maximumf %p6, %q5 : f32
      %p7 = arith.mulf %q6, %a7 : f32
      %q7 = arith.maximumf %p7, %q6 : f32
      %p8 = arith.mulf %q7, %a8 : f32
      %q8 = arith.maximumf %p8, %q7 : f32
      %p9 = arith.mulf %q8, %a9 : f32
      %q9 = arith.maximumf %p9, %q8 : f32
      %p10 = arith.mulf %q9, %a10 : f32
      %q10 = arith.maximumf %p10, %q9 : f32
      %p11 = arith.mulf %q10, %a11 : f32
      %q11 = arith.maximumf %p11, %q10 : f32
      %p12 = arith.mulf %q11, %a12 : f32
      %q12 = arith.maximumf %p12, %q11 : f32
      %p13 = arith.mulf %q12, %a13 : f32
      %q13 = arith.maximumf %p13, %q12 : f32
      %p14 = arith.mulf %q13, %a14 : f32
      %q14 = arith.maximumf %p14, %q13 : f32
      %p15 = arith.mulf %q14, %a15 : f32
      %q15 = arith.maximumf %p15, %q14 : f32
      fused.yield %q15 : f32
    }
}
