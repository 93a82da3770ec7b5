// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=9 --calls=3

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

  // Columns from the sixth on stay.
  func.func @partial(%x: tensor<?x?x3x10xf32> {sinter.name = "x3x10", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x3x10xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p rotary(6) : tensor<?x?x3x10xf32>, !p
    return %y : tensor<?x?x3x10xf32>
  }

  func.func @partial_interleaved(%x: tensor<?x?x1x35xf32> {sinter.name = "x1x35", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1x35xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p interleaved rotary(18) theta(5.0e5) : tensor<?x?x1x35xf32>, !p
    return %y : tensor<?x?x1x35xf32>
  }

  func.func @linear(%x: tensor<?x?x2x8xf32> {sinter.name = "x2x8", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p scaling<linear, factor = 4.0> : tensor<?x?x2x8xf32>, !p
    return %y : tensor<?x?x2x8xf32>
  }

  func.func @yarn(%x: tensor<?x?x2x16xf32> {sinter.name = "x2x16", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x16xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p theta(1.0e4) scaling<yarn, factor = 4.0, original_length = 64> : tensor<?x?x2x16xf32>, !p
    return %y : tensor<?x?x2x16xf32>
  }

  func.func @llama3(%x: tensor<?x?x2x16xf32> {sinter.name = "x2x16", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x16xf32> {sinter.name = "y"}) {
    %y = sinter.rope %x, %p theta(5.0e5) scaling<llama3, factor = 8.0, original_length = 512, low_freq_factor = 1.0, high_freq_factor = 4.0> : tensor<?x?x2x16xf32>, !p
    return %y : tensor<?x?x2x16xf32>
  }

  // Rows reach different lengths, some beyond those of training.
  func.func @dynamic(%x: tensor<?x?x2x8xf32> {sinter.name = "x2x8", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
    %many = arith.constant 100 : i64
    %c = sinter.broadcast %many like(%p) : i64, !p
    %q = arith.muli %p, %c : !p
    %y = sinter.rope %x, %q scaling<dynamic, factor = 2.0, original_length = 100> : tensor<?x?x2x8xf32>, !p
    return %y : tensor<?x?x2x8xf32>
  }

  func.func @longrope(%x: tensor<?x?x2x8xf32> {sinter.name = "x2x8", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
    %many = arith.constant 100 : i64
    %c = sinter.broadcast %many like(%p) : i64, !p
    %q = arith.muli %p, %c : !p
    %y = sinter.rope %x, %q rotary(4) scaling<longrope, original_length = 300, factor = 4.0, short_factor = [1.0, 1.5], long_factor = [2.0, 8.0]> : tensor<?x?x2x8xf32>, !p
    return %y : tensor<?x?x2x8xf32>
  }

  // What lies past a row's length does not count.
  func.func @lengths(%x: tensor<?x?x2x8xf32> {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %p: !p {sinter.name = "r", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]}) -> (tensor<?x?x2x8xf32> {sinter.name = "y"}) {
    %many = arith.constant 100 : i64
    %c = sinter.broadcast %many like(%p) : i64, !p
    %q = arith.muli %p, %c : !p
    %y = sinter.rope %x, %q lengths(%n : tensor<?xi64>) scaling<dynamic, factor = 2.0, original_length = 100> : tensor<?x?x2x8xf32>, !p
    return %y : tensor<?x?x2x8xf32>
  }
}
