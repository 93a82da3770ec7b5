// RUN: sinter-opt %s --convert-fused-to-cpu --split-input-file --verify-diagnostics

// What has no lowering is said where it stands; nothing crashes.

// expected-error @below {{expected one skeleton in a kernel}}
fused.kernel @empty {
^bb0:
}

// -----

!t = memref<?xbf16>
fused.kernel @bf16 {
^bb0(%x: !t, %y: !t):
  // expected-error @below {{elements of type 'bf16' are not supported on a CPU; supported are f32, f64, i1, i32 and i64}}
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}

// -----

!t = memref<?xf32, strided<[2]>>
fused.kernel @strided {
^bb0(%x: !t, %y: !t):
  // expected-error @below {{has a layout that is not contiguous}}
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}

// -----

!x = memref<?x8xf64>
!w = memref<8x8xf64>
fused.kernel @doubles {
^bb0(%x: !x, %w: !w, %y: !x):
  fused.contract dims(m, n, k) ins(%x by (m, k) : !x) outs(%y : !x) {
    // expected-error @below {{products are of f32 on a CPU}}
    fused.segment n(8) weights(%w : !w) stores(%y by (m, n) : !x) {
    ^bb0(%acc: f64):
      fused.yield %acc : f64
    }
  }
}

// -----

// expected-error @below {{has no 'fused.dims': its memory is not planned}}
func.func @entry() {
  return
}

// -----

func.func @entry() attributes {fused.dims = []} {
  // expected-error @below {{no packed tensor is called 'w'}}
  %w = fused.constant @w : memref<4xf32>
  return
}

// -----

func.func @entry() attributes {fused.dims = ["batch"]} {
  // expected-error @below {{no storage has the cursor 'context'}}
  %p = fused.cursor "context" : memref<?xi64>
  return
}

// -----

func.func @entry(%x: memref<4xf32>) attributes {fused.dims = []} {
  // expected-error @below {{'n' is no dimension of entry 'entry'}}
  %n = fused.dim "n"
  return
}

// -----

!t = memref<2147483648xf32>
fused.kernel @long {
^bb0(%x: !t, %y: !t):
  // expected-error @below {{extent 2147483648 of an operand is 2^31 or more, which a CPU's indices do not count to}}
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}
