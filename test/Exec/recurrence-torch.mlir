// What PyTorch gives for two bidirectional layers over packed rows (Inputs/recurrence/SOURCE.txt).
// RUN: sinter-run %s --input=%S/Inputs/recurrence/torch.inputs.npz --expect=%S/Inputs/recurrence/torch.expected.npz --rtol=1e-5 --atol=2e-6 \
// RUN:   --compare --target-cpu=%levels
// RUN: sinter-run %s --input=%S/Inputs/recurrence/torch.inputs.npz --expect=%S/Inputs/recurrence/torch.expected.npz --rtol=1e-5 --atol=2e-6 \
// RUN:   --reference

module @torch attributes {sinter.archive = "Inputs/recurrence/torch.safetensors"} {
  func.func @rnn(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0_0: tensor<?x4xf32> {sinter.name = "h0_0", sinter.dims = ["batch"]},
      %h0_1: tensor<?x4xf32> {sinter.name = "h0_1", sinter.dims = ["batch"]},
      %h0_2: tensor<?x4xf32> {sinter.name = "h0_2", sinter.dims = ["batch"]},
      %h0_3: tensor<?x4xf32> {sinter.name = "h0_3", sinter.dims = ["batch"]})
      -> (tensor<?x?x8xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "h"}) {
    %w0, %r0, %bi0, %bh0 = sinter.weight "rnn.weight_ih_l0", "rnn.weight_hh_l0",
        "rnn.bias_ih_l0", "rnn.bias_hh_l0" : tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %y0, %h0 = sinter.rnn %x, %w0, %r0, %bi0, %bh0 activations(relu)
        init(%h0_0 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %w1, %r1, %bi1, %bh1 = sinter.weight "rnn.weight_ih_l0_reverse", "rnn.weight_hh_l0_reverse",
        "rnn.bias_ih_l0_reverse", "rnn.bias_hh_l0_reverse" : tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %y1, %h1 = sinter.rnn %x, %w1, %r1, %bi1, %bh1 activations(relu) reverse
        init(%h0_1 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x3xf32>, tensor<4x3xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %z0 = tensor.concat dim(2) %y0, %y1 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x8xf32>
    %w2, %r2, %bi2, %bh2 = sinter.weight "rnn.weight_ih_l1", "rnn.weight_hh_l1",
        "rnn.bias_ih_l1", "rnn.bias_hh_l1" : tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %y2, %h2 = sinter.rnn %z0, %w2, %r2, %bi2, %bh2 activations(relu)
        init(%h0_2 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %w3, %r3, %bi3, %bh3 = sinter.weight "rnn.weight_ih_l1_reverse", "rnn.weight_hh_l1_reverse",
        "rnn.bias_ih_l1_reverse", "rnn.bias_hh_l1_reverse" : tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %y3, %h3 = sinter.rnn %z0, %w3, %r3, %bi3, %bh3 activations(relu) reverse
        init(%h0_3 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8xf32>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<4xf32>
    %z1 = tensor.concat dim(2) %y2, %y3 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x8xf32>
    %h = tensor.concat dim(1) %h0, %h1, %h2, %h3 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x16xf32>
    return %z1, %h : tensor<?x?x8xf32>, tensor<?x16xf32>
  }

  func.func @gru(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0_0: tensor<?x4xf32> {sinter.name = "h0_0", sinter.dims = ["batch"]},
      %h0_1: tensor<?x4xf32> {sinter.name = "h0_1", sinter.dims = ["batch"]},
      %h0_2: tensor<?x4xf32> {sinter.name = "h0_2", sinter.dims = ["batch"]},
      %h0_3: tensor<?x4xf32> {sinter.name = "h0_3", sinter.dims = ["batch"]})
      -> (tensor<?x?x8xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "h"}) {
    %w0, %r0, %bi0, %bh0 = sinter.weight "gru.weight_ih_l0", "gru.weight_hh_l0",
        "gru.bias_ih_l0", "gru.bias_hh_l0" : tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %y0, %h0 = sinter.gru %x, %w0, %r0, %bi0, %bh0 gates("rzn") reset(after)
        init(%h0_0 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x3xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %w1, %r1, %bi1, %bh1 = sinter.weight "gru.weight_ih_l0_reverse", "gru.weight_hh_l0_reverse",
        "gru.bias_ih_l0_reverse", "gru.bias_hh_l0_reverse" : tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %y1, %h1 = sinter.gru %x, %w1, %r1, %bi1, %bh1 gates("rzn") reset(after) reverse
        init(%h0_1 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x3xf32>, tensor<12x3xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %z0 = tensor.concat dim(2) %y0, %y1 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x8xf32>
    %w2, %r2, %bi2, %bh2 = sinter.weight "gru.weight_ih_l1", "gru.weight_hh_l1",
        "gru.bias_ih_l1", "gru.bias_hh_l1" : tensor<12x8xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %y2, %h2 = sinter.gru %z0, %w2, %r2, %bi2, %bh2 gates("rzn") reset(after)
        init(%h0_2 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8xf32>, tensor<12x8xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %w3, %r3, %bi3, %bh3 = sinter.weight "gru.weight_ih_l1_reverse", "gru.weight_hh_l1_reverse",
        "gru.bias_ih_l1_reverse", "gru.bias_hh_l1_reverse" : tensor<12x8xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %y3, %h3 = sinter.gru %z0, %w3, %r3, %bi3, %bh3 gates("rzn") reset(after) reverse
        init(%h0_3 : tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8xf32>, tensor<12x8xf32>, tensor<12x4xf32>, tensor<12xf32>, tensor<12xf32>
    %z1 = tensor.concat dim(2) %y2, %y3 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x8xf32>
    %h = tensor.concat dim(1) %h0, %h1, %h2, %h3 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x16xf32>
    return %z1, %h : tensor<?x?x8xf32>, tensor<?x16xf32>
  }

  func.func @lstm(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0_0: tensor<?x4xf32> {sinter.name = "h0_0", sinter.dims = ["batch"]},
      %h0_1: tensor<?x4xf32> {sinter.name = "h0_1", sinter.dims = ["batch"]},
      %h0_2: tensor<?x4xf32> {sinter.name = "h0_2", sinter.dims = ["batch"]},
      %h0_3: tensor<?x4xf32> {sinter.name = "h0_3", sinter.dims = ["batch"]},
      %c0_0: tensor<?x4xf32> {sinter.name = "c0_0", sinter.dims = ["batch"]},
      %c0_1: tensor<?x4xf32> {sinter.name = "c0_1", sinter.dims = ["batch"]},
      %c0_2: tensor<?x4xf32> {sinter.name = "c0_2", sinter.dims = ["batch"]},
      %c0_3: tensor<?x4xf32> {sinter.name = "c0_3", sinter.dims = ["batch"]})
      -> (tensor<?x?x8xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "h"}, tensor<?x16xf32> {sinter.name = "c"}) {
    %w0, %r0, %bi0, %bh0 = sinter.weight "lstm.weight_ih_l0", "lstm.weight_hh_l0",
        "lstm.bias_ih_l0", "lstm.bias_hh_l0" : tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %y0, %h0, %c0 = sinter.lstm %x, %w0, %r0, %bi0, %bh0 gates("ifgo")
        init(%h0_0, %c0_0 : tensor<?x4xf32>, tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x3xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %w1, %r1, %bi1, %bh1 = sinter.weight "lstm.weight_ih_l0_reverse", "lstm.weight_hh_l0_reverse",
        "lstm.bias_ih_l0_reverse", "lstm.bias_hh_l0_reverse" : tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %y1, %h1, %c1 = sinter.lstm %x, %w1, %r1, %bi1, %bh1 gates("ifgo") reverse
        init(%h0_1, %c0_1 : tensor<?x4xf32>, tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x3xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %z0 = tensor.concat dim(2) %y0, %y1 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x8xf32>
    %w2, %r2, %bi2, %bh2 = sinter.weight "lstm.weight_ih_l1", "lstm.weight_hh_l1",
        "lstm.bias_ih_l1", "lstm.bias_hh_l1" : tensor<16x8xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %y2, %h2, %c2 = sinter.lstm %z0, %w2, %r2, %bi2, %bh2 gates("ifgo")
        init(%h0_2, %c0_2 : tensor<?x4xf32>, tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8xf32>, tensor<16x8xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %w3, %r3, %bi3, %bh3 = sinter.weight "lstm.weight_ih_l1_reverse", "lstm.weight_hh_l1_reverse",
        "lstm.bias_ih_l1_reverse", "lstm.bias_hh_l1_reverse" : tensor<16x8xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %y3, %h3, %c3 = sinter.lstm %z0, %w3, %r3, %bi3, %bh3 gates("ifgo") reverse
        init(%h0_3, %c0_3 : tensor<?x4xf32>, tensor<?x4xf32>) lengths(%n : tensor<?xi64>)
        : tensor<?x?x8xf32>, tensor<16x8xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %z1 = tensor.concat dim(2) %y2, %y3 : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x8xf32>
    %h = tensor.concat dim(1) %h0, %h1, %h2, %h3 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x16xf32>
    %c = tensor.concat dim(1) %c0, %c1, %c2, %c3 : (tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x16xf32>
    return %z1, %h, %c : tensor<?x?x8xf32>, tensor<?x16xf32>, tensor<?x16xf32>
  }
}
