// RUN: sinter-run %s %sweep --dim=batch=0,3 --dim=width=0,1,2

// Rows of no element are legal, and so are none of them.

!x = tensor<?x?xf32>

module @width0 {
  func.func @dynamic(%x: !x {sinter.name = "x", sinter.dims = ["batch", "width"]}) -> (!x {sinter.name = "softmax"}, !x {sinter.name = "log_softmax"}) {
    %s = sinter.softmax %x : !x
    %l = sinter.log_softmax %x : !x
    return %s, %l : !x, !x
  }
}
