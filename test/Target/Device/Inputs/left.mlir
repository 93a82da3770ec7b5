// Attention over a cache, behind a matrix.
!x = tensor<?x?x8xf32>
!h = tensor<?x?x2x4xf32>
module @left attributes {sinter.archive = "left.safetensors"} {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 4, value = 4, f32>

  func.func @run(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!x {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<8x8xf32>
    %p = sinter.linear %x, %w : !x, tensor<8x8xf32>
    %q = sinter.split_heads %p [2] : !x
    %a = sinter.attention %q, %q, %q causal append(@kv) : !h, !h, !h
    %y = sinter.merge_heads %a : !h
    return %y : !x
  }
}
