// LLaMA, 260 thousand weights: five pre-norm blocks with grouped heads over a KV cache, tied embedding.
!ids    = tensor<?x?xi32>           // batch, sequence
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x64xf32>
!group  = tensor<?x?x32xf32>
!q      = tensor<?x?x8x8xf32>       // batch, sequence, head, head size
!kv     = tensor<?x?x4x8xf32>
!table  = tensor<512x64xf32>
!sq     = tensor<64x64xf32>
!half   = tensor<32x64xf32>
!up     = tensor<172x64xf32>
!down   = tensor<64x172xf32>
!vec    = tensor<64xf32>

module @stories attributes {sinter.archive = "stories.safetensors"} {
  // One cache per layer. "context" names the capacity and the cursor that all of them share.
  sinter.state @kv in "layers" dims ["batch", "context" <= 512] : !sinter.cache<heads = 4, key = 8, value = 8, f32>

  func.func private @forward(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x512xf32> {sinter.name = "logits"}) {
    %table = sinter.weight "tok_embeddings.weight" : !table
    %x = sinter.embedding %tokens, %table : !ids, !table
    %at = sinter.positions %tokens after("context") : !ids          // cursor[b] + t
    %y = sinter.layers "layers" count(5) (%h = %x) : !hidden {
      %ga, %gf = sinter.weight "attention_norm.weight", "ffn_norm.weight" : !vec, !vec
      %wq, %wk, %wv, %wo = sinter.weight "attention.wq.weight", "attention.wk.weight",
          "attention.wv.weight", "attention.wo.weight" : !sq, !half, !half, !sq
      %w1, %w2, %w3 = sinter.weight "feed_forward.w1.weight", "feed_forward.w2.weight",
          "feed_forward.w3.weight" : !up, !down, !up

      %n1 = sinter.rms_norm %h, %ga eps(1.0e-5) : !hidden, !vec
      %q0 = sinter.linear %n1, %wq : !hidden, !sq
      %k0 = sinter.linear %n1, %wk : !hidden, !half
      %v0 = sinter.linear %n1, %wv : !hidden, !half
      %q1 = sinter.split_heads %q0 [8] : !hidden
      %k1 = sinter.split_heads %k0 [4] : !group
      %v = sinter.split_heads %v0 [4] : !group
      %q = sinter.rope %q1, %at interleaved theta(1.0e4) : !q, !places
      %k = sinter.rope %k1, %at interleaved theta(1.0e4) : !kv, !places
      %a = sinter.attention %q, %k, %v causal append(@kv) lengths(%lengths : !len) : !q, !kv, !kv
      %m = sinter.merge_heads %a : !q
      %o = sinter.linear %m, %wo : !hidden, !sq
      %h1 = arith.addf %h, %o : !hidden

      %n2 = sinter.rms_norm %h1, %gf eps(1.0e-5) : !hidden, !vec
      %f = sinter.gated_ffn %n2, %w1, %w3, %w2 silu : !hidden, !up, !up, !down
      %h2 = arith.addf %h1, %f : !hidden
      sinter.yield %h2 : !hidden
    }
    %last = sinter.last %y lengths(%lengths : !len) : !hidden       // [batch, 64]
    %gn = sinter.weight "norm.weight" : !vec
    %n = sinter.rms_norm %last, %gn eps(1.0e-5) : tensor<?x64xf32>, !vec
    %logits = sinter.linear %n, %table : tensor<?x64xf32>, !table
    return %logits : tensor<?x512xf32>
  }

  sinter.entry @prefill = @forward
  sinter.entry @decode = @forward with {sequence = 1}
}
