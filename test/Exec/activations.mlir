// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=50 --nasty

!x = tensor<?x?x7xf32>

module @activations {
  func.func @all(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "gelu"}, !x {sinter.name = "gelu_tanh"}, !x {sinter.name = "silu"}, !x {sinter.name = "relu"}, !x {sinter.name = "sigmoid"},
          !x {sinter.name = "quick_gelu"}, !x {sinter.name = "mish"}, !x {sinter.name = "relu_squared"}, !x {sinter.name = "leaky_relu"},
          !x {sinter.name = "thresholded_relu"}, !x {sinter.name = "elu"}, !x {sinter.name = "hard_sigmoid"}, !x {sinter.name = "hard_swish"},
          !x {sinter.name = "softplus"}, !x {sinter.name = "softsign"}) {
    %a = sinter.gelu %x : !x
    %b = sinter.gelu %x tanh : !x
    %c = sinter.silu %x : !x
    %d = sinter.relu %x : !x
    %e = sinter.sigmoid %x : !x
    %f = sinter.quick_gelu %x : !x
    %g = sinter.mish %x : !x
    %h = sinter.relu_squared %x : !x
    %i = sinter.leaky_relu %x alpha(0.01) : !x
    %j = sinter.thresholded_relu %x alpha(0.25) : !x
    %k = sinter.elu %x alpha(1.3) : !x
    %l = sinter.hard_sigmoid %x alpha(0.2) beta(0.5) : !x
    %m = sinter.hard_swish %x : !x
    %n = sinter.softplus %x : !x
    %o = sinter.softsign %x : !x
    return %a, %b, %c, %d, %e, %f, %g, %h, %i, %j, %k, %l, %m, %n, %o : !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x
  }

  // A third of the numbers is minus infinity, a third plus infinity, some are NaN.
  func.func @not_finite(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "gelu"}, !x {sinter.name = "gelu_tanh"}, !x {sinter.name = "silu"}, !x {sinter.name = "relu"}, !x {sinter.name = "sigmoid"},
          !x {sinter.name = "quick_gelu"}, !x {sinter.name = "mish"}, !x {sinter.name = "relu_squared"}, !x {sinter.name = "leaky_relu"},
          !x {sinter.name = "thresholded_relu"}, !x {sinter.name = "elu"}, !x {sinter.name = "hard_sigmoid"}, !x {sinter.name = "hard_swish"},
          !x {sinter.name = "softplus"}, !x {sinter.name = "softsign"}) {
    %third = arith.constant 0.3 : f32
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %none = arith.constant 0x7FC00000 : f32
    %t = sinter.broadcast %third like(%x) : f32, !x
    %tn = arith.negf %t : !x
    %l = sinter.broadcast %low like(%x) : f32, !x
    %h = sinter.broadcast %high like(%x) : f32, !x
    %q = sinter.broadcast %none like(%x) : f32, !x
    %isLow = arith.cmpf olt, %x, %tn : !x
    %isHigh = arith.cmpf ogt, %x, %t : !x
    %s0 = arith.select %isLow, %l, %x : tensor<?x?x7xi1>, !x
    %s1 = arith.select %isHigh, %h, %s0 : tensor<?x?x7xi1>, !x
    %small = arith.mulf %t, %t : !x
    %square = arith.mulf %x, %x : !x
    %isNone = arith.cmpf olt, %square, %small : !x
    %near = arith.mulf %square, %square : !x
    %isNear = arith.cmpf olt, %near, %small : !x
    %isNan = arith.andi %isNone, %isNear : tensor<?x?x7xi1>
    %s = arith.select %isNan, %q, %s1 : tensor<?x?x7xi1>, !x
    %a = sinter.gelu %s : !x
    %b = sinter.gelu %s tanh : !x
    %c = sinter.silu %s : !x
    %d = sinter.relu %s : !x
    %e = sinter.sigmoid %s : !x
    %f = sinter.quick_gelu %s : !x
    %g = sinter.mish %s : !x
    %r = sinter.relu_squared %s : !x
    %i = sinter.leaky_relu %s alpha(0.01) : !x
    %j = sinter.thresholded_relu %s alpha(0.25) : !x
    %k = sinter.elu %s alpha(1.3) : !x
    %hs = sinter.hard_sigmoid %s alpha(0.2) beta(0.5) : !x
    %m = sinter.hard_swish %s : !x
    %n = sinter.softplus %s : !x
    %o = sinter.softsign %s : !x
    return %a, %b, %c, %d, %e, %f, %g, %r, %i, %j, %k, %hs, %m, %n, %o : !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x, !x
  }
}
