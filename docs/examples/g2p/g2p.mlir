// g2p_en: the sounds of an English word. A GRU reads the letters and leaves its last state in the session; a GRU step
// decodes from it. Gates r, z, n, and the reset after the matrix, as torch.nn.GRU.
!ids = tensor<?x?xi32>              // batch, sequence
!len = tensor<?xi64>
!seq = tensor<?x?x256xf32>
!row = tensor<?x256xf32>
!w   = tensor<768x256xf32>
!b   = tensor<768xf32>

module @g2p attributes {sinter.archive = "g2p_en.safetensors"} {
  sinter.state @hidden dims ["batch"] : !row

  // Writes @hidden without reading it: each call starts a new word.
  func.func @encode(
      %letters: !ids {sinter.name = "letters", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) {
    %table, %w, %r = sinter.weight "enc_emb", "enc_w_ih", "enc_w_hh" : tensor<29x256xf32>, !w, !w
    %bi, %bh = sinter.weight "enc_b_ih", "enc_b_hh" : !b, !b
    %x = sinter.embedding %letters, %table : !ids, tensor<29x256xf32>
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("rzn") reset(after) lengths(%lengths : !len)
        : !seq, !w, !w, !b, !b
    sinter.write @hidden, %h : !row
    return
  }

  func.func @step(
      %phoneme: tensor<?xi32> {sinter.name = "phoneme", sinter.dims = ["batch"]})
      -> (tensor<?x74xf32> {sinter.name = "logits"}) {
    %table, %w, %r = sinter.weight "dec_emb", "dec_w_ih", "dec_w_hh" : tensor<74x256xf32>, !w, !w
    %bi, %bh = sinter.weight "dec_b_ih", "dec_b_hh" : !b, !b
    %fw, %fb = sinter.weight "fc_w", "fc_b" : tensor<74x256xf32>, tensor<74xf32>
    %x = sinter.embedding %phoneme, %table : tensor<?xi32>, tensor<74x256xf32>
    %h = sinter.read @hidden : !row
    %h1 = sinter.gru_cell %x, %h, %w, %r, %bi, %bh gates("rzn") reset(after) : !row, !row, !w, !w, !b, !b
    sinter.write @hidden, %h1 : !row
    %logits = sinter.linear %h1, %fw, %fb : !row, tensor<74x256xf32>, tensor<74xf32>
    return %logits : tensor<?x74xf32>
  }
}
