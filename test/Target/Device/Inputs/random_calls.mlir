// Tensors of dynamic extents, one of them by two, of two sizes of elements, beside one that is static and a cache.
!grid = tensor<?x?x?x3xf32>
!ids = tensor<?x?xi64>
!marks = tensor<?x?xi32>
!len = tensor<?xi64>
!rows = tensor<?x?x4xf32>
!q = tensor<?x?x2x4xf32>

module @random_calls {
  sinter.state @grid dims ["batch", "height", "width"] : !grid
  sinter.state @ids dims ["batch", "height"] : !ids
  sinter.state @marks dims ["batch", "width"] : !marks
  sinter.state @count dims ["batch"] : !len
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 4, value = 4, f32>

  // Rows of length 0 keep what they have.
  func.func @put(%g: !grid {sinter.name = "grid", sinter.dims = ["batch", "height", "width"]},
      %i: !ids {sinter.name = "ids", sinter.dims = ["batch", "height"]},
      %m: !marks {sinter.name = "marks", sinter.dims = ["batch", "width"]},
      %r: !rows {sinter.name = "rows", sinter.dims = ["batch", "height"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x4xf32> {sinter.name = "last"}) {
    %last = sinter.last %r lengths(%lengths : !len) : !rows
    sinter.write @grid, %g : !grid
    sinter.write @ids, %i : !ids
    sinter.write @marks, %m : !marks
    sinter.write @count, %lengths : !len
    return %last : tensor<?x4xf32>
  }

  func.func @get() -> (!grid {sinter.name = "grid", sinter.dims = ["batch", "height", "width"]},
      !ids {sinter.name = "ids"}, !marks {sinter.name = "marks"}, !len {sinter.name = "count"}) {
    %g = sinter.read @grid : !grid
    %i = sinter.read @ids : !ids
    %m = sinter.read @marks : !marks
    %n = sinter.read @count : !len
    return %g, %i, %m, %n : !grid, !ids, !marks, !len
  }

  func.func @append(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %q, %q causal lengths(%lengths : !len) append(@kv) : !q, !q, !q
    return %y : !q
  }

  // All that a row's cache holds.
  func.func @look(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q from(@kv) : !q -> !q
    return %y : !q
  }
}
