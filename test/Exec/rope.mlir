// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17

!p = tensor<?x?xi64>

module @rope {
  func.func @interleaved(%x: tensor<?x?x3x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x3x8xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p interleaved theta(1.0e4) : tensor<?x?x3x8xf32>, !p
    return %y : tensor<?x?x3x8xf32>
  }

  func.func @half_split(%x: tensor<?x?x1x20xf32> {sinter.name = "z", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1x20xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p theta(5.0e5) : tensor<?x?x1x20xf32>, !p
    return %y : tensor<?x?x1x20xf32>
  }

  // Far out, where angles in f32 fail.
  func.func @far(%x: tensor<?x?x2x8xf32> {sinter.name = "w", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
    %million = arith.constant 1000000 : i64
    %c = sinter.broadcast %million like(%p) : i64, !p
    %q = arith.muli %p, %c : !p
    %y = sinter.rope %x, %q : tensor<?x?x2x8xf32>, !p
    return %y : tensor<?x?x2x8xf32>
  }

  // Counted, not given.
  func.func @counted(%x: tensor<?x?x2x8xf32> {sinter.name = "w", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
    %p = sinter.positions %x : tensor<?x?x2x8xf32>
    %y = sinter.rope %x, %p : tensor<?x?x2x8xf32>, !p
    return %y : tensor<?x?x2x8xf32>
  }
}
