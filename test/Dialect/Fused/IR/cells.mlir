// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s

// Two recurrences: a GRU with its reset gate before the matrix (two phases) and an RNN with layer norm inside the step
// (reductions over the units). A region's arguments: products, vectors, results of earlier reductions, captures.

// CHECK: fused.recurrence dims(b, t, u, k) lengths(
// CHECK: -> !fused.units<512xf32>, !fused.units<512xf32> map
// CHECK: fused.step outputs(
// CHECK: reduce sum {
// CHECK: reduce sum {
// CHECK: map {
// CHECK: weights(%{{.*}} : tensor<3x256x512xf32, #[[STACK:[a-z0-9]+]]>)
// CHECK: ^bb0(%{{.*}}: !fused.units<512xf32>, %{{.*}}: !fused.units<512xf32>, %{{.*}}: !fused.units<512xf32>, %{{.*}}: !fused.units<512xf32>):
// CHECK: fused.phase products(%{{.*}} * %{{.*}} : tensor<3x512x512xf32, #[[STACK]]>)

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
#stack  = #fused.layout<(g, k, n) -> (n floordiv 16, k, g, n mod 16)>
!len   = tensor<?xi64>
!in    = tensor<?x?x256xf32>
!seq   = tensor<?x?x512xf32>
!state = tensor<?x512xf32>
!w     = tensor<256x512xf32, #panels>
!u     = tensor<512x512xf32, #panels>
!vec   = tensor<512xf32>
!units = !fused.units<512xf32>       // one number per row and unit, alive within a step

