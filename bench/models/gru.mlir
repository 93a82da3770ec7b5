// A GRU of 512 units over a narrow input, its reset gate after the matrix.
!x = tensor<?x?x16xf32>
!w = tensor<1536x16xf32>
!r = tensor<1536x512xf32>
!b = tensor<1536xf32>
!y = tensor<?x?x512xf32>
!h = tensor<?x512xf32>
module @gru attributes {sinter.archive = "gru.safetensors"} {
  func.func @gru(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh" : !w, !r, !b, !b
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("rzn") reset(after) : !x, !w, !r, !b, !b
    return %y : !y
  }
}
