// A language model of two stacked recurrent layers (tanh). Its state stays in the session, so a text may come in chunks of any
// length, a token at a time included. Weights have the names of torch.nn.RNN.
!ids    = tensor<?x?xi32>           // batch, sequence
!len    = tensor<?xi64>
!in     = tensor<?x?x16xf32>
!hidden = tensor<?x?x24xf32>
!row    = tensor<?x24xf32>
!table  = tensor<61x16xf32>
!w0     = tensor<24x16xf32>         // weights are [out, in]
!sq     = tensor<24x24xf32>
!vec    = tensor<24xf32>

module @language_model attributes {sinter.archive = "language_model.safetensors"} {
  sinter.state @h0 dims ["batch"] : !row
  sinter.state @h1 dims ["batch"] : !row

  // Log-probabilities of what follows each token; a row past its length keeps its state.
  func.func @read(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x61xf32> {sinter.name = "scores"}) {
    %table = sinter.weight "embedding.weight" : !table
    %wi0, %wh0, %bi0, %bh0 = sinter.weight "rnn.weight_ih_l0", "rnn.weight_hh_l0", "rnn.bias_ih_l0", "rnn.bias_hh_l0"
        : !w0, !sq, !vec, !vec
    %wi1, %wh1, %bi1, %bh1 = sinter.weight "rnn.weight_ih_l1", "rnn.weight_hh_l1", "rnn.bias_ih_l1", "rnn.bias_hh_l1"
        : !sq, !sq, !vec, !vec
    %h0 = sinter.read @h0 : !row
    %h1 = sinter.read @h1 : !row
    %x = sinter.embedding %tokens, %table : !ids, !table
    %y0, %n0 = sinter.rnn %x, %wi0, %wh0, %bi0, %bh0 init(%h0 : !row) lengths(%lengths : !len)
        : !in, !w0, !sq, !vec, !vec
    %y1, %n1 = sinter.rnn %y0, %wi1, %wh1, %bi1, %bh1 init(%h1 : !row) lengths(%lengths : !len)
        : !hidden, !sq, !sq, !vec, !vec
    sinter.write @h0, %n0 : !row
    sinter.write @h1, %n1 : !row
    %wo, %bo = sinter.weight "output.weight", "output.bias" : tensor<61x24xf32>, tensor<61xf32>
    %logits = sinter.linear %y1, %wo, %bo : !hidden, tensor<61x24xf32>, tensor<61xf32>
    %scores = sinter.log_softmax %logits : tensor<?x?x61xf32>
    return %scores : tensor<?x?x61xf32>
  }
  sinter.entry @step = @read with {sequence = 1}
}
