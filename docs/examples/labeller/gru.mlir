// The labeller with a GRU and a label for every position: as torch.nn.GRU has it, gates r, z, n and the reset after the
// matrix. A random, tiny one.
!ids    = tensor<?x?xi32>           // batch, sequence
!len    = tensor<?xi64>
!in     = tensor<?x?x12xf32>
!half   = tensor<?x?x20xf32>
!hidden = tensor<?x?x40xf32>
!w      = tensor<60x12xf32>         // three gates of 20 units
!r      = tensor<60x20xf32>
!b      = tensor<60xf32>

module @gru_labeller attributes {sinter.archive = "gru.safetensors"} {
  func.func @label(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x9xf32> {sinter.name = "logits"}) {
    %table = sinter.weight "embedding.weight" : tensor<61x12xf32>
    %w, %r, %bi, %bh = sinter.weight "gru.weight_ih_l0", "gru.weight_hh_l0", "gru.bias_ih_l0", "gru.bias_hh_l0"
        : !w, !r, !b, !b
    %w2, %r2, %bi2, %bh2 = sinter.weight "gru.weight_ih_l0_reverse", "gru.weight_hh_l0_reverse",
        "gru.bias_ih_l0_reverse", "gru.bias_hh_l0_reverse" : !w, !r, !b, !b
    %x = sinter.embedding %tokens, %table : !ids, tensor<61x12xf32>
    %f, %fh = sinter.gru %x, %w, %r, %bi, %bh gates("rzn") reset(after) lengths(%lengths : !len) : !in, !w, !r, !b, !b
    %g, %gh = sinter.gru %x, %w2, %r2, %bi2, %bh2 gates("rzn") reset(after) reverse lengths(%lengths : !len)
        : !in, !w, !r, !b, !b
    %y = tensor.concat dim(2) %f, %g : (!half, !half) -> !hidden
    %wo, %bo = sinter.weight "output.weight", "output.bias" : tensor<9x40xf32>, tensor<9xf32>
    %logits = sinter.linear %y, %wo, %bo : !hidden, tensor<9x40xf32>, tensor<9xf32>
    return %logits : tensor<?x?x9xf32>
  }
}
