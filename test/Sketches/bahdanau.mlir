// RUN: sed 's/8000/90/g' %s > %t.mlir
// RUN: sinter-run %t.mlir --compare --random-weights --calls=2 --dim=batch=2 --dim=source=5

// Seq2Seq with additive attention (Bahdanau, Cho, Bengio 2014). The encoder leaves states and keys of dynamic length
// in the session; a step attends over them. Session capacities: batch, source.
!ids  = tensor<?x?xi32>             // batch, source
!len  = tensor<?xi64>
!emb  = tensor<?x?x256xf32>
!erow = tensor<?x256xf32>
!half = tensor<?x?x512xf32>
!row  = tensor<?x512xf32>
!mem  = tensor<?x?x1024xf32>
!mrow = tensor<?x1024xf32>
!keys = tensor<?x?x256xf32>
!w    = tensor<1536x256xf32>
!r    = tensor<1536x512xf32>
!b    = tensor<1536xf32>

module @translate attributes {sinter.archive = "bahdanau.safetensors"} {
  sinter.state @hidden dims ["batch"] : !row
  sinter.state @count dims ["batch"] : !len
  sinter.state @memory dims ["batch", "source"] : !mem
  sinter.state @keys dims ["batch", "source"] : !keys

  func.func @encode(
      %words: !ids {sinter.name = "words", sinter.dims = ["batch", "source"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) {
    %table, %wh, %wi = sinter.weight "source.embedding", "attention.keys", "decoder.initial"
        : tensor<8000x256xf32>, tensor<256x1024xf32>, tensor<512x512xf32>
    %w, %r, %b = sinter.weight "forward.w", "forward.r", "forward.b" : !w, !r, !b
    %wb, %rb, %bb = sinter.weight "backward.w", "backward.r", "backward.b" : !w, !r, !b
    %x = sinter.embedding %words, %table : !ids, tensor<8000x256xf32>
    %f, %fn = sinter.gru %x, %w, %r, %b gates("rzn") reset(before) lengths(%lengths : !len) : !emb, !w, !r, !b
    %g, %gn = sinter.gru %x, %wb, %rb, %bb gates("rzn") reset(before) reverse lengths(%lengths : !len)
        : !emb, !w, !r, !b
    %memory = tensor.concat dim(2) %f, %g : (!half, !half) -> !mem
    %keys = sinter.linear %memory, %wh : !mem, tensor<256x1024xf32>
    %p = sinter.linear %gn, %wi : !row, tensor<512x512xf32>
    %h = math.tanh %p : !row
    sinter.write @hidden, %h : !row
    sinter.write @count, %lengths : !len
    sinter.write @memory, %memory : !mem
    sinter.write @keys, %keys : !keys
    return
  }

  func.func private @decode(
      %word: tensor<?xi32> {sinter.name = "word", sinter.dims = ["batch"]})
      -> (tensor<?x8000xf32> {sinter.name = "logits"},
          tensor<?x?xf32> {sinter.name = "weights", sinter.dims = ["batch", "source"]}) {
    %table, %ws, %v = sinter.weight "target.embedding", "attention.query", "attention.v"
        : tensor<8000x256xf32>, tensor<256x512xf32>, tensor<256xf32>
    %w, %r, %b = sinter.weight "decoder.w", "decoder.r", "decoder.b" : tensor<1536x1280xf32>, !r, !b
    %wo, %bo = sinter.weight "output.w", "output.b" : tensor<8000x1792xf32>, tensor<8000xf32>
    %s = sinter.read @hidden : !row
    %n = sinter.read @count : !len
    %memory = sinter.read @memory : !mem
    %keys = sinter.read @keys : !keys
    %q = sinter.linear %s, %ws : !row, tensor<256x512xf32>
    %c, %a = sinter.additive_attention %q, %keys, %memory, %v lengths(%n : !len) weights
        : !erow, !keys, !mem, tensor<256xf32>
    %e = sinter.embedding %word, %table : tensor<?xi32>, tensor<8000x256xf32>
    %x = tensor.concat dim(1) %e, %c : (!erow, !mrow) -> tensor<?x1280xf32>
    %s1 = sinter.gru_cell %x, %s, %w, %r, %b gates("rzn") reset(before)
        : tensor<?x1280xf32>, !row, tensor<1536x1280xf32>, !r, !b
    sinter.write @hidden, %s1 : !row
    %z = tensor.concat dim(1) %s1, %x : (!row, tensor<?x1280xf32>) -> tensor<?x1792xf32>
    %logits = sinter.linear %z, %wo, %bo : tensor<?x1792xf32>, tensor<8000x1792xf32>, tensor<8000xf32>
    return %logits, %a : tensor<?x8000xf32>, tensor<?x?xf32>
  }

  sinter.entry @step = @decode keep ["logits"]      // the weights are dead here, so never stored
  sinter.entry @step_with_weights = @decode
}
