// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=50 --nasty

!x = tensor<?x?x7xf32>
!b = tensor<?x?x7xi1>

// Upstream arith and math on tensors.
module @elementwise {
  func.func @arithmetic(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %z: !x {sinter.name = "z", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "quotient"}, !x {sinter.name = "largest"}, !x {sinter.name = "least"}, !x {sinter.name = "chosen"}) {
    %q = arith.divf %x, %z : !x
    %u = arith.maximumf %x, %z : !x
    %l = arith.minimumf %x, %z : !x
    %p = arith.cmpf olt, %x, %z : !x
    %n = arith.negf %x : !x
    %s = arith.subf %n, %z : !x
    %m = arith.mulf %s, %x : !x
    %c = arith.select %p, %m, %z : !b, !x
    return %q, %u, %l, %c : !x, !x, !x, !x
  }

  func.func @functions(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "exp"}, !x {sinter.name = "log"}, !x {sinter.name = "tanh"}, !x {sinter.name = "erf"}, !x {sinter.name = "sqrt"},
          !x {sinter.name = "rsqrt"}, !x {sinter.name = "sin"}, !x {sinter.name = "cos"}) {
    %abs = math.absf %x : !x
    %a = math.exp %x : !x
    %b = math.log %abs : !x
    %c = math.tanh %x : !x
    %d = math.erf %x : !x
    %e = math.sqrt %abs : !x
    %f = math.rsqrt %abs : !x
    %g = math.sin %x : !x
    %h = math.cos %x : !x
    return %a, %b, %c, %d, %e, %f, %g, %h : !x, !x, !x, !x, !x, !x, !x, !x
  }

  func.func @more_functions(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %z: !x {sinter.name = "z", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "exp2"}, !x {sinter.name = "log2"}, !x {sinter.name = "expm1"}, !x {sinter.name = "pow"}, !x {sinter.name = "floor"},
          !x {sinter.name = "ceil"}, !x {sinter.name = "even"}, !x {sinter.name = "fma"}) {
    %abs = math.absf %x : !x
    %a = math.exp2 %x : !x
    %b = math.log2 %abs : !x
    %c = math.expm1 %x : !x
    %d = math.powf %abs, %z : !x
    %e = math.floor %x : !x
    %f = math.ceil %x : !x
    %g = math.roundeven %x : !x
    %h = math.fma %x, %z, %x : !x
    return %a, %b, %c, %d, %e, %f, %g, %h : !x, !x, !x, !x, !x, !x, !x, !x
  }

  func.func @integers(%x: tensor<?x?xi64> {sinter.name = "i", sinter.dims = ["batch", "sequence"]}, %z: tensor<?x?xi64> {sinter.name = "j", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?xi64> {sinter.name = "y"}, tensor<?x?xf32> {sinter.name = "real"}) {
    %s = arith.addi %x, %z : tensor<?x?xi64>
    %m = arith.muli %s, %x : tensor<?x?xi64>
    %l = arith.maxsi %m, %z : tensor<?x?xi64>
    %r = arith.sitofp %l : tensor<?x?xi64> to tensor<?x?xf32>
    return %l, %r : tensor<?x?xi64>, tensor<?x?xf32>
  }
}
