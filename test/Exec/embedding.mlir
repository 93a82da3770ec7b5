// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17

module @embedding attributes {sinter.archive = "embedding.safetensors"} {
  func.func @ids32(%i: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}) {
    %w = sinter.weight "table" : tensor<37x20xf32>
    %y = sinter.embedding %i, %w : tensor<?x?xi32>, tensor<37x20xf32>
    return %y : tensor<?x?x20xf32>
  }

  // A row of one element, and a table of one row.
  func.func @narrow(%i: tensor<?xi64> {sinter.name = "row", sinter.dims = ["batch"]})
      -> (tensor<?x1xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "z"}) {
    %w, %v = sinter.weight "column", "one" : tensor<16x1xf32>, tensor<16x5xf32>
    %y = sinter.embedding %i, %w : tensor<?xi64>, tensor<16x1xf32>
    %z = sinter.embedding %i, %v : tensor<?xi64>, tensor<16x5xf32>
    return %y, %z : tensor<?x1xf32>, tensor<?x5xf32>
  }

  // The table is also the last matrix.
  func.func @tied(%i: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x37xf32> {sinter.name = "logits"}) {
    %w = sinter.weight "table" : tensor<37x20xf32>
    %x = sinter.embedding %i, %w : tensor<?x?xi32>, tensor<37x20xf32>
    %y = sinter.linear %x, %w : tensor<?x?x20xf32>, tensor<37x20xf32>
    return %y : tensor<?x?x37xf32>
  }
}
