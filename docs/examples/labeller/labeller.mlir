// g2pM: which of its readings a Chinese character has in a sentence. A bidirectional LSTM over the characters, per-row
// lengths, the class of one character a row.
!ids    = tensor<?x?xi32>           // batch, sequence
!len    = tensor<?xi64>
!hidden = tensor<?x?x64xf32>
!half   = tensor<?x?x32xf32>
!row    = tensor<?x64xf32>
!w      = tensor<128x64xf32>        // four gates of 32 units
!r      = tensor<128x32xf32>
!b      = tensor<128xf32>

module @labeller attributes {sinter.archive = "g2pM.safetensors"} {
  func.func @classify(
      %characters: !ids {sinter.name = "characters", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]},
      %asked: !len {sinter.name = "asked", sinter.dims = ["batch"]})  // checked before the call: asked < sequence
      -> (tensor<?x876xf32> {sinter.name = "logits"}) {
    %table = sinter.weight "embedding.weight" : tensor<5398x64xf32>
    %w, %r, %bi, %bh = sinter.weight "lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0", "lstm.bias_hh_l0"
        : !w, !r, !b, !b
    %w2, %r2, %bi2, %bh2 = sinter.weight "lstm.weight_ih_l0_reverse", "lstm.weight_hh_l0_reverse",
        "lstm.bias_ih_l0_reverse", "lstm.bias_hh_l0_reverse" : !w, !r, !b, !b
    %x = sinter.embedding %characters, %table : !ids, tensor<5398x64xf32>
    // Two ops and a concatenation are the bidirectional layer. reverse starts at each row's own last character.
    %f, %fh, %fc = sinter.lstm %x, %w, %r, %bi, %bh gates("ifgo") lengths(%lengths : !len) : !hidden, !w, !r, !b, !b
    %g, %gh, %gc = sinter.lstm %x, %w2, %r2, %bi2, %bh2 gates("ifgo") reverse lengths(%lengths : !len)
        : !hidden, !w, !r, !b, !b
    %y = tensor.concat dim(2) %f, %g : (!half, !half) -> !hidden
    %at = sinter.take %y at(%asked : !len) : !hidden
    %w3, %b3, %w4, %b4 = sinter.weight "logit_layer.0.weight", "logit_layer.0.bias", "logit_layer.2.weight",
        "logit_layer.2.bias" : tensor<32x64xf32>, tensor<32xf32>, tensor<876x32xf32>, tensor<876xf32>
    %m = sinter.linear %at, %w3, %b3 : !row, tensor<32x64xf32>, tensor<32xf32>
    %n = sinter.relu %m : tensor<?x32xf32>
    %logits = sinter.linear %n, %w4, %b4 : tensor<?x32xf32>, tensor<876x32xf32>, tensor<876xf32>
    return %logits : tensor<?x876xf32>
  }
}