func.func private @gru(%x: !in, %n: !len, %h0: !state, %wz: !w, %wr: !w, %wc: !w, %uz: !u, %ur: !u, %uc: !u,
    %bz: !vec, %br: !vec, %bc: !vec, %y0: !seq, %hn0: !state) -> (!seq, !state) {
  // The body is one step. Its arguments: one vector per projection (made in chunks of time), then one per state.
  %y, %hn = fused.recurrence dims(b, t, u, k) lengths(%n by (b) : !len)
      project(%x by (b, t, k) : !in) weights(%wz, %wr, %wc : !w, !w, !w) state(%h0 by (b, u) : !state)
      outs(%y0 by (b, t, u), %hn0 by (b, u) : !seq, !state) {
  ^bb0(%xz: !units, %xr: !units, %xc: !units, %h: !units):
    %z, %rh = fused.phase products(%h * %uz, %h * %ur : !u, !u) vectors(%xz, %xr, %h)
        captures(%bz by (u), %br by (u) : !vec, !vec) -> !units, !units
      map {
      ^bb0(%pz: f32, %pr: f32, %az: f32, %ar: f32, %hu: f32, %cz: f32, %cr: f32):
        %z1 = arith.addf %pz, %az : f32
        %z2 = arith.addf %z1, %cz : f32
        %zu = fused.sigmoid %z2 : f32
        %r1 = arith.addf %pr, %ar : f32
        %r2 = arith.addf %r1, %cr : f32
        %ru = fused.sigmoid %r2 : f32
        %rhu = arith.mulf %ru, %hu : f32
        fused.yield %zu, %rhu : f32, f32
      }
    %h1 = fused.phase products(%rh * %uc : !u) vectors(%xc, %z, %h) captures(%bc by (u) : !vec) -> !units
      map {
      ^bb0(%pc: f32, %ac: f32, %zu: f32, %hu: f32, %cc: f32):
        %c1 = arith.addf %pc, %ac : f32
        %c2 = arith.addf %c1, %cc : f32
        %c = math.tanh %c2 : f32
        %d = arith.subf %hu, %c : f32
        %zd = arith.mulf %zu, %d : f32
        %y1 = arith.addf %c, %zd : f32
        fused.yield %y1 : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
  return %y, %hn : !seq, !state
}

// h' = tanh(gain * norm(W x + U h) + bias); the variance is taken around the mean, so the second reduction uses the first.
func.func private @layer_norm_rnn(%x: !in, %h0: !state, %w: !w, %um: !u, %gain: !vec, %bias: !vec,
    %y0: !seq, %hn0: !state) -> (!seq, !state) {
  %y, %hn = fused.recurrence dims(b, t, u, k)
      project(%x by (b, t, k) : !in) weights(%w : !w) state(%h0 by (b, u) : !state)
      outs(%y0 by (b, t, u), %hn0 by (b, u) : !seq, !state) {
  ^bb0(%xa: !units, %h: !units):
    %h1 = fused.phase products(%h * %um : !u) vectors(%xa) captures(%gain by (u), %bias by (u) : !vec, !vec) -> !units
      reduce sum {
      ^bb0(%p: f32, %a: f32, %g: f32, %c: f32):
        %v = arith.addf %p, %a : f32
        fused.yield %v : f32
      } reduce sum {
      ^bb0(%p: f32, %a: f32, %sum: f32, %g: f32, %c: f32):
        %inverse = arith.constant 0.001953125 : f32
        %v = arith.addf %p, %a : f32
        %mean = arith.mulf %sum, %inverse : f32
        %d = arith.subf %v, %mean : f32
        %dd = arith.mulf %d, %d : f32
        fused.yield %dd : f32
      } map {
      ^bb0(%p: f32, %a: f32, %sum: f32, %squares: f32, %g: f32, %c: f32):
        %inverse = arith.constant 0.001953125 : f32
        %eps = arith.constant 1.0e-5 : f32
        %v = arith.addf %p, %a : f32
        %mean = arith.mulf %sum, %inverse : f32
        %d = arith.subf %v, %mean : f32
        %variance = arith.mulf %squares, %inverse : f32
        %safe = arith.addf %variance, %eps : f32
        %r = math.rsqrt %safe : f32
        %n = arith.mulf %d, %r : f32
        %scaled = arith.mulf %n, %g : f32
        %shifted = arith.addf %scaled, %c : f32
        %new = math.tanh %shifted : f32
        fused.yield %new : f32
      }
    fused.step outputs(%h1 : !units) state(%h1 : !units)
  }
  return %y, %hn : !seq, !state
}

// A GRU whose reset gate comes after the matrix: one phase, and the matrices of its gates are a stack. The step also gives
// the gate z, which has no product of its own.
func.func private @stacked_gru(%x: !in, %h0: !state, %w: tensor<3x256x512xf32, #stack>, %um: tensor<3x512x512xf32, #stack>,
    %y0: !seq, %z0: !seq, %hn0: !state) -> (!seq, !seq, !state) {
  %y, %z, %hn = fused.recurrence dims(b, t, u, k)
      project(%x by (b, t, k) : !in) weights(%w : tensor<3x256x512xf32, #stack>) state(%h0 by (b, u) : !state)
      outs(%y0 by (b, t, u), %z0 by (b, t, u), %hn0 by (b, u) : !seq, !seq, !state) {
  ^bb0(%xz: !units, %xr: !units, %xc: !units, %h: !units):
    %h1, %zs = fused.phase products(%h * %um : tensor<3x512x512xf32, #stack>) vectors(%xz, %xr, %xc, %h) -> !units, !units
      map {
      ^bb0(%pz: f32, %pr: f32, %pc: f32, %az: f32, %ar: f32, %ac: f32, %hu: f32):
        %z1 = arith.addf %pz, %az : f32
        %zu = fused.sigmoid %z1 : f32
        %r1 = arith.addf %pr, %ar : f32
        %ru = fused.sigmoid %r1 : f32
        %rc = arith.mulf %ru, %pc : f32
        %c1 = arith.addf %rc, %ac : f32
        %c = math.tanh %c1 : f32
        %d = arith.subf %hu, %c : f32
        %zd = arith.mulf %zu, %d : f32
        %y1 = arith.addf %c, %zd : f32
        fused.yield %y1, %zu : f32, f32
      }
    fused.step outputs(%h1, %zs : !units, !units) state(%h1 : !units)
  }
  return %y, %z, %hn : !seq, !seq, !state
}
