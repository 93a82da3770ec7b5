// RUN: gate-kernels %s | FileCheck %s

!f = memref<?x256xf32>
!d = memref<?x256xf64>
!i = memref<?x256xi32>
!l = memref<?x256xi64>
!b = memref<?x256xi1>

// Element types beside f32: what differs is the number of lanes.
// CHECK: doubles ({{[a-z]+}}) on sm_100
// CHECK-NEXT: 16 bytes: point_in0, point_out0; less: none
fused.kernel @doubles {
^bb0(%x: !d, %y: !d):
  fused.map dims(m, j) ins(%x by (m, j) : !d) outs(%y by (m, j) : !d) {
  ^bb0(%a: f64):
    %s = math.exp %a : f64
    fused.yield %s : f64
  }
}

// CHECK: integers ({{[a-z]+}}) on sm_100
// CHECK-NEXT: 16 bytes: point_in0, point_in1, point_out0; less: point_in2
fused.kernel @integers {
^bb0(%x: !i, %z: !l, %c: !b, %y: !l):
  fused.map dims(m, j) ins(%x by (m, j), %z by (m, j), %c by (m, j) : !i, !l, !b) outs(%y by (m, j) : !l) {
  ^bb0(%a: i32, %d: i64, %t: i1):
    %w = arith.extsi %a : i32 to i64
    %s = arith.select %t, %w, %d : i64
    fused.yield %s : i64
  }
}
