// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// Rows are known at run time: tiles of 64 by 64, and code for up to 8 rows and for one. Weight panels and aligned rows of the
// input are copied 16 bytes at a time. The host counts blocks for whichever way the rows take.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = memref<?x768xf32>
!w = memref<768x96xf32, #panels>
!y = memref<?x96xf32>

// CHECK: fused.device_kernels = [{blocks_per_sm = 2 : i64, name = "gemm", shared = 21504 : i64{{.*}}template = "contract"
// CHECK-SAME: batch_dims = 0;{{.*}}few_rows = 8;{{.*}}single_row = 1;{{.*}}tile_rows = 64;{{.*}}input_is_contiguous = 1;
// CHECK-SAME: struct segment0_weight0 {{.*}} lanes = 16;{{.*}} + ((p[1] >> 4)) * 12272);
// CHECK-SAME: float segment0_epilogue_region({{.*}} = maximum(a0, v0);
// CHECK-SAME: static constexpr int pairs = 1, tile_columns = 64;
// CHECK-SAME: using Segments = TypeList<Segment0>;
// CHECK-SAME: SINTER_KERNEL(gemm, sinter::gemm_spec, sinter::contract)
// CHECK: llvm.func internal @gemm_tasks(
// CHECK: %[[ROWS:.*]] = arith.cmpi sle, %{{.*}}, %c8_i64
// CHECK: arith.select %[[ROWS]],
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

// -----

// One row, so no tiles; two paired weights in the first segment, a symbol in the second's store. An unknown activation is a
// region like any other.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = memref<1x64xf32>
!w = memref<64x48xf32, #panels>

// CHECK: name = "decode"
// CHECK-SAME: few_rows = 1;{{.*}}single_row = 0;{{.*}}tile_rows = 0;
// CHECK-SAME: float segment0_epilogue_region({{.*}}float a0, float a1)
// CHECK-SAME: pairs = 2, tile_columns = 0;{{.*}}using Weights = TypeList<segment0_weight0, segment0_weight1>;
// CHECK-SAME: void segment1_symbols({{.*}}p[3] = loadOne<segment1_symbols_in0>(args, p);
// CHECK-SAME: struct segment1_epilogue_out0 {{.*}}p[3]
fused.kernel @decode {
^bb0(%x: !x, %a: !w, %b: !w, %at: memref<1xi64>, %y: memref<1x48xf32>, %cache: memref<?x48xf32>):
  fused.contract dims(b, n, k) ins(%x by (b, k) : !x) outs(%y, %cache : memref<1x48xf32>, memref<?x48xf32>) {
    fused.segment n(48) weights(%a, %b : !w, !w) stores(%y by (b, n) : memref<1x48xf32>) {
    ^bb0(%p: f32, %q: f32):
      %size = math.absf %q : f32
      %r = arith.mulf %p, %size : f32
      fused.yield %r : f32
    }
    fused.segment n(48) weights(%a : !w) symbols(s = %at by (b) : memref<1xi64>)
        stores(%cache by (b + s, n) : memref<?x48xf32>) {
    ^bb0(%p: f32):
      fused.yield %p : f32
    }
  }
}

// -----

// An activation as second operand: its own columns for each b, k fastest. Rows of one b are a group.

!a = memref<?x?x64xf32>
!s = memref<?x?x?xf32>

// CHECK: name = "activation"
// CHECK-SAME: batch_dims = 1;{{.*}}depth_is_fastest = true,{{.*}}using TurnedWeights = TypeList<segment0_turned0>;{{.*}}return extents[2];
fused.kernel @activation {
^bb0(%q: !a, %k: !a, %s: !s):
  fused.contract dims(b, m, n, k) ins(%q by (b, m, k) : !a) outs(%s : !s) {
    fused.segment n(?) weights(%k by (b, n, k) : !a) stores(%s by (b, m, n) : !s) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
}

// -----

!x = memref<?x64xf64>
!w = memref<64x48xf64>
fused.kernel @doubles {
^bb0(%x: !x, %w: !w, %y: memref<?x48xf64>):
  fused.contract dims(m, n, k) ins(%x by (m, k) : !x) outs(%y : memref<?x48xf64>) {
    // expected-error @below {{products are of f32 on a GPU}}
    fused.segment n(48) weights(%w : !w) stores(%y by (m, n) : memref<?x48xf64>) {
    ^bb0(%acc: f64):
      fused.yield %acc : f64
    }
  }
}

// -----

!x = memref<?x64xf32>
!w = memref<64x48xf32>
fused.kernel @partials {
^bb0(%x: !x, %w: !w, %y: memref<?x48xf32>, %s: memref<?x1xf32>):
  fused.contract dims(m, n, k) ins(%x by (m, k) : !x) outs(%y, %s : memref<?x48xf32>, memref<?x1xf32>) {
    // expected-error @below {{partials are not supported on a GPU}}
    fused.segment n(48) weights(%w : !w) stores(%y by (m, n) : memref<?x48xf32>)
        partials(sum %s by (m, tile) : memref<?x1xf32>) {
    ^bb0(%acc: f32):
      fused.yield %acc, %acc : f32, f32
    }
  }
}
