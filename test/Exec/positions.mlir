// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17

!p = tensor<?x?xi64>

module @positions attributes {sinter.archive = "positions.safetensors"} {
  func.func @counted(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!p {sinter.name = "y"}) {
    %y = sinter.positions %x : tensor<?x?x5xf32>
    return %y : !p
  }

  func.func @sinusoidal(%p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "y"}) {
    %y = sinter.sinusoidal_positions %p : !p -> tensor<?x?x12xf32>
    return %y : tensor<?x?x12xf32>
  }

  // Learned positions, added to an embedding.
  func.func @learned(%i: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "y"}) {
    %t, %l = sinter.weight "tokens", "positions" : tensor<11x12xf32>, tensor<17x12xf32>
    %x = sinter.embedding %i, %t : tensor<?x?xi32>, tensor<11x12xf32>
    %p = sinter.positions %i : tensor<?x?xi32>
    %e = sinter.embedding %p, %l : !p, tensor<17x12xf32>
    %y = arith.addf %x, %e : tensor<?x?x12xf32>
    return %y : tensor<?x?x12xf32>
  }

  func.func @halves(%p: !p {sinter.name = "p", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "y"}) {
    %y = sinter.sinusoidal_positions %p halves : !p -> tensor<?x?x12xf32>
    return %y : tensor<?x?x12xf32>
  }

  // BART: the table's first two rows are for other purposes.
  func.func @offset(%i: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "y"}) {
    %t, %l = sinter.weight "tokens", "late_positions" : tensor<11x12xf32>, tensor<19x12xf32>
    %x = sinter.embedding %i, %t : tensor<?x?xi32>, tensor<11x12xf32>
    %p = sinter.positions %i offset(2) : tensor<?x?xi32>
    %e = sinter.embedding %p, %l : !p, tensor<19x12xf32>
    %y = arith.addf %x, %e : tensor<?x?x12xf32>
    return %y : tensor<?x?x12xf32>
  }

  // BERT: tokens, positions and token types, then the norm.
  func.func @types(%i: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?xi32> {sinter.name = "types", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "y"}) {
    %t, %l, %s = sinter.weight "tokens", "places", "types" : tensor<11x12xf32>, tensor<17x12xf32>, tensor<2x12xf32>
    %g, %b = sinter.weight "g", "b" : tensor<12xf32>, tensor<12xf32>
    %x = sinter.embedding %i, %t : tensor<?x?xi32>, tensor<11x12xf32>
    %p = sinter.positions %i : tensor<?x?xi32>
    %e = sinter.embedding %p, %l : !p, tensor<17x12xf32>
    %c = sinter.embedding %k, %s : tensor<?x?xi32>, tensor<2x12xf32>
    %xe = arith.addf %x, %e : tensor<?x?x12xf32>
    %sum = arith.addf %xe, %c : tensor<?x?x12xf32>
    %y = sinter.layer_norm %sum, %g, %b eps(1.0e-12) : tensor<?x?x12xf32>, tensor<12xf32>, tensor<12xf32>
    return %y : tensor<?x?x12xf32>
  }

  func.func @slopes(%x: tensor<?x6xf32> {sinter.name = "h", sinter.dims = ["batch"]}) -> (tensor<?x6xf32> {sinter.name = "y"}) {
    %s = sinter.alibi_slopes : tensor<6xf32>
    %b = sinter.broadcast %s like(%x) : tensor<6xf32>, tensor<?x6xf32>
    %y = arith.mulf %x, %b : tensor<?x6xf32>
    return %y : tensor<?x6xf32>
  }
}
