// Seq2Seq with additive attention (Bahdanau, Cho, Bengio 2014). A bidirectional GRU leaves its states and their
// projections, of dynamic length, in the session; a decoder step attends over them.
!ids  = tensor<?x?xi32>             // batch, source
!len  = tensor<?xi64>
!emb  = tensor<?x?x16xf32>
!erow = tensor<?x16xf32>
!half = tensor<?x?x32xf32>
!row  = tensor<?x32xf32>
!mem  = tensor<?x?x64xf32>
!mrow = tensor<?x64xf32>
!keys = tensor<?x?x32xf32>
!qrow = tensor<?x32xf32>
!w    = tensor<96x16xf32>           // three gates of 32 units
!r    = tensor<96x32xf32>
!b    = tensor<96xf32>

module @seq2seq attributes {sinter.archive = "seq2seq.safetensors"} {
  // Capacities of a session: batch, source.
  sinter.state @hidden dims ["batch"] : !row
  sinter.state @count dims ["batch"] : !len
  sinter.state @memory dims ["batch", "source"] : !mem
  sinter.state @keys dims ["batch", "source"] : !keys

  func.func @encode(
      %words: !ids {sinter.name = "words", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) {
    %table, %wh, %wi, %bi = sinter.weight "source.weight", "keys.weight", "initial.weight", "initial.bias"
        : tensor<39x16xf32>, tensor<32x64xf32>, tensor<32x32xf32>, tensor<32xf32>
    %w, %r, %bx, %bh = sinter.weight "encoder.weight_ih_l0", "encoder.weight_hh_l0", "encoder.bias_ih_l0",
        "encoder.bias_hh_l0" : !w, !r, !b, !b
    %w2, %r2, %bx2, %bh2 = sinter.weight "encoder.weight_ih_l0_reverse", "encoder.weight_hh_l0_reverse",
        "encoder.bias_ih_l0_reverse", "encoder.bias_hh_l0_reverse" : !w, !r, !b, !b
    %x = sinter.embedding %words, %table : !ids, tensor<39x16xf32>
    %f, %fn = sinter.gru %x, %w, %r, %bx, %bh gates("rzn") reset(after) lengths(%lengths : !len) : !emb, !w, !r, !b, !b
    %g, %gn = sinter.gru %x, %w2, %r2, %bx2, %bh2 gates("rzn") reset(after) reverse lengths(%lengths : !len)
        : !emb, !w, !r, !b, !b
    %memory = tensor.concat dim(2) %f, %g : (!half, !half) -> !mem
    %keys = sinter.linear %memory, %wh : !mem, tensor<32x64xf32>
    // The decoder starts from the backward state of the first word.
    %p = sinter.linear %gn, %wi, %bi : !row, tensor<32x32xf32>, tensor<32xf32>
    %h = math.tanh %p : !row
    sinter.write @hidden, %h : !row
    sinter.write @count, %lengths : !len
    sinter.write @memory, %memory : !mem
    sinter.write @keys, %keys : !keys
    return
  }

  func.func private @decode(
      %word: tensor<?xi32> {sinter.name = "word", sinter.dims = ["batch"]})
      -> (tensor<?x14xf32> {sinter.name = "scores"},
          tensor<?x?xf32> {sinter.name = "weights", sinter.dims = ["batch", "source"]}) {
    %table, %ws, %v2 = sinter.weight "target.weight", "query.weight", "energy.weight"
        : tensor<14x16xf32>, tensor<32x32xf32>, tensor<1x32xf32>
    %v = tensor.collapse_shape %v2 [[0, 1]] : tensor<1x32xf32> into tensor<32xf32>
    %w, %r, %bx, %bh = sinter.weight "decoder.weight_ih", "decoder.weight_hh", "decoder.bias_ih", "decoder.bias_hh"
        : tensor<96x80xf32>, !r, !b, !b
    %wo, %bo = sinter.weight "output.weight", "output.bias" : tensor<14x112xf32>, tensor<14xf32>
    %s = sinter.read @hidden : !row
    %n = sinter.read @count : !len
    %memory = sinter.read @memory : !mem
    %keys = sinter.read @keys : !keys
    %q = sinter.linear %s, %ws : !row, tensor<32x32xf32>
    %c, %a = sinter.additive_attention %q, %keys, %memory, %v lengths(%n : !len) weights
        : !qrow, !keys, !mem, tensor<32xf32>
    %e = sinter.embedding %word, %table : tensor<?xi32>, tensor<14x16xf32>
    %x = tensor.concat dim(1) %e, %c : (!erow, !mrow) -> tensor<?x80xf32>
    %s1 = sinter.gru_cell %x, %s, %w, %r, %bx, %bh gates("rzn") reset(after)
        : tensor<?x80xf32>, !row, tensor<96x80xf32>, !r, !b, !b
    sinter.write @hidden, %s1 : !row
    %z = tensor.concat dim(1) %s1, %x : (!row, tensor<?x80xf32>) -> tensor<?x112xf32>
    %logits = sinter.linear %z, %wo, %bo : tensor<?x112xf32>, tensor<14x112xf32>, tensor<14xf32>
    %scores = sinter.log_softmax %logits : tensor<?x14xf32>
    return %scores, %a : tensor<?x14xf32>, tensor<?x?xf32>
  }

  sinter.entry @step = @decode keep ["scores"]      // the weights are dead here, so never stored
  sinter.entry @step_with_weights = @decode
}
