// RUN: sinter-run %s %sweep --calls=3 --dim=batch=1,3 --dim=sequence=1,9 --dim=source=6 --dim=source.capacity=7 --dim=target=24 --entry=encode --entry=decode --entry=step
// RUN: sinter-run %s --random-weights --compare-each --calls=2 --dim=batch=2 --dim=sequence=5 --dim=source=6 --dim=source.capacity=7 --dim=target=24 --entry=encode --entry=decode

!ids = tensor<?x?xi32>
!n   = tensor<?xi64>
!x   = tensor<?x?x16xf32>
!h   = tensor<?x?x2x8xf32>
!sq  = tensor<16x16xf32>
!v   = tensor<16xf32>

// An encoder that fills one cache and a decoder that reads it and appends to another: two cursors in one session.
module @blocks attributes {sinter.archive = "blocks.safetensors"} {
  sinter.state @cross in "layers" dims ["batch", "source"] : !sinter.cache<heads = 2, key = 8, value = 8, f32>
  sinter.state @self in "layers" dims ["batch", "target"] : !sinter.cache<heads = 2, key = 8, value = 8, f32>

  func.func @encode(%ids: !ids {sinter.name = "source_ids", sinter.dims = ["batch", "source"]},
      %n: !n {sinter.name = "source_lengths", sinter.dims = ["batch"]}) -> (!x {sinter.name = "memory_out"}) {
    %table = sinter.weight "source.table" : tensor<23x16xf32>
    %e = sinter.embedding %ids, %table : !ids, tensor<23x16xf32>
    %p = sinter.positions %ids : !ids
    %s = sinter.sinusoidal_positions %p : tensor<?x?xi64> -> !x
    %x = arith.addf %e, %s : !x
    %y = sinter.layers "layers" count(2) (%h = %x) : !x {
      %wq, %wk, %wv = sinter.weight "encoder.q", "encoder.k", "encoder.v" : !sq, !sq, !sq
      %g, %b = sinter.weight "encoder.g", "encoder.b" : !v, !v
      %q0 = sinter.linear %h, %wq : !x, !sq
      %k0 = sinter.linear %h, %wk : !x, !sq
      %v0 = sinter.linear %h, %wv : !x, !sq
      %q = sinter.split_heads %q0 [2] : !x
      %k = sinter.split_heads %k0 [2] : !x
      %v = sinter.split_heads %v0 [2] : !x
      sinter.fill @cross, %k, %v lengths(%n : !n) : !h, !h
      %a = sinter.attention %q, %k, %v lengths(%n : !n) : !h, !h, !h
      %m = sinter.merge_heads %a : !h
      %r = arith.addf %h, %m : !x
      %z = sinter.layer_norm %r, %g, %b eps(1.0e-5) : !x, !v, !v
      sinter.yield %z : !x
    }
    return %y : !x
  }

  func.func @decode(%ids: !ids {sinter.name = "target_ids", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "target_lengths", sinter.dims = ["batch"]}) -> (tensor<?x29xf32> {sinter.name = "logits"}) {
    %table = sinter.weight "target.table" : tensor<29x16xf32>
    %x = sinter.embedding %ids, %table : !ids, tensor<29x16xf32>
    %at = sinter.positions %ids after("target") : !ids
    %y = sinter.layers "layers" count(2) (%h = %x) : !x {
      %wq, %wk, %wv, %wo = sinter.weight "q", "k", "v", "o" : !sq, !sq, !sq, !sq
      %g = sinter.weight "g" : !v
      %n0 = sinter.rms_norm %h, %g eps(1.0e-5) : !x, !v
      %q0 = sinter.linear %n0, %wq : !x, !sq
      %k0 = sinter.linear %n0, %wk : !x, !sq
      %v0 = sinter.linear %n0, %wv : !x, !sq
      %q1 = sinter.split_heads %q0 [2] : !x
      %k1 = sinter.split_heads %k0 [2] : !x
      %v = sinter.split_heads %v0 [2] : !x
      %q = sinter.rope %q1, %at : !h, tensor<?x?xi64>
      %k = sinter.rope %k1, %at : !h, tensor<?x?xi64>
      %a = sinter.attention %q, %k, %v causal append(@self) lengths(%n : !n) : !h, !h, !h
      %c = sinter.attention %a from(@cross) : !h -> !h
      %m = sinter.merge_heads %c : !h
      %o = sinter.linear %m, %wo : !x, !sq
      %r = arith.addf %h, %o : !x
      sinter.yield %r : !x
    }
    %l = sinter.last %y lengths(%n : !n) : !x
    %logits = sinter.linear %l, %table : tensor<?x16xf32>, tensor<29x16xf32>
    return %logits : tensor<?x29xf32>
  }

  sinter.entry @step = @decode with {sequence = 1}
}
