// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s

// Layer 0 of stories after fusion, up to the attention's output: two kernels, and weights made at compile time.
// Maps are over the op's named dimensions and logical coordinates; a layout is the tensor's encoding, never in a map.

// CHECK: fused.storage @layers.0.kv.keys dims ["batch", "context"] cursor "context"
// CHECK: fused.map dims(k, n) ins(%{{.*}} by (2 * n, k), %{{.*}} by (k)
// CHECK: fused.segment n(32)
// CHECK: by (b, t, n floordiv 4, 2 * (n mod 4) + 1)
// CHECK: symbols(p = %{{.*}} by (b) : tensor<?xi64>)
// CHECK: by (b, n floordiv 8, t + p, n mod 8)
// CHECK: fused.attention dims(b, h, q, k, d, e) offset(
// CHECK: score {
// CHECK: mask {

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
#keys   = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!hidden = tensor<?x?x64xf32>
!row    = tensor<?x?xf32>
!angle  = tensor<?x?x4xf32>
!len    = tensor<?xi64>
!sq     = tensor<64x64xf32>
!vec    = tensor<64xf32>
!w32    = tensor<64x32xf32, #panels>
!w16    = tensor<64x16xf32, #panels>
!q      = tensor<?x?x8x8xf32>
!keys   = tensor<?x4x?x8xf32, #keys>
!values = tensor<?x4x?x8xf32>

fused.storage @layers.0.kv.keys dims ["batch", "context"] cursor "context" keys of "layers.0.kv" bounds [-9223372036854775808, 512] : !keys
fused.storage @layers.0.kv.values dims ["batch", "context"] cursor "context" values of "layers.0.kv" bounds [-9223372036854775808, 512] : !values

func.func private @layer(%x: !hidden, %rms: !row, %cos: !angle, %sin: !angle, %wq: !sq, %gain: !vec,
    %wq1: !w32, %wk0: !w16, %wk1: !w16, %wv: !w32, %w0: !w32,
    %q0: !q, %a0: !q) -> !q {
  // Of weights only, so evaluated by the packer: the even columns of wq^T, times the RMSNorm's gain. %wq1 ... likewise.
  %wq0 = fused.map dims(k, n) ins(%wq by (2 * n, k), %gain by (k) : !sq, !vec) outs(%w0 by (k, n) : !w32) {
  ^bb0(%w: f32, %g: f32):
    %p = arith.mulf %w, %g : f32
    fused.yield %p : f32
  }
  %start = fused.cursor "context" : !len               // at entry start, one for all layers
  %end = fused.cursor "context" after : !len           // start plus what this entry appends
  %keys = fused.state @layers.0.kv.keys : !keys
  %values = fused.state @layers.0.kv.values : !values

  // Queries and keys are rotated where they are made; keys and values are stored in their cache slots.
  %q, %k1, %v1 = fused.contract dims(b, t, n, k) ins(%x by (b, t, k) : !hidden)
      outs(%q0, %keys, %values : !q, !keys, !values) {
    fused.segment n(32) weights(%wq0, %wq1 : !w32, !w32)
        captures(%rms by (b, t), %cos by (b, t, n mod 4), %sin by (b, t, n mod 4) : !row, !angle, !angle)
        stores(%q0 by (b, t, n floordiv 4, 2 * (n mod 4)), %q0 by (b, t, n floordiv 4, 2 * (n mod 4) + 1) : !q, !q) {
    ^bb0(%even: f32, %odd: f32, %r: f32, %c: f32, %s: f32):
      %e = arith.mulf %even, %r : f32
      %o = arith.mulf %odd, %r : f32
      %ec = arith.mulf %e, %c : f32
      %os = arith.mulf %o, %s : f32
      %es = arith.mulf %e, %s : f32
      %oc = arith.mulf %o, %c : f32
      %y0 = arith.subf %ec, %os : f32
      %y1 = arith.addf %es, %oc : f32
      fused.yield %y0, %y1 : f32, f32
    }
    fused.segment n(16) weights(%wk0, %wk1 : !w16, !w16)
        symbols(p = %start by (b) : !len)
        captures(%rms by (b, t), %cos by (b, t, n mod 4), %sin by (b, t, n mod 4) : !row, !angle, !angle)
        stores(%keys by (b, n floordiv 4, p + t, 2 * (n mod 4)), %keys by (b, n floordiv 4, p + t, 2 * (n mod 4) + 1)
            : !keys, !keys) {
    ^bb0(%even: f32, %odd: f32, %r: f32, %c: f32, %s: f32):
      %e = arith.mulf %even, %r : f32
      %o = arith.mulf %odd, %r : f32
      %ec = arith.mulf %e, %c : f32
      %os = arith.mulf %o, %s : f32
      %es = arith.mulf %e, %s : f32
      %oc = arith.mulf %o, %c : f32
      %y0 = arith.subf %ec, %os : f32
      %y1 = arith.addf %es, %oc : f32
      fused.yield %y0, %y1 : f32, f32
    }
    fused.segment n(32) weights(%wv : !w32) symbols(p = %start by (b) : !len) captures(%rms by (b, t) : !row)
        stores(%values by (b, n floordiv 8, p + t, n mod 8) : !values) {
    ^bb0(%acc: f32, %r: f32):
      %y = arith.mulf %acc, %r : f32
      fused.yield %y : f32
    }
  }

  // q and k in the regions are absolute: q = start[b] + row. Keys from end[b] on are never read.
  %a = fused.attention dims(b, h, q, k, d, e) offset(%start by (b) : !len) length(%end by (b) : !len)
      ins(%q by (b, q, h, d), %k1 by (b, h floordiv 2, k, d), %v1 by (b, h floordiv 2, k, e) : !q, !keys, !values)
      outs(%a0 by (b, q, h, e) : !q)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
        %scale = arith.constant 0.353553391 : f32
        %r = arith.mulf %s, %scale : f32
        fused.yield %r : f32
      } mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        %seen = arith.cmpi sle, %j, %i : index        // signed: i is negative where T > S
        fused.yield %seen : i1
      }
  fused.commit @layers.0.kv.keys, %k1 : !keys
  fused.commit @layers.0.kv.values, %v1 : !values
  return %a : !q
}
