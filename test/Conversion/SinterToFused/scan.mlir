// RUN: sinter-opt --sinter-model-pipeline --convert-sinter-to-fused --canonicalize %s | FileCheck %s
// RUN: sinter-opt --sinter-model-pipeline --convert-sinter-to-fused --remarks-filter=fusion --remark-policy=all -o /dev/null %s 2>&1 | FileCheck %s --check-prefix=REMARK

!x  = tensor<?x?x64xf32>
!xt = tensor<?x64xf32>
!y  = tensor<?x?x128xf32>
!h  = tensor<?x128xf32>
!w  = tensor<128x64xf32>
!u  = tensor<128x128xf32>
!b  = tensor<128xf32>
!n  = tensor<?xi64>

module @scan attributes {sinter.archive = "scan.safetensors"} {
  // Two phases: the factor of the second product is made by the first. Of the first, only the gate is kept.
  // REMARK: a scan is one recurrence of 2 phases
  // CHECK-LABEL: func.func @minimal_gated_unit
  // CHECK: fused.recurrence dims(b, t, u, k) lengths(
  // CHECK-SAME: weights(%{{.*}} : tensor<2x64x128xf32
  // CHECK: ^bb0(%[[X0:.*]]: !fused.units<128xf32>, %[[X1:.*]]: !fused.units<128xf32>, %[[H:.*]]: !fused.units<128xf32>):
  // CHECK: %[[G:.*]]:2 = fused.phase products(%[[H]] * %{{.*}} : tensor<128x128xf32, {{.*}}>) vectors(%[[X0]], %[[H]])
  // CHECK-SAME: captures(%{{.*}} by (u) : tensor<128xf32>) -> !fused.units<128xf32>, !fused.units<128xf32> map
  // CHECK: %[[H1:.*]] = fused.phase products(%[[G]]#1 * %{{.*}} : tensor<128x128xf32, {{.*}}>) vectors(%[[G]]#0, %[[H]], %[[X1]])
  // CHECK: fused.step outputs(%[[H1]] : !fused.units<128xf32>) state(%[[H1]] : !fused.units<128xf32>)
  // CHECK-NOT: fused.{{recurrence|contract|map|normalize}}
  // CHECK: return
  func.func @minimal_gated_unit(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}, !h {sinter.name = "last"}) {
    %wf, %uf, %bf, %wc, %uc, %bc = sinter.weight "wf", "uf", "bf", "wc", "uc", "bc" : !w, !u, !b, !w, !u, !b
    %c1 = arith.constant 1.0 : f32
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) lengths(%n : !n) -> (!y, !h) {
      %a = sinter.linear %xt, %wf, %bf : !xt, !w, !b
      %d = sinter.linear %h, %uf : !h, !u
      %s = arith.addf %a, %d : !h
      %f = sinter.sigmoid %s : !h
      %fh = arith.mulf %f, %h : !h
      %e = sinter.linear %xt, %wc, %bc : !xt, !w, !b
      %g = sinter.linear %fh, %uc : !h, !u
      %p = arith.addf %e, %g : !h
      %c = math.tanh %p : !h
      %one = sinter.broadcast %c1 like(%f) : f32, !h
      %rest = arith.subf %one, %f : !h
      %keep = arith.mulf %rest, %h : !h
      %new = arith.mulf %f, %c : !h
      %h1 = arith.addf %keep, %new : !h
      sinter.yield each(%h1 : !h) carry(%h1 : !h)
    }
    return %y, %last : !y, !h
  }

  // One step is the same kernel over T = 1; the output that nobody reads is gone.
  // CHECK-LABEL: func.func @cell
  // CHECK: fused.recurrence dims(b, t, u, k) project(%{{.*}} by (b, t, k) : tensor<?x1x64xf32>)
  // CHECK-SAME: outs(%{{.*}} by (b, u) : tensor<?x128xf32>) {
  // CHECK-COUNT-2: fused.phase
  // CHECK: fused.step state(
  sinter.entry @cell = @minimal_gated_unit with {sequence = 1, lengths = 1} keep ["last"]

  // The gates' products are one stack. The new cell is normalised in a phase of its own, as its gates are not to be
  // computed once per reduction; a reduction over all gates adds four numbers per unit.
  // CHECK-LABEL: func.func @layer_norm_lstm
  // CHECK: fused.recurrence
  // CHECK: %[[C:.*]]:2 = fused.phase products(%{{.*}} * %{{.*}} : tensor<4x128x128xf32
  // CHECK: reduce sum
  // CHECK-COUNT-3: arith.addf
  // CHECK-NEXT: fused.yield
  // CHECK: } map {
  // CHECK: fused.yield %{{.*}}, %{{.*}} : f32, f32
  // CHECK: fused.phase vectors(%[[C]]#1, %[[C]]#0) captures(
  // CHECK-COUNT-2: reduce sum
  // CHECK: } map {
  // CHECK-NOT: fused.{{phase|recurrence|contract|map|normalize}}
  // CHECK: return
  func.func @layer_norm_lstm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w, %u = sinter.weight "ln.w", "ln.u" : tensor<512x64xf32>, tensor<512x128xf32>
    %gh, %bh, %gc, %bc = sinter.weight "ln.gh", "ln.bh", "ln.gc", "ln.bc"
        : tensor<512xf32>, tensor<512xf32>, !b, !b
    %y, %hn, %cn = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h, %c = zero : !h) -> (!y, !h, !h) {
      %px = sinter.linear %xt, %w : !xt, tensor<512x64xf32>
      %ph = sinter.linear %h, %u : !h, tensor<512x128xf32>
      %nh = sinter.layer_norm %ph, %gh, %bh eps(1.0e-5) : tensor<?x512xf32>, tensor<512xf32>, tensor<512xf32>
      %z = arith.addf %px, %nh : tensor<?x512xf32>
      %zi, %zf, %zg, %zo = sinter.split %z [128, 128, 128, 128] : tensor<?x512xf32>
      %i = sinter.sigmoid %zi : !h
      %f = sinter.sigmoid %zf : !h
      %g = math.tanh %zg : !h
      %o = sinter.sigmoid %zo : !h
      %fc = arith.mulf %f, %c : !h
      %ig = arith.mulf %i, %g : !h
      %c1 = arith.addf %fc, %ig : !h
      %nc = sinter.layer_norm %c1, %gc, %bc eps(1.0e-5) : !h, !b, !b
      %t = math.tanh %nc : !h
      %h1 = arith.mulf %o, %t : !h
      sinter.yield each(%h1 : !h) carry(%h1, %c1 : !h, !h)
    }
    return %y : !y
  }

  // What uses no state goes before the scan: relu(x) as one more sequence. A concatenation is no kernel, its product
  // is that of its parts.
  // CHECK-LABEL: func.func @hoisted
  // CHECK: %[[RELU:.*]] = fused.map
  // CHECK: fused.recurrence dims(b, t, u, k) reverse project(%[[RELU]] by (b, t, k) : tensor<?x?x64xf32>)
  // CHECK-SAME: weights(%{{.*}} : tensor<64x128xf32
  // CHECK: fused.phase products(%{{.*}} * %{{.*}} : tensor<128x128xf32
  // CHECK-NOT: fused.{{phase|recurrence|contract|map|normalize}}
  // CHECK: return
  func.func @hoisted(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w = sinter.weight "joined" : tensor<128x192xf32>
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) reverse -> (!y, !h) {
      %r = sinter.relu %xt : !xt
      %rh = tensor.concat dim(1) %r, %h : (!xt, !h) -> tensor<?x192xf32>
      %s = sinter.linear %rh, %w : tensor<?x192xf32>, tensor<128x192xf32>
      %h1 = math.tanh %s : !h
      sinter.yield each(%h1 : !h) carry(%h1 : !h)
    }
    return %y : !y
  }

  // GRU with its reset gate before the matrix: the gates of the first phase are one stack.
  // CHECK-LABEL: func.func @gated_recurrent_unit
  // CHECK: fused.recurrence dims(b, t, u, k) project({{.*}}) weights(%{{.*}} : tensor<3x64x128xf32
  // CHECK: %[[P:.*]]:2 = fused.phase products(%{{.*}} * %{{.*}} : tensor<2x128x128xf32
  // CHECK-SAME: captures(%[[B:.*]] by (u + 128), %[[B]] by (u) : tensor<384xf32>, tensor<384xf32>)
  // CHECK: fused.phase products(%[[P]]#0 * %{{.*}} : tensor<128x128xf32
  // CHECK-SAME: captures(%[[B]] by (u + 256) : tensor<384xf32>)
  // CHECK-NOT: fused.{{phase|recurrence|contract|map|normalize}}
  // CHECK: return
  func.func @gated_recurrent_unit(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w, %u, %b, %uc = sinter.weight "gru.w", "gru.u", "gru.b", "gru.uc"
        : tensor<384x64xf32>, tensor<256x128xf32>, tensor<384xf32>, !u
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) -> (!y, !h) {
      %p = sinter.linear %xt, %w, %b : !xt, tensor<384x64xf32>, tensor<384xf32>
      %pz, %pr, %pc = sinter.split %p [128, 128, 128] : tensor<?x384xf32>
      %q = sinter.linear %h, %u : !h, tensor<256x128xf32>
      %qz, %qr = sinter.split %q [128, 128] : tensor<?x256xf32>
      %sz = arith.addf %pz, %qz : !h
      %z = sinter.sigmoid %sz : !h
      %sr = arith.addf %pr, %qr : !h
      %r = sinter.sigmoid %sr : !h
      %rh = arith.mulf %r, %h : !h
      %qc = sinter.linear %rh, %uc : !h, !u
      %sc = arith.addf %pc, %qc : !h
      %c = math.tanh %sc : !h
      %d = arith.subf %h, %c : !h
      %zd = arith.mulf %z, %d : !h
      %h1 = arith.addf %c, %zd : !h
      sinter.yield each(%h1 : !h) carry(%h1 : !h)
    }
    return %y : !y
  }

  // A state that the step splits is two; its product is that of both. An output that it joins is two as well.
  // CHECK-LABEL: func.func @packed
  // CHECK: fused.recurrence
  // CHECK-SAME: state(%{{.*}} by (b, u), %{{.*}} by (b, u) : tensor<?x128xf32>, tensor<?x128xf32>)
  // CHECK: fused.phase products(%[[H:.*]] * %{{.*}}, %[[C:.*]] * %{{.*}} : tensor<128x128xf32, {{.*}}>, tensor<128x128xf32
  // CHECK: fused.step outputs(%{{.*}}, %{{.*}} : {{.*}}) state(%{{.*}}, %{{.*}} :
  // CHECK-NOT: fused.{{phase|recurrence|contract|normalize}}
  // CHECK: return
  func.func @packed(%x: !y {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x256xf32> {sinter.name = "y"}) {
    %u = sinter.weight "packed" : tensor<128x256xf32>
    %y, %last = sinter.scan each(%xt = %x : !y) carry(%s = zero : tensor<?x256xf32>) -> (tensor<?x?x256xf32>, tensor<?x256xf32>) {
      %h, %c = sinter.split %s [128, 128] : tensor<?x256xf32>
      %q = sinter.linear %s, %u : tensor<?x256xf32>, tensor<128x256xf32>
      %c1 = arith.addf %q, %c : !h
      %m = arith.mulf %c1, %xt : !h
      %h1 = math.tanh %m : !h
      %s1 = tensor.concat dim(1) %h1, %c1 : (!h, !h) -> tensor<?x256xf32>
      sinter.yield each(%s1 : tensor<?x256xf32>) carry(%s1 : tensor<?x256xf32>)
    }
    return %y : tensor<?x?x256xf32>
  }
}
