// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: not sinter-run %s --random-weights --input=random --entry=offset_added --dim=batch=1 --dim=sequence=18 2>&1 | FileCheck %s
// RUN: not sinter-run %s --random-weights --reference --input=ids=1x18xi32=0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0 --entry=offset_added --dim=batch=1 --dim=sequence=18 2>&1 | FileCheck %s --check-prefix=REFERENCE
// CHECK: positions_offset_added: sequence is outside 0..17
// REFERENCE: index '19' is outside of the table's '19' rows

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

  // The same, written out; past the table's end a call is refused, not clamped.
  func.func @offset_added(%i: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x12xf32> {sinter.name = "y"}) {
    %t, %l = sinter.weight "tokens", "late_positions" : tensor<11x12xf32>, tensor<19x12xf32>
    %two = arith.constant 2 : i64
    %x = sinter.embedding %i, %t : tensor<?x?xi32>, tensor<11x12xf32>
    %p = sinter.positions %i : tensor<?x?xi32>
    %c = sinter.broadcast %two like(%p) : i64, !p
    %q = arith.addi %p, %c : !p
    %e = sinter.embedding %q, %l : !p, tensor<19x12xf32>
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
