// RUN: sinter-run %s %sweep --calls=4 --dim=batch=1,3 --dim=sequence=1,5 --entry=step --entry=lstm

!h = tensor<?x20xf32>
!w = tensor<80x11xf32>
!r = tensor<80x20xf32>

// State that no entry has written is zero; an entry sees it as it was at its start.
module @state attributes {sinter.archive = "state.safetensors"} {
  sinter.state @sum dims ["batch"] : !h
  sinter.state @hidden dims ["batch"] : !h
  sinter.state @cell dims ["batch"] : !h

  func.func @step(%x: !h {sinter.name = "x", sinter.dims = ["batch"]}) -> (!h {sinter.name = "before"}, !h {sinter.name = "after"}) {
    %old = sinter.read @sum : !h
    %new = arith.addf %old, %x : !h
    sinter.write @sum, %new : !h
    %seen = sinter.read @sum : !h
    return %seen, %new : !h, !h
  }

  func.func @lstm(%x: tensor<?x?x11xf32> {sinter.name = "s", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x20xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "w", "r" : !w, !r
    %h0 = sinter.read @hidden : !h
    %c0 = sinter.read @cell : !h
    %y, %h, %c = sinter.lstm %x, %w, %r init(%h0, %c0 : !h, !h) : tensor<?x?x11xf32>, !w, !r
    sinter.write @hidden, %h : !h
    sinter.write @cell, %c : !h
    return %y : tensor<?x?x20xf32>
  }
}
