// What the session's kernel does: checks of lengths, ids and room, cursors, positions, states that grow, stay in idle rows, and change
// their extents.

!m   = tensor<?x?x6xf32>
!row = tensor<?x6xf32>
!len = tensor<?xi64>
!ids = tensor<?x?xi32>
!h   = tensor<?x?x2x3xf32>

module @states attributes {sinter.archive = "states.safetensors"} {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 3, value = 3, f32>
  sinter.state @memory dims ["batch", "source"] : !m
  sinter.state @count dims ["batch"] : !len

  func.func @encode(%x: !m {sinter.name = "x", sinter.dims = ["batch", "source"]}, %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!row {sinter.name = "last"}) {
    %y = math.absf %x : !m
    %last = sinter.last %y lengths(%n : !len) : !m
    sinter.write @memory, %y : !m
    sinter.write @count, %n : !len
    return %last : !row
  }

  func.func @shrink(%x: tensor<?x2x6xf32> {sinter.name = "two", sinter.dims = ["batch"]}, %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!row {sinter.name = "last"}) {
    %last = sinter.last %x lengths(%n : !len) : tensor<?x2x6xf32>
    sinter.write @memory, %x : tensor<?x2x6xf32>
    sinter.write @count, %n : !len
    return %last : !row
  }

  func.func @decode(%ids: !ids {sinter.name = "ids", sinter.dims = ["batch", "sequence"]}, %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!m {sinter.name = "y"}) {
    %t, %l = sinter.weight "tokens", "positions" : tensor<11x6xf32>, tensor<64x6xf32>
    %e = sinter.embedding %ids, %t : !ids, tensor<11x6xf32>
    %at = sinter.positions %ids after("context") : !ids
    %p = sinter.embedding %at, %l : tensor<?x?xi64>, tensor<64x6xf32>
    %x = arith.addf %e, %p : !m
    %q = sinter.split_heads %x [2] : !m
    %a = sinter.attention %q, %q, %q causal append(@kv) lengths(%n : !len) : !h, !h, !h
    %count = sinter.read @count : !len
    %m = sinter.read @memory : !m
    %k = sinter.split_heads %m [2] : !m
    %c = sinter.attention %a, %k, %k lengths(%count : !len) : !h, !h, !h
    %y = sinter.merge_heads %c : !h
    return %y : !m
  }

  func.func @start_again(%x: tensor<?x1xf32> {sinter.name = "z", sinter.dims = ["batch"]}) -> (tensor<?x1xf32> {sinter.name = "same"}) {
    sinter.restart "context"
    return %x : tensor<?x1xf32>
  }
}
