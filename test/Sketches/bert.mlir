// RUN: sinter-run %s --compare --random-weights --dim=batch=1,3 --dim=sequence=1,7 --threads=1,3 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4

// BERT, two blocks: three embeddings, post-norm, padding by lengths, pooled first position. No state, so no session.
!ids    = tensor<?x?xi32>
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x64xf32>
!row    = tensor<?x64xf32>
!heads  = tensor<?x?x4x16xf32>
!table  = tensor<256x64xf32>
!sq     = tensor<64x64xf32>
!up     = tensor<256x64xf32>
!mid    = tensor<256xf32>
!down   = tensor<64x256xf32>
!vec    = tensor<64xf32>

module @bert attributes {sinter.archive = "bert.safetensors"} {
  func.func @forward(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %types: !ids {sinter.name = "types", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!hidden {sinter.name = "states"}, !row {sinter.name = "pooled"}) {
    %tw, %tp, %tt = sinter.weight "embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight",
        "embeddings.token_type_embeddings.weight" : !table, tensor<128x64xf32>, tensor<2x64xf32>
    %ge, %be = sinter.weight "embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias" : !vec, !vec
    %at = sinter.positions %tokens : !ids
    %ew = sinter.embedding %tokens, %tw : !ids, !table
    %ep = sinter.embedding %at, %tp : !places, tensor<128x64xf32>
    %et = sinter.embedding %types, %tt : !ids, tensor<2x64xf32>
    %e1 = arith.addf %ew, %et : !hidden
    %e2 = arith.addf %e1, %ep : !hidden
    %x = sinter.layer_norm %e2, %ge, %be eps(1.0e-12) : !hidden, !vec, !vec
    %y = sinter.layers "encoder.layer" count(2) (%h = %x) : !hidden {
      %wq, %bq, %wk, %bk, %wv, %bv = sinter.weight "attention.self.query.weight", "attention.self.query.bias",
          "attention.self.key.weight", "attention.self.key.bias", "attention.self.value.weight",
          "attention.self.value.bias" : !sq, !vec, !sq, !vec, !sq, !vec
      %wo, %bo, %g1, %b1 = sinter.weight "attention.output.dense.weight", "attention.output.dense.bias",
          "attention.output.LayerNorm.weight", "attention.output.LayerNorm.bias" : !sq, !vec, !vec, !vec
      %wi, %bi, %wd, %bd, %g2, %b2 = sinter.weight "intermediate.dense.weight", "intermediate.dense.bias",
          "output.dense.weight", "output.dense.bias", "output.LayerNorm.weight", "output.LayerNorm.bias"
          : !up, !mid, !down, !vec, !vec, !vec
      %q0 = sinter.linear %h, %wq, %bq : !hidden, !sq, !vec
      %k0 = sinter.linear %h, %wk, %bk : !hidden, !sq, !vec
      %v0 = sinter.linear %h, %wv, %bv : !hidden, !sq, !vec
      %q = sinter.split_heads %q0 [4] : !hidden
      %k = sinter.split_heads %k0 [4] : !hidden
      %v = sinter.split_heads %v0 [4] : !hidden
      %a = sinter.attention %q, %k, %v lengths(%lengths : !len) : !heads, !heads, !heads
      %m = sinter.merge_heads %a : !heads
      %o = sinter.linear %m, %wo, %bo : !hidden, !sq, !vec
      %r1 = arith.addf %h, %o : !hidden
      %h1 = sinter.layer_norm %r1, %g1, %b1 eps(1.0e-12) : !hidden, !vec, !vec
      %f = sinter.ffn %h1, %wi, %bi, %wd, %bd gelu : !hidden, !up, !mid, !down, !vec
      %r2 = arith.addf %h1, %f : !hidden
      %h2 = sinter.layer_norm %r2, %g2, %b2 eps(1.0e-12) : !hidden, !vec, !vec
      sinter.yield %h2 : !hidden
    }
    %wp, %bp = sinter.weight "pooler.dense.weight", "pooler.dense.bias" : !sq, !vec
    %c0 = arith.constant 0 : i64
    %first = sinter.broadcast %c0 like(%lengths) : i64, !len
    %cls = sinter.take %y at(%first : !len) : !hidden
    %p = sinter.linear %cls, %wp, %bp : !row, !sq, !vec
    %pooled = math.tanh %p : !row
    return %y, %pooled : !hidden, !row
  }
}
// C: bert_forward(weights, exec, work, size, batch, sequence, lengths, tokens, types, states, pooled);
