// Each form of fused.contract: rows of a group by the tile, a few, one; weights that are packed, whose columns or whose depth lie
// side by side; one segment and three, pairs, groups, rows that are not stored.

!x = tensor<?x?x37xf32>

module @products attributes {sinter.archive = "products.safetensors"} {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 1, key = 8, value = 8, f32>

  // Nothing is a multiple of anything.
  func.func @odd(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x65xf32> {sinter.name = "y"}) {
    %w, %b = sinter.weight "w", "b" : tensor<65x37xf32>, tensor<65xf32>
    %y = sinter.linear %x, %w, %b : !x, tensor<65x37xf32>, tensor<65xf32>
    return %y : tensor<?x?x65xf32>
  }

  // Two weights of one segment, accesses of 16 bytes.
  func.func @gated(%x: tensor<?x?x20xf32> {sinter.name = "even", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x72xf32> {sinter.name = "y"}) {
    %g, %u = sinter.weight "gate", "up" : tensor<72x20xf32>, tensor<72x20xf32>
    %a = sinter.linear %x, %g : tensor<?x?x20xf32>, tensor<72x20xf32>
    %s = sinter.silu %a : tensor<?x?x72xf32>
    %c = sinter.linear %x, %u : tensor<?x?x20xf32>, tensor<72x20xf32>
    %y = arith.mulf %s, %c : tensor<?x?x72xf32>
    return %y : tensor<?x?x72xf32>
  }

  // Three segments, of which two go to a cache, of rows up to their length.
  func.func @segments(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x19xf32> {sinter.name = "y"}) {
    %u, %wk, %wv = sinter.weight "u", "wk", "wv" : tensor<19x37xf32>, tensor<8x37xf32>, tensor<8x37xf32>
    %y = sinter.linear %x, %u : !x, tensor<19x37xf32>
    %k0 = sinter.linear %x, %wk : !x, tensor<8x37xf32>
    %v0 = sinter.linear %x, %wv : !x, tensor<8x37xf32>
    %k = sinter.split_heads %k0 [1] : tensor<?x?x8xf32>
    %v = sinter.split_heads %v0 [1] : tensor<?x?x8xf32>
    sinter.fill @kv, %k, %v lengths(%n : tensor<?xi64>) : tensor<?x?x1x8xf32>, tensor<?x?x1x8xf32>
    return %y : tensor<?x?x19xf32>
  }

  // Both sides are activations: each row of the batch is a group.
  func.func @columns(%a: tensor<?x?x20xf32> {sinter.name = "a", sinter.dims = ["batch", "sequence"]},
      %b: tensor<?x20x?xf32> {sinter.name = "b", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b : tensor<?x?x20xf32>, tensor<?x20x?xf32>
    return %y : tensor<?x?x?xf32>
  }
  func.func @depth(%a: tensor<?x?x20xf32> {sinter.name = "a", sinter.dims = ["batch", "sequence"]},
      %b: tensor<?x?x20xf32> {sinter.name = "bt", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b transpose_rhs : tensor<?x?x20xf32>, tensor<?x?x20xf32>
    return %y : tensor<?x?x?xf32>
  }
  // Neighbours along k are no neighbours.
  func.func @rows(%a: tensor<?x13x?xf32> {sinter.name = "at", sinter.dims = ["batch", "sequence"]},
      %b: tensor<?x13x?xf32> {sinter.name = "c", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x?xf32> {sinter.name = "y"}) {
    %y = sinter.matmul %a, %b transpose_lhs : tensor<?x13x?xf32>, tensor<?x13x?xf32>
    return %y : tensor<?x?x?xf32>
  }

  // Only one row, and enough columns for tiles of 128 by 128.
  func.func @large(%x: tensor<?x?x20xf32> {sinter.name = "even", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x2049xf32> {sinter.name = "y"}) {
    %w = sinter.weight "large" : tensor<2049x20xf32>
    %y = sinter.linear %x, %w : tensor<?x?x20xf32>, tensor<2049x20xf32>
    return %y : tensor<?x?x2049xf32>
  }
  sinter.entry @one = @odd with {batch = 1, sequence = 1}
}
