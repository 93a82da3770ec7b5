// RUN: sinter-opt %s --convert-fused-to-cpu | FileCheck %s

// An entry reads dimensions, tensors, cursors, states, slots and weights from the call and launches kernels with a flat array
// of arguments.

// CHECK: llvm.mlir.global external constant @map_0_kernel() {{.*}} : !llvm.struct<(ptr, ptr, ptr, ptr, i64)>
// CHECK: llvm.func @sinter_launch(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK-LABEL: llvm.func @step_run(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr)
// CHECK: llvm.alloca
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @map_0_kernel
// CHECK: llvm.call @sinter_launch(%[[CALL]], %[[KERNEL]], %{{.*}})
// CHECK-NOT: fused.storage
// CHECK-NOT: fused.launch
!t = memref<?x8xf32>
!p = memref<?xi64>
!s = memref<?x8xf32>

fused.storage @h dims ["batch"] cursor "context" bounds [-9223372036854775808] : tensor<?x8xf32>

func.func @step(%x: !t {sinter.dims = ["batch"]}) attributes {fused.dims = ["batch"], fused.slots = []} {
  %h = fused.state @h : !s
  %p = fused.cursor "context" : !p
  fused.launch @map_0(%x, %p, %h) : !t, !p, !s
  return
}

fused.kernel @map_0 {
^bb0(%x: !t, %p: !p, %h: !s):
  fused.map dims(b, j) ins(%x by (b, j), %p by (b) : !t, !p) outs(%h by (b, j) : !s) {
  ^bb0(%a: f32, %q: i64):
    %f = arith.sitofp %q : i64 to f32
    %r = arith.addf %a, %f : f32
    fused.yield %r : f32
  }
}
