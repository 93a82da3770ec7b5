// RUN: sinter-opt -split-input-file -verify-diagnostics %s

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c1(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c1: dimensions 'b, t, k, u', expected 'b, t, u, k'}}
  %r:2 = fused.recurrence dims(b, t, k, u) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c2(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %dynamic: tensor<?x4xf32>) {
  // expected-error@+1 {{recurrence_c2: a weight of type 'tensor<?x4xf32>', expected a static matrix or stack}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%dynamic : tensor<?x4xf32>) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c3(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %vec: tensor<4x?xf32>) {
  // expected-error@+1 {{recurrence_c3: a vector of type 'tensor<4x?xf32>', expected its last index to be 'u', of static extent}}
  %r:2 = fused.recurrence dims(b, t, u, k) vectors(%vec by (u, b) : tensor<4x?xf32>) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c4(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c4: map of a state depends on dimension 't'}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (t, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c5(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %n: tensor<?xi64>) {
  // expected-error@+1 {{recurrence_c5: map of 'lengths' depends on dimension 't'}}
  %r:2 = fused.recurrence dims(b, t, u, k) lengths(%n by (t) : tensor<?xi64>) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c6(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c6: '1' destinations, expected '2', one per output and state of 'fused.step'}}
  %r = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u) : !y) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c6_room(%x: !x, %h: !h, %w: !w, %m: !m, %y: tensor<?x?x3xf32>, %hn: !h) {
  // expected-error@+1 {{recurrence_c6: a destination of type 'tensor<?x?x3xf32>', expected '4' units there}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : tensor<?x?x3xf32>, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c7_stack(%x: !x, %h: !h, %w: tensor<2x8x4xf32>, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c7: the body has arguments '(!fused.units<4xf32>, !fused.units<4xf32>)', expected '(!fused.units<4xf32>, !fused.units<4xf32>, !fused.units<4xf32>)'}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : tensor<2x8x4xf32>) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c7(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c7: the body has arguments '(!fused.units<4xf32>, !fused.units<4xf32>, !fused.units<4xf32>)', expected '(!fused.units<4xf32>, !fused.units<4xf32>)'}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units, %c: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c8(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c8: 'fused.step' gives '0' states, expected '1'}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c8_other(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  // expected-error@+1 {{recurrence_c8: 'arith.constant' in the body, expected phases and a step}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    %zero = arith.constant 0 : index
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @recurrence_c9(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %short: tensor<7x4xf32>) {
  // expected-error@+1 {{recurrence_c9: dimension 'k' has extent '8', but an operand of type 'tensor<7x4xf32>' has '7' there}}
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%short : tensor<7x4xf32>) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c1(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %wide: tensor<4x5xf32>) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c1: a matrix of type 'tensor<4x5xf32>', expected '4' rows and '4' columns}}
    %v = fused.phase products(%s * %wide : tensor<4x5xf32>) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c1_stack(%x: !x, %h: !h, %w: !w, %y: !y, %hn: !h, %wide: tensor<2x3x4xf32>) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c1: a matrix of type 'tensor<2x3x4xf32>', expected '4' rows and '4' columns}}
    %v = "fused.phase"(%s, %wide) <{capture_maps = [], reductions = [], operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
    ^bb0(%p: f32, %q: f32):
      fused.yield %p : f32
    }) : (!units, tensor<2x3x4xf32>) -> !units
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c2(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c2: a vector or result of type '!fused.units<8xf32>', expected '!fused.units<4xf32>'}}
    %v, %v8 = "fused.phase"(%s, %m) <{capture_maps = [], reductions = [], operandSegmentSizes = array<i32: 1, 1, 0, 0>}> ({
    ^bb0(%p: f32):
      fused.yield %p, %p : f32, f32
    }) : (!units, !m) -> (!units, !fused.units<8xf32>)
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c3(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %g: tensor<4xf32>) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c3: map of a capture depends on dimension 'k'}}
    %v = fused.phase products(%s * %m : !m) vectors(%a) captures(%g by (k) : tensor<4xf32>) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c3_room(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h, %g: tensor<3xf32>) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c3: a capture of type 'tensor<3xf32>', expected '4' units there}}
    %v = fused.phase products(%s * %m : !m) vectors(%a) captures(%g by (u) : tensor<3xf32>) -> !units map {
    ^bb0(%p: f32, %xa: f32, %gu: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c5_stack(%x: !x, %h: !h, %w: !w, %m: tensor<2x4x4xf32>, %y: !y, %hn: !h) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c5: 'map' has arguments '(f32, f32)', expected '(f32, f32, f32)'}}
    %v = fused.phase products(%s * %m : tensor<2x4x4xf32>) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c4(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h)
      outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c4: '1' kinds of reductions, expected '0'}}
    %v = "fused.phase"(%a) <{capture_maps = [], reductions = [#fused.reduction<max>],
      operandSegmentSizes = array<i32: 0, 0, 1, 0>}> ({
    ^bb0(%p: f32):
      fused.yield %p : f32
    }) : (!units) -> !units
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c5(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c5: 'map' has arguments '(f32)', expected '(f32, f32)'}}
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32):
      fused.yield %p : f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}

// -----

!x = tensor<?x?x8xf32>
!h = tensor<?x4xf32>
!y = tensor<?x?x4xf32>
!w = tensor<8x4xf32>
!m = tensor<4x4xf32>
!units = !fused.units<4xf32>
func.func @phase_c6(%x: !x, %h: !h, %w: !w, %m: !m, %y: !y, %hn: !h) {
  %r:2 = fused.recurrence dims(b, t, u, k) project(%x by (b, t, k) : !x) weights(%w : !w) state(%h by (b, u) : !h) outs(%y by (b, t, u), %hn by (b, u) : !y, !h) {
  ^bb0(%a: !units, %s: !units):
    // expected-error@+1 {{phase_c6: 'map' yields '(f32, f32)', expected '(f32)'}}
    %v = fused.phase products(%s * %m : !m) vectors(%a) -> !units map {
    ^bb0(%p: f32, %xa: f32):
      fused.yield %p, %p : f32, f32
    }
    fused.step outputs(%v : !units) state(%v : !units)
  }
  return
}
