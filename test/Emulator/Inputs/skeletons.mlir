// Each skeleton once: a map, a row, products, attention with a cache, and a recurrence.

!x = tensor<?x?x32xf32>
!h = tensor<?x?x4x8xf32>

module @skeletons attributes {sinter.archive = "skeletons.safetensors"} {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 4, key = 8, value = 8, f32>

  func.func @step(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!x {sinter.name = "map"}, !x {sinter.name = "row"}, !x {sinter.name = "attention"}, tensor<?x?x20xf32> {sinter.name = "recurrence"}) {
    %map = sinter.silu %x : !x
    %row = sinter.softmax %x : !x
    %wq, %wk, %wv, %b = sinter.weight "wq", "wk", "wv", "b"
        : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32xf32>
    %q = sinter.linear %x, %wq, %b : !x, tensor<32x32xf32>, tensor<32xf32>
    %k = sinter.linear %x, %wk : !x, tensor<32x32xf32>
    %v = sinter.linear %x, %wv : !x, tensor<32x32xf32>
    %qh = sinter.split_heads %q [4] : !x
    %kh = sinter.split_heads %k [4] : !x
    %vh = sinter.split_heads %v [4] : !x
    %a = sinter.attention %qh, %kh, %vh causal append(@kv) lengths(%n : tensor<?xi64>) : !h, !h, !h
    %attention = sinter.merge_heads %a : !h
    %w, %r = sinter.weight "w", "r" : tensor<80x32xf32>, tensor<80x20xf32>
    %recurrence, %hidden, %cell = sinter.lstm %x, %w, %r lengths(%n : tensor<?xi64>)
        : !x, tensor<80x32xf32>, tensor<80x20xf32>
    return %map, %row, %attention, %recurrence : !x, !x, !x, tensor<?x?x20xf32>
  }
}
