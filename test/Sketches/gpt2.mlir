// RUN: sinter-run %s --compare --random-weights --calls=2 --dim=batch=1,3 --dim=sequence=1,7 --dim=context=20 --threads=1,3 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4

// GPT-2, two blocks: learned positions, pre-norm, weights stored [in, out], tied head, KV cache.
!ids    = tensor<?x?xi32>
!places = tensor<?x?xi64>
!len    = tensor<?xi64>
!hidden = tensor<?x?x64xf32>
!three  = tensor<?x?x192xf32>
!heads  = tensor<?x?x4x16xf32>
!table  = tensor<256x64xf32>
!w3     = tensor<64x192xf32>
!b3     = tensor<192xf32>
!sq     = tensor<64x64xf32>
!up     = tensor<64x256xf32>
!mid    = tensor<256xf32>
!down   = tensor<256x64xf32>
!vec    = tensor<64xf32>

module @gpt2 attributes {sinter.archive = "gpt2.safetensors"} {
  sinter.state @kv in "h" dims ["batch", "context"] : !sinter.cache<heads = 4, key = 16, value = 16, f32>

  // lengths: tokens of each row that count; a row's cursor moves by its own length, so prompts may differ.
  func.func private @forward(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x256xf32> {sinter.name = "logits"}) {
    %wte, %wpe = sinter.weight "wte.weight", "wpe.weight" : !table, tensor<128x64xf32>
    %at = sinter.positions %tokens after("context") : !ids
    %e = sinter.embedding %tokens, %wte : !ids, !table
    %p = sinter.embedding %at, %wpe : !places, tensor<128x64xf32>   // the prologue checks cursor + sequence <= 128
    %x = arith.addf %e, %p : !hidden
    %y = sinter.layers "h" count(2) (%h = %x) : !hidden {
      %g1, %b1, %wi, %bi, %wo, %bo = sinter.weight "ln_1.weight", "ln_1.bias", "attn.c_attn.weight",
          "attn.c_attn.bias", "attn.c_proj.weight", "attn.c_proj.bias" : !vec, !vec, !w3, !b3, !sq, !vec
      %g2, %b2, %wu, %bu, %wd, %bd = sinter.weight "ln_2.weight", "ln_2.bias", "mlp.c_fc.weight",
          "mlp.c_fc.bias", "mlp.c_proj.weight", "mlp.c_proj.bias" : !vec, !vec, !up, !mid, !down, !vec
      %n1 = sinter.layer_norm %h, %g1, %b1 eps(1.0e-5) : !hidden, !vec, !vec
      %qkv = sinter.linear %n1, %wi, %bi in_out : !hidden, !w3, !b3
      %q, %k, %v = sinter.split_heads %qkv [4, 4, 4] : !three
      %a = sinter.attention %q, %k, %v causal append(@kv) lengths(%lengths : !len) : !heads, !heads, !heads
      %m = sinter.merge_heads %a : !heads
      %o = sinter.linear %m, %wo, %bo in_out : !hidden, !sq, !vec
      %h1 = arith.addf %h, %o : !hidden
      %n2 = sinter.layer_norm %h1, %g2, %b2 eps(1.0e-5) : !hidden, !vec, !vec
      %f = sinter.ffn %n2, %wu, %bu, %wd, %bd gelu_tanh in_out : !hidden, !up, !mid, !down, !vec
      %h2 = arith.addf %h1, %f : !hidden
      sinter.yield %h2 : !hidden
    }
    %g, %b = sinter.weight "ln_f.weight", "ln_f.bias" : !vec, !vec
    %last = sinter.last %y lengths(%lengths : !len) : !hidden
    %n = sinter.layer_norm %last, %g, %b eps(1.0e-5) : tensor<?x64xf32>, !vec, !vec
    %logits = sinter.linear %n, %wte : tensor<?x64xf32>, !table
    return %logits : tensor<?x256xf32>
  }

  sinter.entry @prefill = @forward
  sinter.entry @decode = @forward with {sequence = 1, lengths = 1}     // binds a dimension and an argument
}
