// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=50 --nasty

!x = tensor<?x?x7xf32>

module @activations {
  func.func @all(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (!x {sinter.name = "gelu"}, !x {sinter.name = "gelu_tanh"}, !x {sinter.name = "silu"}, !x {sinter.name = "relu"}, !x {sinter.name = "sigmoid"}) {
    %a = sinter.gelu %x : !x
    %b = sinter.gelu %x tanh : !x
    %c = sinter.silu %x : !x
    %d = sinter.relu %x : !x
    %e = sinter.sigmoid %x : !x
    return %a, %b, %c, %d, %e : !x, !x, !x, !x, !x
  }
}
