// RUN: sinter-run %s --compare --random-weights --threads=1,3 --calls=2 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4 --dim=batch=1,3 --dim=sequence=0,1,9
// RUN: sinter-opt %s --sinter-model-pipeline --convert-sinter-to-fused | FileCheck %s
// CHECK-LABEL: func.func @minimal_gated_unit
// CHECK: fused.recurrence
// CHECK-NOT: fused.{{recurrence|contract|normalize|attention}}
// CHECK-LABEL: func.func @layer_norm_lstm
// CHECK: fused.recurrence
// CHECK-NOT: fused.{{recurrence|contract|normalize|attention}}

// User-defined cells. The body is one time step of tensors [batch, ...]; weights and anything else are used from outside.
!len   = tensor<?xi64>
!in    = tensor<?x64xf32>
!seq   = tensor<?x?x64xf32>
!out   = tensor<?x?x128xf32>
!state = tensor<?x128xf32>
!w     = tensor<128x64xf32>
!u     = tensor<128x128xf32>
!b     = tensor<128xf32>
!z     = tensor<?x512xf32>
!w4    = tensor<512x64xf32>
!u4    = tensor<512x128xf32>
!b4    = tensor<512xf32>

module @cells attributes {sinter.archive = "cells.safetensors"} {
  // Minimal gated unit (Zhou et al. 2016): f = s(W x + U h + b), c = tanh(W' x + U' (f h) + b'), h' = (1 - f) h + f c.
  func.func @minimal_gated_unit(
      %x: !seq {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!out {sinter.name = "y"}, !state {sinter.name = "last"}) {
    %wf, %uf, %bf, %wc, %uc, %bc = sinter.weight "mgu.wf", "mgu.uf", "mgu.bf", "mgu.wc", "mgu.uc", "mgu.bc"
        : !w, !u, !b, !w, !u, !b
    %c1 = arith.constant 1.0 : f32
    %y, %last = sinter.scan each(%xt = %x : !seq) carry(%h = zero : !state) lengths(%lengths : !len) -> (!out, !state) {
      %a = sinter.linear %xt, %wf, %bf : !in, !w, !b
      %d = sinter.linear %h, %uf : !state, !u
      %s = arith.addf %a, %d : !state
      %f = sinter.sigmoid %s : !state
      %fh = arith.mulf %f, %h : !state
      %e = sinter.linear %xt, %wc, %bc : !in, !w, !b
      %g = sinter.linear %fh, %uc : !state, !u
      %p = arith.addf %e, %g : !state
      %c = math.tanh %p : !state
      %one = sinter.broadcast %c1 like(%f) : f32, !state
      %rest = arith.subf %one, %f : !state
      %keep = arith.mulf %rest, %h : !state
      %new = arith.mulf %f, %c : !state
      %h1 = arith.addf %keep, %new : !state
      sinter.yield each(%h1 : !state) carry(%h1 : !state)
    }
    return %y, %last : !out, !state
  }

  // LSTM with layer norm (Ba et al. 2016): both products and the cell are normalised before the non-linearities.
  func.func @layer_norm_lstm(
      %x: !seq {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!out {sinter.name = "y"}) {
    %w, %u, %b = sinter.weight "ln.w", "ln.u", "ln.b" : !w4, !u4, !b4
    %gx, %bx, %gh, %bh = sinter.weight "ln.gx", "ln.bx", "ln.gh", "ln.bh" : !b4, !b4, !b4, !b4
    %gc, %bc = sinter.weight "ln.gc", "ln.bc" : !b, !b
    %y, %hn, %cn = sinter.scan each(%xt = %x : !seq) carry(%h = zero : !state, %c = zero : !state)
        -> (!out, !state, !state) {
      %px = sinter.linear %xt, %w, %b : !in, !w4, !b4
      %nx = sinter.layer_norm %px, %gx, %bx eps(1.0e-5) : !z, !b4, !b4
      %ph = sinter.linear %h, %u : !state, !u4
      %nh = sinter.layer_norm %ph, %gh, %bh eps(1.0e-5) : !z, !b4, !b4
      %z = arith.addf %nx, %nh : !z
      %zi, %zf, %zg, %zo = sinter.split %z [128, 128, 128, 128] : !z
      %i = sinter.sigmoid %zi : !state
      %f = sinter.sigmoid %zf : !state
      %g = math.tanh %zg : !state
      %o = sinter.sigmoid %zo : !state
      %fc = arith.mulf %f, %c : !state
      %ig = arith.mulf %i, %g : !state
      %c1 = arith.addf %fc, %ig : !state
      %nc = sinter.layer_norm %c1, %gc, %bc eps(1.0e-5) : !state, !b, !b
      %t = math.tanh %nc : !state
      %h1 = arith.mulf %o, %t : !state
      sinter.yield each(%h1 : !state) carry(%h1, %c1 : !state, !state)
    }
    return %y : !out
  }
}
