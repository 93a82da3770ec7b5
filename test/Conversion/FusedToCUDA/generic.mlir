// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// A plain loop nest: a thread per parallel point, the reduction inside.

!x = memref<?x?x7xf32>
!y = memref<?x7xf32>

// CHECK: name = "sum"
// CHECK-SAME: return 1 * extents(args)[2] * extents(args)[0];
// CHECK-SAME: divide(flat, extents(args)[2])
// CHECK-SAME: auto r0 = loadOne<out0>(args, p);{{.*}}for (p[1] = 0; p[1] < extents(args)[1]; ++p[1]) {
// CHECK-SAME: r0 = next;{{.*}}storeOne<out0>(args, p, r0);
// CHECK-SAME: SINTER_KERNEL(sum, sinter::sum_spec, sinter::generic)
fused.kernel @sum {
^bb0(%x: !x, %y: !y):
  linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, c)>],
      iterator_types = ["parallel", "reduction", "parallel"]} ins(%x : !x) outs(%y : !y) {
  ^bb0(%v: f32, %s: f32):
    %r = arith.addf %s, %v : f32
    linalg.yield %r : f32
  }
}

// -----

!x = memref<?x?xf32>

fused.kernel @wrong {
^bb0(%x: !x, %y: !x):
  // expected-error @below {{a result that depends on a reduced dimension is not lowered}}
  linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>],
      iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%y : !x) {
  ^bb0(%v: f32, %s: f32):
    %r = arith.addf %s, %v : f32
    linalg.yield %r : f32
  }
}
