// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,17

// Infinities and NaN in some rows, none in others; rows of nothing else. The
// reference and the kernels give NaN in the same places.

!x = tensor<?x?x21xf32>
!i = tensor<?x?x21xi1>
!g = tensor<21xf32>

module @nonfinite attributes {sinter.archive = "nonfinite.safetensors"} {
  func.func @softmax(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %r: !x {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "low"}, !x {sinter.name = "high"}, !x {sinter.name = "none"}) {
    %c = arith.constant 0.9 : f32
    %l = arith.constant 0xFF800000 : f32
    %h = arith.constant 0x7F800000 : f32
    %n = arith.constant 0x7FC00000 : f32
    %limit = sinter.broadcast %c like(%x) : f32, !x
    %low = sinter.broadcast %l like(%x) : f32, !x
    %high = sinter.broadcast %h like(%x) : f32, !x
    %none = sinter.broadcast %n like(%x) : f32, !x
    %p = arith.cmpf ogt, %r, %limit : !x
    %sl = arith.select %p, %low, %x : !i, !x
    %sh = arith.select %p, %high, %x : !i, !x
    %sn = arith.select %p, %none, %x : !i, !x
    %yl = sinter.softmax %sl : !x
    %yh = sinter.softmax %sh : !x
    %yn = sinter.softmax %sn : !x
    return %yl, %yh, %yn : !x, !x, !x
  }

  func.func @log_softmax(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %r: !x {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "low"}, !x {sinter.name = "high"}, !x {sinter.name = "none"}) {
    %c = arith.constant 0.9 : f32
    %l = arith.constant 0xFF800000 : f32
    %h = arith.constant 0x7F800000 : f32
    %n = arith.constant 0x7FC00000 : f32
    %limit = sinter.broadcast %c like(%x) : f32, !x
    %low = sinter.broadcast %l like(%x) : f32, !x
    %high = sinter.broadcast %h like(%x) : f32, !x
    %none = sinter.broadcast %n like(%x) : f32, !x
    %p = arith.cmpf ogt, %r, %limit : !x
    %sl = arith.select %p, %low, %x : !i, !x
    %sh = arith.select %p, %high, %x : !i, !x
    %sn = arith.select %p, %none, %x : !i, !x
    %yl = sinter.log_softmax %sl : !x
    %yh = sinter.log_softmax %sh : !x
    %yn = sinter.log_softmax %sn : !x
    return %yl, %yh, %yn : !x, !x, !x
  }

  func.func @layer_norm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %r: !x {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "low"}, !x {sinter.name = "high"}, !x {sinter.name = "none"}) {
    %g, %b = sinter.weight "g", "b" : !g, !g
    %c = arith.constant 0.9 : f32
    %l = arith.constant 0xFF800000 : f32
    %h = arith.constant 0x7F800000 : f32
    %n = arith.constant 0x7FC00000 : f32
    %limit = sinter.broadcast %c like(%x) : f32, !x
    %low = sinter.broadcast %l like(%x) : f32, !x
    %high = sinter.broadcast %h like(%x) : f32, !x
    %none = sinter.broadcast %n like(%x) : f32, !x
    %p = arith.cmpf ogt, %r, %limit : !x
    %sl = arith.select %p, %low, %x : !i, !x
    %sh = arith.select %p, %high, %x : !i, !x
    %sn = arith.select %p, %none, %x : !i, !x
    %yl = sinter.layer_norm %sl, %g, %b eps(1.0e-5) : !x, !g, !g
    %yh = sinter.layer_norm %sh, %g, %b eps(1.0e-5) : !x, !g, !g
    %yn = sinter.layer_norm %sn, %g, %b eps(1.0e-5) : !x, !g, !g
    return %yl, %yh, %yn : !x, !x, !x
  }

  func.func @rms_norm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %r: !x {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "low"}, !x {sinter.name = "high"}, !x {sinter.name = "none"}) {
    %g, %b = sinter.weight "g", "b" : !g, !g
    %c = arith.constant 0.9 : f32
    %l = arith.constant 0xFF800000 : f32
    %h = arith.constant 0x7F800000 : f32
    %n = arith.constant 0x7FC00000 : f32
    %limit = sinter.broadcast %c like(%x) : f32, !x
    %low = sinter.broadcast %l like(%x) : f32, !x
    %high = sinter.broadcast %h like(%x) : f32, !x
    %none = sinter.broadcast %n like(%x) : f32, !x
    %p = arith.cmpf ogt, %r, %limit : !x
    %sl = arith.select %p, %low, %x : !i, !x
    %sh = arith.select %p, %high, %x : !i, !x
    %sn = arith.select %p, %none, %x : !i, !x
    %yl = sinter.rms_norm %sl, %g eps(1.0e-5) : !x, !g
    %yh = sinter.rms_norm %sh, %g eps(1.0e-5) : !x, !g
    %yn = sinter.rms_norm %sn, %g eps(1.0e-5) : !x, !g
    return %yl, %yh, %yn : !x, !x, !x
  }
}
