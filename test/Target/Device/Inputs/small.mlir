!ids = tensor<?x?xi64>
!len = tensor<?xi64>
!m   = tensor<?x?x4xf32>
!h   = tensor<?x?x1x4xf32>

module @small attributes {sinter.archive = "small.safetensors"} {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
  sinter.state @memory dims ["batch", "source"] : !m

  func.func @run(%i: !ids {sinter.name = "ids", sinter.dims = ["batch", "sequence"]},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!m {sinter.name = "y"}) {
    %t = sinter.weight "t" : tensor<7x4xf32>
    %e = sinter.embedding %i, %t : !ids, tensor<7x4xf32>
    %h = sinter.split_heads %e [1] : !m
    %a = sinter.attention %h, %h, %h causal append(@kv) lengths(%n : !len) : !h, !h, !h
    %y = sinter.merge_heads %a : !h
    return %y : !m
  }
  func.func @put(%x: !m {sinter.name = "x", sinter.dims = ["batch", "source"]}) {
    sinter.write @memory, %x : !m
    return
  }
  func.func @get() -> (!m {sinter.name = "m", sinter.dims = ["batch", "source"]}) {
    %m = sinter.read @memory : !m
    return %m : !m
  }
}
