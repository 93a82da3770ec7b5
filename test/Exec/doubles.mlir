// RUN: sinter-run %s %sweep --dim=n=0,1,7,33
// RUN: sinter-run %s %sweep --dim=n=130 --nasty

!x = tensor<?xf64>

// Functions of f64 have the accuracy of f64.
module @doubles {
  func.func @exponentials(%x: !x {sinter.name = "x", sinter.dims = ["n"]})
      -> (!x {sinter.name = "exp"}, !x {sinter.name = "tanh"}, !x {sinter.name = "erf"}, !x {sinter.name = "log"}) {
    %a = math.exp %x : !x
    %b = math.tanh %x : !x
    %c = math.erf %x : !x
    %s = math.absf %x : !x
    %d = math.log %s : !x
    return %a, %b, %c, %d : !x, !x, !x, !x
  }

  func.func @angles(%x: !x {sinter.name = "x", sinter.dims = ["n"]})
      -> (!x {sinter.name = "sin"}, !x {sinter.name = "cos"}, !x {sinter.name = "rsqrt"}) {
    %a = math.sin %x : !x
    %b = math.cos %x : !x
    %s = math.absf %x : !x
    %c = math.rsqrt %s : !x
    return %a, %b, %c : !x, !x, !x
  }
}
