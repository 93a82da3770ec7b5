// RUN: sinter-opt %s --fused-outline-kernels | FileCheck %s

// Kernels that differ only in which operand they read twice are two kernels; buffers and extents do not matter.

!m = memref<?x4x4xf32>

// CHECK-LABEL: func.func @forward
// CHECK: fused.launch @map_0(
// CHECK: fused.launch @map_1(
// CHECK: fused.launch @map_0(
func.func @forward(%x: !m, %z: !m, %a: !m, %b: !m) {
  fused.map dims(n, i, j) ins(%x by (n, i, j), %x by (n, j, i), %z by (n, i, j) : !m, !m, !m) outs(%a by (n, i, j) : !m) {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %d = arith.subf %u, %v : f32
    %r = arith.mulf %d, %w : f32
    fused.yield %r : f32
  }
  fused.map dims(n, i, j) ins(%x by (n, i, j), %z by (n, j, i), %z by (n, i, j) : !m, !m, !m) outs(%b by (n, i, j) : !m) {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %d = arith.subf %u, %v : f32
    %r = arith.mulf %d, %w : f32
    fused.yield %r : f32
  }
  fused.map dims(n, i, j) ins(%a by (n, i, j), %a by (n, j, i), %x by (n, i, j) : !m, !m, !m) outs(%z by (n, i, j) : !m) {
  ^bb0(%u: f32, %v: f32, %w: f32):
    %d = arith.subf %u, %v : f32
    %r = arith.mulf %d, %w : f32
    fused.yield %r : f32
  }
  return
}
// CHECK: fused.kernel @map_0
// CHECK: fused.kernel @map_1
// CHECK-NOT: fused.kernel
