// LLaMA as Hugging Face has it, two blocks: pre-norm with RMSNorm, half-split rotary positions, grouped key/value heads,
// SwiGLU, a head of its own, a key/value cache. Weights have the names of LlamaForCausalLM.
!ids    = tensor<?x?xi32>           // batch, sequence
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x32xf32>
!group  = tensor<?x?x16xf32>
!q      = tensor<?x?x4x8xf32>       // batch, sequence, head, head size
!kv     = tensor<?x?x2x8xf32>
!table  = tensor<61x32xf32>
!sq     = tensor<32x32xf32>         // weights are [out, in]
!half   = tensor<16x32xf32>
!up     = tensor<48x32xf32>
!down   = tensor<32x48xf32>
!vec    = tensor<32xf32>

module @llama attributes {sinter.archive = "llama.safetensors"} {
  sinter.state @kv in "model.layers" dims ["batch", "context"] : !sinter.cache<heads = 2, key = 8, value = 8, f32>

  func.func private @forward(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x61xf32> {sinter.name = "logits"}) {
    %table = sinter.weight "model.embed_tokens.weight" : !table
    %x = sinter.embedding %tokens, %table : !ids, !table
    %at = sinter.positions %tokens after("context") : !ids
    %y = sinter.layers "model.layers" count(2) (%h = %x) : !hidden {
      %g1, %wq, %wk, %wv, %wo = sinter.weight "input_layernorm.weight", "self_attn.q_proj.weight",
          "self_attn.k_proj.weight", "self_attn.v_proj.weight", "self_attn.o_proj.weight"
          : !vec, !sq, !half, !half, !sq
      %g2, %wg, %wu, %wd = sinter.weight "post_attention_layernorm.weight", "mlp.gate_proj.weight",
          "mlp.up_proj.weight", "mlp.down_proj.weight" : !vec, !up, !up, !down

      %n1 = sinter.rms_norm %h, %g1 eps(1.0e-5) : !hidden, !vec
      %q0 = sinter.linear %n1, %wq : !hidden, !sq
      %k0 = sinter.linear %n1, %wk : !hidden, !half
      %v0 = sinter.linear %n1, %wv : !hidden, !half
      %q1 = sinter.split_heads %q0 [4] : !hidden
      %k1 = sinter.split_heads %k0 [2] : !group
      %v = sinter.split_heads %v0 [2] : !group
      %q = sinter.rope %q1, %at theta(5.0e5) : !q, !places
      %k = sinter.rope %k1, %at theta(5.0e5) : !kv, !places
      %a = sinter.attention %q, %k, %v causal append(@kv) lengths(%lengths : !len) : !q, !kv, !kv
      %m = sinter.merge_heads %a : !q
      %o = sinter.linear %m, %wo : !hidden, !sq
      %h1 = arith.addf %h, %o : !hidden

      %n2 = sinter.rms_norm %h1, %g2 eps(1.0e-5) : !hidden, !vec
      %f = sinter.gated_ffn %n2, %wg, %wu, %wd silu : !hidden, !up, !up, !down
      %h2 = arith.addf %h1, %f : !hidden
      sinter.yield %h2 : !hidden
    }
    %last = sinter.last %y lengths(%lengths : !len) : !hidden
    %gn, %head = sinter.weight "model.norm.weight", "lm_head.weight" : !vec, !table
    %n = sinter.rms_norm %last, %gn eps(1.0e-5) : tensor<?x32xf32>, !vec
    %logits = sinter.linear %n, %head : tensor<?x32xf32>, !table
    return %logits : tensor<?x61xf32>
  }

  sinter.entry @prefill = @forward
  sinter.entry @decode = @forward with {sequence = 1, lengths = 1}
}
