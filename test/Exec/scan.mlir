// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7,33
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=5 --dim=sequence=40 --nasty

!x  = tensor<?x?x11xf32>
!xt = tensor<?x11xf32>
!y  = tensor<?x?x20xf32>
!h  = tensor<?x20xf32>
!z  = tensor<?x80xf32>
!w  = tensor<20x11xf32>
!u  = tensor<20x20xf32>
!b  = tensor<20xf32>
!w4 = tensor<80x11xf32>
!u4 = tensor<80x20xf32>
!b4 = tensor<80xf32>
!n  = tensor<?xi64>

module @scan attributes {sinter.archive = "scan.safetensors"} {
  // Minimal gated unit (Zhou et al. 2016): two phases.
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

  // A cell is a scan over one step.
  sinter.entry @cell = @minimal_gated_unit with {sequence = 1, lengths = 1} keep ["last"]

  // Gated recurrent unit (Cho et al. 2014), the reset gate before the matrix, backwards from each row's last element.
  func.func @gated_recurrent_unit(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}, %h0: !h {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (!y {sinter.name = "y"}, !h {sinter.name = "last"}) {
    %w, %u, %b = sinter.weight "gru.w", "gru.u", "gru.b" : tensor<60x11xf32>, tensor<40x20xf32>, tensor<60xf32>
    %uc = sinter.weight "gru.uc" : !u
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = %h0 : !h) lengths(%n : !n) reverse -> (!y, !h) {
      %p = sinter.linear %xt, %w, %b : !xt, tensor<60x11xf32>, tensor<60xf32>
      %pz, %pr, %pc = sinter.split %p [20, 20, 20] : tensor<?x60xf32>
      %q = sinter.linear %h, %u : !h, tensor<40x20xf32>
      %qz, %qr = sinter.split %q [20, 20] : tensor<?x40xf32>
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
    return %y, %last : !y, !h
  }

  // LSTM with layer norm (Ba et al. 2016): reductions over the gates and over the new cell.
  func.func @layer_norm_lstm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (!y {sinter.name = "y"}, !h {sinter.name = "hidden"}, !h {sinter.name = "memory"}) {
    %w, %u, %b = sinter.weight "ln.w", "ln.u", "ln.b" : !w4, !u4, !b4
    %gx, %bx, %gh, %bh = sinter.weight "ln.gx", "ln.bx", "ln.gh", "ln.bh" : !b4, !b4, !b4, !b4
    %gc, %bc = sinter.weight "ln.gc", "ln.bc" : !b, !b
    %y, %hn, %cn = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h, %c = zero : !h) -> (!y, !h, !h) {
      %px = sinter.linear %xt, %w, %b : !xt, !w4, !b4
      %nx = sinter.layer_norm %px, %gx, %bx eps(1.0e-5) : !z, !b4, !b4
      %ph = sinter.linear %h, %u : !h, !u4
      %nh = sinter.layer_norm %ph, %gh, %bh eps(1.0e-5) : !z, !b4, !b4
      %z = arith.addf %nx, %nh : !z
      %zi, %zf, %zg, %zo = sinter.split %z [20, 20, 20, 20] : !z
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
    return %y, %hn, %cn : !y, !h, !h
  }

  // A cell that nobody has named; it also gives the state before the step, twice.
  func.func @unknown(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}, %h0: !h {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (!y {sinter.name = "y"}, !y {sinter.name = "before"}, !h {sinter.name = "last"}) {
    %w, %u = sinter.weight "w", "u" : !w, !u
    %c1 = arith.constant 1.0 : f32
    %y, %before, %last = sinter.scan each(%xt = %x : !x) carry(%h = %h0 : !h) lengths(%n : !n) -> (!y, !y, !h) {
      %a = sinter.linear %xt, %w : !xt, !w
      %d = sinter.linear %h, %u : !h, !u
      %s = arith.addf %a, %d : !h
      %m = math.absf %s : !h
      %sm = arith.mulf %s, %m : !h
      %ss = arith.mulf %s, %s : !h
      %one = sinter.broadcast %c1 like(%h) : f32, !h
      %q = arith.addf %ss, %one : !h
      %r = arith.divf %sm, %q : !h
      %isUp = arith.cmpf ogt, %s, %h : !h
      %h1 = arith.select %isUp, %r, %h : tensor<?x20xi1>, !h
      sinter.yield each(%h1, %h : !h, !h) carry(%h1 : !h)
    }
    return %y, %before, %last : !y, !y, !h
  }

  // One matrix for [x, h]; a state of another size by a projection (Sak et al. 2014); rms norm of the cell.
  func.func @joined(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x7xf32> {sinter.name = "y"}, tensor<?x7xf32> {sinter.name = "hidden"}, !h {sinter.name = "memory"}) {
    %w, %b, %g = sinter.weight "joined.w", "joined.b", "joined.g" : tensor<80x18xf32>, !b4, !b
    %down = sinter.weight "joined.down" : tensor<20x7xf32>
    %y, %hn, %cn = sinter.scan each(%xt = %x : !x) carry(%h = zero : tensor<?x7xf32>, %c = zero : !h) lengths(%n : !n)
        -> (tensor<?x?x7xf32>, tensor<?x7xf32>, !h) {
      %xh = tensor.concat dim(1) %xt, %h : (!xt, tensor<?x7xf32>) -> tensor<?x18xf32>
      %z = sinter.linear %xh, %w, %b : tensor<?x18xf32>, tensor<80x18xf32>, !b4
      %zi, %zf, %zg, %zo = sinter.split %z [20, 20, 20, 20] : !z
      %i = sinter.sigmoid %zi : !h
      %f = sinter.sigmoid %zf : !h
      %fc = arith.mulf %f, %c : !h
      %ig = arith.mulf %i, %zg : !h
      %c1 = arith.addf %fc, %ig : !h
      %nc = sinter.rms_norm %c1, %g eps(1.0e-5) : !h, !b
      %o = sinter.silu %zo : !h
      %m = arith.mulf %o, %nc : !h
      %h1 = sinter.matmul %m, %down : !h, tensor<20x7xf32>
      sinter.yield each(%h1 : tensor<?x7xf32>) carry(%h1, %c1 : tensor<?x7xf32>, !h)
    }
    return %y, %hn, %cn : tensor<?x?x7xf32>, tensor<?x7xf32>, !h
  }

  // Two sequences that are multiplied, one of them after an activation; a third is a number per step.
  func.func @sequences(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %v: !y {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %rate: tensor<?x?x1xf32> {sinter.name = "rate", sinter.dims = ["batch", "sequence"]})
      -> (!y {sinter.name = "y"}) {
    %w, %u, %b, %g, %uc = sinter.weight "w", "u", "b", "ln.gc", "uc" : !w, !u, !b, !b, !u
    %y, %last = sinter.scan each(%xt = %x : !x, %vt = %v : !y, %r1 = %rate : tensor<?x?x1xf32>) carry(%h = zero : !h)
        reverse -> (!y, !h) {
      %active = sinter.relu %xt : !xt
      %a = sinter.linear %active, %w, %b : !xt, !w, !b
      %d = sinter.matmul %vt, %u : !h, !u
      %s = arith.addf %a, %d : !h
      %hh = sinter.linear %h, %uc : !h, !u
      %p = sinter.softmax %hh : !h
      %sp = arith.mulf %s, %p : !h
      %r = sinter.broadcast %r1 like(%h) : tensor<?x1xf32>, !h
      %step = arith.mulf %r, %sp : !h
      %gain = sinter.broadcast %g like(%h) : !b, !h
      %kept = arith.mulf %h, %gain : !h
      %sum = arith.addf %kept, %step : !h
      %t = math.tanh %sum : !h
      %h1 = arith.addf %t, %vt : !h
      sinter.yield each(%h1 : !h) carry(%t : !h)
    }
    return %y : !y
  }

  // Both states in one (Keras' packed state), which the output also joins with a gate.
  func.func @packed(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}, %s0: tensor<?x40xf32> {sinter.name = "s0", sinter.dims = ["batch"]})
      -> (tensor<?x?x40xf32> {sinter.name = "y"}, tensor<?x40xf32> {sinter.name = "last"}) {
    %w, %u = sinter.weight "packed.w", "packed.u" : tensor<60x11xf32>, tensor<60x40xf32>
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%s = %s0 : tensor<?x40xf32>) lengths(%n : !n)
        -> (tensor<?x?x40xf32>, tensor<?x40xf32>) {
      %h, %c = sinter.split %s [20, 20] : tensor<?x40xf32>
      %p = sinter.linear %xt, %w : !xt, tensor<60x11xf32>
      %q = sinter.linear %s, %u : tensor<?x40xf32>, tensor<60x40xf32>
      %z = arith.addf %p, %q : tensor<?x60xf32>
      %zf, %zg, %zo = sinter.split %z [20, 20, 20] : tensor<?x60xf32>
      %f = sinter.sigmoid %zf : !h
      %d = arith.subf %c, %h : !h
      %fd = arith.mulf %f, %d : !h
      %g = math.tanh %zg : !h
      %c1 = arith.addf %fd, %g : !h
      %o = sinter.sigmoid %zo : !h
      %h1 = arith.mulf %o, %c1 : !h
      %s1 = tensor.concat dim(1) %h1, %c1 : (!h, !h) -> tensor<?x40xf32>
      %out = tensor.concat dim(1) %h1, %f : (!h, !h) -> tensor<?x40xf32>
      sinter.yield each(%out : tensor<?x40xf32>) carry(%s1 : tensor<?x40xf32>)
    }
    return %y, %last : tensor<?x?x40xf32>, tensor<?x40xf32>
  }

  // A gate of one number per row, and a mixture by three of them.
  func.func @gated(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w, %u, %g, %m, %mb = sinter.weight "w", "u", "gated.g", "gated.m", "gated.mb"
        : !w, !u, tensor<1x31xf32>, tensor<3x20xf32>, tensor<3xf32>
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) -> (!y, !h) {
      %xh = tensor.concat dim(1) %xt, %h : (!xt, !h) -> tensor<?x31xf32>
      %g0 = sinter.linear %xh, %g : tensor<?x31xf32>, tensor<1x31xf32>
      %g1 = sinter.sigmoid %g0 : tensor<?x1xf32>
      %gate = sinter.broadcast %g1 like(%h) : tensor<?x1xf32>, !h
      %q = sinter.linear %h, %m, %mb : !h, tensor<3x20xf32>, tensor<3xf32>
      %a0, %b0, %c0 = sinter.split %q [1, 1, 1] : tensor<?x3xf32>
      %a = sinter.broadcast %a0 like(%h) : tensor<?x1xf32>, !h
      %b1 = sinter.silu %b0 : tensor<?x1xf32>
      %b = sinter.broadcast %b1 like(%h) : tensor<?x1xf32>, !h
      %c = sinter.broadcast %c0 like(%h) : tensor<?x1xf32>, !h
      %p = sinter.linear %xt, %w : !xt, !w
      %s = sinter.linear %h, %u : !h, !u
      %ap = arith.mulf %a, %p : !h
      %bs = arith.mulf %b, %s : !h
      %sum = arith.addf %ap, %bs : !h
      %new = arith.addf %sum, %c : !h
      %t = math.tanh %new : !h
      %d = arith.subf %t, %h : !h
      %gd = arith.mulf %gate, %d : !h
      %h1 = arith.addf %h, %gd : !h
      sinter.yield each(%h1 : !h) carry(%h1 : !h)
    }
    return %y : !y
  }

  // No matrix at all, and only the last state.
  func.func @average(%v: !y {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!h {sinter.name = "last"}) {
    %c = arith.constant 0.125 : f32
    %last = sinter.scan each(%vt = %v : !y) carry(%h = zero : !h) lengths(%n : !n) -> !h {
      %rate = sinter.broadcast %c like(%h) : f32, !h
      %d = arith.subf %vt, %h : !h
      %m = arith.mulf %d, %rate : !h
      %h1 = arith.addf %h, %m : !h
      sinter.yield carry(%h1 : !h)
    }
    return %last : !h
  }

  // A step that reads nothing.
  func.func @constant(%v: tensor<2x3x20xf32> {sinter.name = "fixed"}) -> (tensor<2x3x20xf32> {sinter.name = "y"}, tensor<2x20xf32> {sinter.name = "last"}) {
    %c = arith.constant dense<1.5> : tensor<2x20xf32>
    %y, %last = sinter.scan each(%vt = %v : tensor<2x3x20xf32>) carry(%h = zero : tensor<2x20xf32>) -> (tensor<2x3x20xf32>, tensor<2x20xf32>) {
      sinter.yield each(%c : tensor<2x20xf32>) carry(%c : tensor<2x20xf32>)
    }
    return %y, %last : tensor<2x3x20xf32>, tensor<2x20xf32>
  }
}
