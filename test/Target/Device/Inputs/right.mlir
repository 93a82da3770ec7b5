// A recurrence with its state in the session.
!x = tensor<?x?x8xf32>
!r = tensor<?x8xf32>
!w = tensor<32x8xf32>
module @right attributes {sinter.archive = "right.safetensors"} {
  sinter.state @hidden dims ["batch"] : !r
  sinter.state @cell dims ["batch"] : !r

  func.func @run(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %wx, %wh = sinter.weight "wx", "wh" : !w, !w
    %h0 = sinter.read @hidden : !r
    %c0 = sinter.read @cell : !r
    %y, %h, %c = sinter.lstm %x, %wx, %wh init(%h0, %c0 : !r, !r) : !x, !w, !w
    sinter.write @hidden, %h : !r
    sinter.write @cell, %c : !r
    return %y : !x
  }
}
