// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v4 | FileCheck %s --check-prefixes=CHECK,V4
// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v3 | FileCheck %s --check-prefixes=CHECK,V3
// RUN: sinter-opt %s --convert-fused-to-cpu=cpu=x86-64-v3 --cpu-kernels-to-llvm | FileCheck %s --check-prefix=LLVM

// One register tile per row rest, one wide tile for a single row; accumulators are separate native vectors, and the
// epilogue is on registers.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = memref<?x768xf32>
!w = memref<768x96xf32, #panels>
!y = memref<?x96xf32>

// The functions of a package are the body, tasks and steps; tiles stand beside them.
// CHECK-LABEL: llvm.func internal @gemm_tasks(
// CHECK-LABEL: llvm.func internal @gemm(
// CHECK-SAME: fused.scratch = 0

// V4-LABEL: llvm.func internal @gemm_s0_8x48
// V4: scf.for {{.*}} -> (vector<16xf32>, vector<16xf32>,
// V4-NOT: vector<48xf32>
// V4: arith.cmpf ogt
// V4: llvm.store {{.*}} : vector<16xf32>, !llvm.ptr
// V4-LABEL: llvm.func internal @gemm_s0_4x48
// V4-LABEL: llvm.func internal @gemm_s0_2x48
// V4-LABEL: llvm.func internal @gemm_s0_1x64
// V4-LABEL: llvm.func internal @gemm_s0_1x32_last

// V3-LABEL: llvm.func internal @gemm_s0_6x16
// V3: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>,
// V3: arith.cmpf ogt
// V3-LABEL: llvm.func internal @gemm_s0_1x64

// CHECK-LABEL: llvm.func internal @gemm_steps

// LLVM-NOT: scf.
// LLVM-NOT: arith.
// LLVM: llvm.cond_br
// LLVM: loop_annotation
fused.kernel @gemm {
^bb0(%x: !x, %w: !w, %y: !y):
  fused.contract dims(m, n, k) ins(%x by (m, k) : !x) outs(%y : !y) {
    fused.segment n(96) weights(%w : !w) stores(%y by (m, n) : !y) {
    ^bb0(%acc: f32):
      %zero = arith.constant 0.0 : f32
      %r = arith.maximumf %acc, %zero : f32
      fused.yield %r : f32
    }
  }
}

// An activation of which k runs fastest is made into panels, in scratch, once for all rows of a task.

// CHECK-LABEL: llvm.func internal @activation(
// CHECK-SAME: fused.scratch = 131072
// CHECK: llvm.call @activation_s0_panels(
// CHECK: llvm.call @activation_s0_
// CHECK-LABEL: llvm.func internal @activation_s0_panels(
// CHECK: vector.shuffle
!a = memref<?x?x64xf32>
!s = memref<?x?x?xf32>
fused.kernel @activation {
^bb0(%q: !a, %k: !a, %s: !s):
  fused.contract dims(b, m, n, k) ins(%q by (b, m, k) : !a) outs(%s : !s) {
    fused.segment n(?) weights(%k by (b, n, k) : !a) stores(%s by (b, m, n) : !s) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
}
