// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7,33
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=5 --dim=sequence=70 --nasty

!x = tensor<?x?x11xf32>
!h = tensor<?x20xf32>
!y = tensor<?x?x20xf32>
!w = tensor<80x11xf32>
!r = tensor<80x20xf32>
!b = tensor<80xf32>
!n = tensor<?xi64>

module @lstm attributes {sinter.archive = "lstm.safetensors"} {
  func.func @plain(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w, %r = sinter.weight "w", "r" : !w, !r
    %y, %h, %c = sinter.lstm %x, %w, %r : !x, !w, !r
    return %y : !y
  }

  // Past a row's length it keeps its state and its output is 0.
  func.func @lengths(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!y {sinter.name = "y"}, !h {sinter.name = "hidden"}, !h {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh" : !w, !r, !b, !b
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh lengths(%n : !n) gates("ifgo") : !x, !w, !r, !b, !b
    return %y, %h, %c : !y, !h, !h
  }

  func.func @initial(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %h0: !h {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: !h {sinter.name = "c0", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}, !h {sinter.name = "hidden"}, !h {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh" : !w, !r, !b, !b
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh init(%h0, %c0 : !h, !h) gates("iofg") : !x, !w, !r, !b, !b
    return %y, %h, %c : !y, !h, !h
  }

  func.func @cell(%x: tensor<?x11xf32> {sinter.name = "row", sinter.dims = ["batch"]}, %h0: !h {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: !h {sinter.name = "c0", sinter.dims = ["batch"]}) -> (!h {sinter.name = "hidden"}, !h {sinter.name = "cell"}) {
    %w, %r = sinter.weight "w", "r" : !w, !r
    %h, %c = sinter.lstm_cell %x, %h0, %c0, %w, %r : tensor<?x11xf32>, !h, !h, !w, !r
    return %h, %c : !h, !h
  }
}
