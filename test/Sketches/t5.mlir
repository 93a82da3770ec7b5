// RUN: sinter-run %s --compare --random-weights --threads=1,3 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4 --calls=2 --dim=batch=1,3 --dim=sequence=0,1,40
// RUN: sinter-run %s --compare --random-weights --dim=batch=1 --dim=sequence=300

// T5 encoder, two blocks: RMSNorm, no 1/sqrt(d), relative position bias by bucket, the table belonging to block 0.
!ids    = tensor<?x?xi32>
!len    = tensor<?xi64>
!hidden = tensor<?x?x64xf32>
!heads  = tensor<?x?x4x16xf32>
!bias   = tensor<32x4xf32>
!sq     = tensor<64x64xf32>
!up     = tensor<128x64xf32>
!down   = tensor<64x128xf32>
!vec    = tensor<64xf32>

module @t5 attributes {sinter.archive = "t5.safetensors"} {
  // 32 buckets, distance 128, both directions. From 8 on: 8 + floor(2 log2(n / 8)) = 33 - clz32(n * n), in integers,
  // because a logarithm in floats may fall on either side of a bucket's edge. Scalar functions are inlined in regions.
  func.func private @bucket(%distance: index) -> index {
    %c0 = arith.constant 0 : i32
    %c8 = arith.constant 8 : i32
    %c15 = arith.constant 15 : i32
    %c16 = arith.constant 16 : i32
    %c33 = arith.constant 33 : i32
    %d = arith.index_cast %distance : index to i32
    %n = math.absi %d : i32
    %nn = arith.muli %n, %n : i32
    %z = math.ctlz %nn : i32
    %log = arith.subi %c33, %z : i32
    %far = arith.minsi %log, %c15 : i32
    %near = arith.cmpi slt, %n, %c8 : i32
    %m = arith.select %near, %n, %far : i32
    %ahead = arith.cmpi sgt, %d, %c0 : i32
    %side = arith.select %ahead, %c16, %c0 : i32
    %r = arith.addi %m, %side : i32
    %i = arith.index_cast %r : i32 to index
    return %i : index
  }

  func.func @encode(
      %tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!hidden {sinter.name = "states"}) {
    %table, %gl = sinter.weight "shared.weight", "encoder.final_layer_norm.weight" : tensor<256x64xf32>, !vec
    // Outside the layers, so the name is absolute; the score region of every block reads it from here.
    %bias = sinter.weight "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight" : !bias
    %x = sinter.embedding %tokens, %table : !ids, tensor<256x64xf32>
    %y = sinter.layers "encoder.block" count(2) (%h = %x) : !hidden {
      %g1, %wq, %wk, %wv, %wo = sinter.weight "layer.0.layer_norm.weight", "layer.0.SelfAttention.q.weight",
          "layer.0.SelfAttention.k.weight", "layer.0.SelfAttention.v.weight", "layer.0.SelfAttention.o.weight"
          : !vec, !sq, !sq, !sq, !sq
      %g2, %wi, %wf = sinter.weight "layer.1.layer_norm.weight", "layer.1.DenseReluDense.wi.weight",
          "layer.1.DenseReluDense.wo.weight" : !vec, !up, !down
      %n1 = sinter.rms_norm %h, %g1 eps(1.0e-6) : !hidden, !vec
      %q0 = sinter.linear %n1, %wq : !hidden, !sq
      %k0 = sinter.linear %n1, %wk : !hidden, !sq
      %v0 = sinter.linear %n1, %wv : !hidden, !sq
      %q = sinter.split_heads %q0 [4] : !hidden
      %k = sinter.split_heads %k0 [4] : !hidden
      %v = sinter.split_heads %v0 [4] : !hidden
      %a = sinter.attention %q, %k, %v scale(1.0) lengths(%lengths : !len) : !heads, !heads, !heads
        score(%s: f32, %b: index, %head: index, %i: index, %j: index) {
          %d = arith.subi %j, %i : index
          %bucket = func.call @bucket(%d) : (index) -> index
          %r = tensor.extract %bias[%bucket, %head] : !bias
          %sum = arith.addf %s, %r : f32
          sinter.yield %sum : f32
        }
      %m = sinter.merge_heads %a : !heads
      %o = sinter.linear %m, %wo : !hidden, !sq
      %h1 = arith.addf %h, %o : !hidden
      %n2 = sinter.rms_norm %h1, %g2 eps(1.0e-6) : !hidden, !vec
      %f = sinter.ffn %n2, %wi, %wf relu : !hidden, !up, !down
      %h2 = arith.addf %h1, %f : !hidden
      sinter.yield %h2 : !hidden
    }
    %n = sinter.rms_norm %y, %gl eps(1.0e-6) : !hidden, !vec
    return %n : !hidden
  }
}
