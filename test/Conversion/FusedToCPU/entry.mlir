// RUN: sinter-opt %s --convert-fused-to-cpu | FileCheck %s

// An entry reads dimensions, tensors, cursors, states, slots and weights from the call and launches kernels with a flat array
// of arguments.

// CHECK: llvm.func @sinter_launch(!llvm.ptr, !llvm.ptr, !llvm.ptr)
// CHECK: llvm.mlir.global external constant @map_0_kernel() {{.*}} : !llvm.struct<(ptr, ptr, ptr, ptr, i64)>
// CHECK-LABEL: llvm.func @step_run(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr)
// CHECK: llvm.alloca
// CHECK: %[[KERNEL:.*]] = llvm.mlir.addressof @map_0_kernel
// CHECK: llvm.call @sinter_launch(%[[CALL]], %[[KERNEL]], %{{.*}})
// A kernel whose reads report gets the address of the call's notice.
// CHECK-LABEL: llvm.func @look_run(
// CHECK-SAME: %[[CALL:.*]]: !llvm.ptr)
// CHECK: %[[SLOTS:.*]] = llvm.alloca
// CHECK: %[[NOTICE:.*]] = llvm.getelementptr %[[CALL]][6] : (!llvm.ptr) -> !llvm.ptr, i64
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint %[[NOTICE]]
// CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[SLOTS]][3]
// CHECK: llvm.store %[[ADDRESS]], %[[SLOT]]
// CHECK-LABEL: llvm.func internal @map_1(
// CHECK: llvm.store {{.*}} atomic monotonic
// CHECK-NOT: fused.storage
// CHECK-NOT: fused.launch
!t = memref<?x8xf32>
!p = memref<?xi64>
!s = memref<?x8xf32>

fused.storage @h dims ["batch"] bounds [0] : tensor<?x8xf32>
fused.storage @c.keys dims ["batch", "context"] cursor "context" keys of "c" bounds [0, 512] : tensor<?x1x?x8xf32>

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

func.func @look(%x: !t {sinter.dims = ["batch"]}, %ids: memref<8xi64>) attributes {fused.dims = ["batch"], fused.slots = []} {
  fused.launch @map_1(%x, %ids) : !t, memref<8xi64>
  return
}

fused.kernel @map_1 {
^bb0(%x: !t, %ids: memref<8xi64>):
  fused.map dims(j) ins(%x, %ids by (j) : !t, memref<8xi64>) outs(%ids by (j) : memref<8xi64>) {
  ^bb0(%all: !t, %id: i64):
    %c = arith.constant 0 : index
    %v = fused.read %all[%id, %c : i64, index] {reports} : !t
    %r = arith.fptosi %v : f32 to i64
    fused.yield %r : i64
  }
}
