// An LSTM of 512 units over a narrow input: its step reads the recurrent weights.
!x = tensor<?x?x16xf32>
!w = tensor<2048x16xf32>
!r = tensor<2048x512xf32>
!b = tensor<2048xf32>
!y = tensor<?x?x512xf32>
!h = tensor<?x512xf32>
module @recurrence attributes {sinter.archive = "recurrence.safetensors"} {
  func.func @lstm(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!y {sinter.name = "y"}) {
    %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh" : !w, !r, !b, !b
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("ifgo") : !x, !w, !r, !b, !b
    return %y : !y
  }
}
