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
}
