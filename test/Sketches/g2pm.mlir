// RUN: sinter-run %s --compare --random-weights --threads=1,3 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4 --calls=2 --dim=batch=3 --dim=sequence=21 \
// RUN:   --input=asked=3xi64=0,4,20
// RUN: sinter-opt %s --sinter-model-pipeline --sinter-fusion-pipeline | FileCheck %s

// Two recurrences that store their halves side by side, no copy.
// CHECK: %[[F:.*]]:3 = fused.recurrence
// CHECK: fused.recurrence {{.*}} outs(%[[F]]#0 by (b, t, u + 32)
// CHECK-NOT: fused.recurrence

// g2pM: bidirectional LSTM over characters, per-row lengths; the class of one character per sentence.
!ids    = tensor<?x?xi32>
!len    = tensor<?xi64>
!hidden = tensor<?x?x64xf32>
!half   = tensor<?x?x32xf32>
!w      = tensor<128x64xf32>
!r      = tensor<128x32xf32>
!b      = tensor<128xf32>

module @g2pm attributes {sinter.archive = "g2pM.safetensors"} {
  func.func @classify(
      %characters: !ids {sinter.name = "characters", sinter.dims = ["batch", "sequence"]},
      %lengths: !len {sinter.name = "lengths", sinter.dims = ["batch"]},
      %asked: !len {sinter.name = "asked", sinter.dims = ["batch"]})        // checked before the call: asked < sequence
      -> (tensor<?x876xf32> {sinter.name = "logits"}) {
    %table = sinter.weight "embedding.weight" : tensor<5398x64xf32>
    %w, %r, %bi, %bh = sinter.weight "lstm.weight_ih_l0", "lstm.weight_hh_l0", "lstm.bias_ih_l0", "lstm.bias_hh_l0"
        : !w, !r, !b, !b
    %w2, %r2, %bi2, %bh2 = sinter.weight "lstm.weight_ih_l0_reverse", "lstm.weight_hh_l0_reverse",
        "lstm.bias_ih_l0_reverse", "lstm.bias_hh_l0_reverse" : !w, !r, !b, !b
    %x = sinter.embedding %characters, %table : !ids, tensor<5398x64xf32>
    // Two ops and a concatenation are the bidirectional layer. reverse starts at each row's own last character.
    %f, %fh, %fc = sinter.lstm %x, %w, %r, %bi, %bh gates("ifgo") lengths(%lengths : !len) : !hidden, !w, !r, !b, !b
    %g, %gh, %gc = sinter.lstm %x, %w2, %r2, %bi2, %bh2 gates("ifgo") reverse lengths(%lengths : !len)
        : !hidden, !w, !r, !b, !b
    %y = tensor.concat dim(2) %f, %g : (!half, !half) -> !hidden
    %row = sinter.take %y at(%asked : !len) : !hidden                      // [batch, 64]
    %w3, %b3, %w4, %b4 = sinter.weight "logit_layer.0.weight", "logit_layer.0.bias", "logit_layer.2.weight",
        "logit_layer.2.bias" : tensor<32x64xf32>, tensor<32xf32>, tensor<876x32xf32>, tensor<876xf32>
    %m = sinter.linear %row, %w3, %b3 : tensor<?x64xf32>, tensor<32x64xf32>, tensor<32xf32>
    %n = sinter.relu %m : tensor<?x32xf32>
    %logits = sinter.linear %n, %w4, %b4 : tensor<?x32xf32>, tensor<876x32xf32>, tensor<876xf32>
    return %logits : tensor<?x876xf32>
  }
}
