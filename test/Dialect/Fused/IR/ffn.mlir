// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s

// SwiGLU with the RMSNorm folded: the gain is in the packed weights, 1/rms is a row scale, the residual is in the last
// epilogue, which also leaves sums of squares for the next norm. Two kernels, plus one over a few numbers per row.

// CHECK: reduce sum {
// CHECK: post {
// CHECK: fused.segment n(172)
// CHECK: partials(sum %{{.*}} by (b, t, tile)

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!hidden = tensor<?x?x64xf32>
!wide   = tensor<?x?x172xf32>
!row    = tensor<?x?xf32>
!tiles  = tensor<?x?x?xf32>          // batch, time, tile of columns: how many follows from the schedule
!up     = tensor<64x172xf32, #panels>
!down   = tensor<172x64xf32, #panels>

func.func private @ffn(%h: !hidden, %squares: !tiles, %gate: !up, %up: !up, %down: !down,
    %r0: !row, %u0: !wide, %y0: !hidden, %s0: !tiles) -> (!hidden, !tiles) {
  // Statistics alone: no store maps the reduced dimension.
  %rms = fused.normalize dims(b, t, j) ins(%squares by (b, t, j) : !tiles) outs(%r0 by (b, t) : !row)
      reduce sum {
      ^bb0(%partial: f32):
        fused.yield %partial : f32
      } post {
      ^bb0(%sum: f32):
        %count = arith.constant 64.0 : f32
        %eps = arith.constant 1.0e-5 : f32
        %mean = arith.divf %sum, %count : f32
        %v = arith.addf %mean, %eps : f32
        %r = math.rsqrt %v : f32
        fused.yield %r : f32
      }

  %u = fused.contract dims(b, t, n, k) ins(%h by (b, t, k) : !hidden) outs(%u0 : !wide) {
    fused.segment n(172) weights(%gate, %up : !up, !up) captures(%rms by (b, t) : !row)
        stores(%u0 by (b, t, n) : !wide) {
    ^bb0(%g: f32, %l: f32, %r: f32):
      %gr = arith.mulf %g, %r : f32
      %lr = arith.mulf %l, %r : f32
      %s = fused.sigmoid %gr : f32
      %silu = arith.mulf %gr, %s : f32
      %y = arith.mulf %silu, %lr : f32
      fused.yield %y : f32
    }
  }

  %y, %next = fused.contract dims(b, t, n, k) ins(%u by (b, t, k) : !wide) outs(%y0, %s0 : !hidden, !tiles) {
    fused.segment n(64) weights(%down : !down) captures(%h by (b, t, n) : !hidden)
        stores(%y0 by (b, t, n) : !hidden) partials(sum %s0 by (b, t, tile) : !tiles) {
    ^bb0(%acc: f32, %residual: f32):
      %v = arith.addf %acc, %residual : f32
      %square = arith.mulf %v, %v : f32
      fused.yield %v, %square : f32, f32
    }
  }
  return %y, %next : !hidden, !tiles
}
