// The ONNX backend suite's cases, under its own tolerance (Inputs/recurrence/SOURCE.txt).
// RUN: sinter-run %s --input=%S/Inputs/recurrence/onnx.inputs.npz --expect=%S/Inputs/recurrence/onnx.expected.npz --rtol=1e-3 --atol=1e-7 \
// RUN:   --compare --target-cpu=%levels
// RUN: sinter-run %s --input=%S/Inputs/recurrence/onnx.inputs.npz --expect=%S/Inputs/recurrence/onnx.expected.npz --rtol=1e-3 --atol=1e-7 \
// RUN:   --reference

module @onnx attributes {sinter.archive = "Inputs/recurrence/onnx.safetensors"} {
  func.func @simple_rnn_with_initial_bias(%x: tensor<1x3x3xf32> {sinter.name = "x"})
      -> (tensor<3x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "simple_rnn_with_initial_bias.w", "simple_rnn_with_initial_bias.r", "simple_rnn_with_initial_bias.bi", "simple_rnn_with_initial_bias.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh time_major
        : tensor<1x3x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %h : tensor<3x5xf32>
  }

  func.func @rnn_seq_length(%x: tensor<2x3x3xf32> {sinter.name = "x"})
      -> (tensor<3x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn_seq_length.w", "rnn_seq_length.r", "rnn_seq_length.bi", "rnn_seq_length.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh time_major
        : tensor<2x3x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %h : tensor<3x5xf32>
  }

  func.func @simple_rnn_batchwise(%x: tensor<3x1x2xf32> {sinter.name = "x"})
      -> (tensor<3x1x4xf32> {sinter.name = "y"}, tensor<3x4xf32> {sinter.name = "h"}) {
    %w, %r = sinter.weight "simple_rnn_batchwise.w", "simple_rnn_batchwise.r"
        : tensor<4x2xf32>, tensor<4x4xf32>
    %y, %h = sinter.rnn %x, %w, %r
        : tensor<3x1x2xf32>, tensor<4x2xf32>, tensor<4x4xf32>
    return %y, %h : tensor<3x1x4xf32>, tensor<3x4xf32>
  }

  func.func @gru_defaults(%x: tensor<1x3x2xf32> {sinter.name = "x"})
      -> (tensor<3x5xf32> {sinter.name = "h"}) {
    %w, %r = sinter.weight "gru_defaults.w", "gru_defaults.r"
        : tensor<15x2xf32>, tensor<15x5xf32>
    %y, %h = sinter.gru %x, %w, %r gates("zrn") reset(before)
        time_major
        : tensor<1x3x2xf32>, tensor<15x2xf32>, tensor<15x5xf32>
    return %h : tensor<3x5xf32>
  }

  func.func @gru_with_initial_bias(%x: tensor<1x3x3xf32> {sinter.name = "x"})
      -> (tensor<3x3xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "gru_with_initial_bias.w", "gru_with_initial_bias.r", "gru_with_initial_bias.bi", "gru_with_initial_bias.bh"
        : tensor<9x3xf32>, tensor<9x3xf32>, tensor<9xf32>, tensor<9xf32>
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(before)
        time_major
        : tensor<1x3x3xf32>, tensor<9x3xf32>, tensor<9x3xf32>, tensor<9xf32>, tensor<9xf32>
    return %h : tensor<3x3xf32>
  }

  func.func @gru_batchwise(%x: tensor<3x1x2xf32> {sinter.name = "x"})
      -> (tensor<3x1x6xf32> {sinter.name = "y"}, tensor<3x6xf32> {sinter.name = "h"}) {
    %w, %r = sinter.weight "gru_batchwise.w", "gru_batchwise.r"
        : tensor<18x2xf32>, tensor<18x6xf32>
    %y, %h = sinter.gru %x, %w, %r gates("zrn") reset(before)
        : tensor<3x1x2xf32>, tensor<18x2xf32>, tensor<18x6xf32>
    return %y, %h : tensor<3x1x6xf32>, tensor<3x6xf32>
  }

  func.func @lstm_with_initial_bias(%x: tensor<1x3x3xf32> {sinter.name = "x"})
      -> (tensor<3x4xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "lstm_with_initial_bias.w", "lstm_with_initial_bias.r", "lstm_with_initial_bias.bi", "lstm_with_initial_bias.bh"
        : tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg")
        time_major
        : tensor<1x3x3xf32>, tensor<16x3xf32>, tensor<16x4xf32>, tensor<16xf32>, tensor<16xf32>
    return %h : tensor<3x4xf32>
  }

  func.func @lstm_with_peepholes(%x: tensor<1x2x4xf32> {sinter.name = "x"},
      %n: tensor<2xi64> {sinter.name = "n"},
      %h0: tensor<2x3xf32> {sinter.name = "h0"},
      %c0: tensor<2x3xf32> {sinter.name = "c0"})
      -> (tensor<2x3xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh, %p = sinter.weight "lstm_with_peepholes.w", "lstm_with_peepholes.r", "lstm_with_peepholes.bi", "lstm_with_peepholes.bh", "lstm_with_peepholes.p"
        : tensor<12x4xf32>, tensor<12x3xf32>, tensor<12xf32>, tensor<12xf32>, tensor<9xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg")
        peephole(%p : tensor<9xf32>)
        init(%h0, %c0 : tensor<2x3xf32>, tensor<2x3xf32>)
        lengths(%n : tensor<2xi64>)
        time_major
        : tensor<1x2x4xf32>, tensor<12x4xf32>, tensor<12x3xf32>, tensor<12xf32>, tensor<12xf32>
    return %h : tensor<2x3xf32>
  }

  func.func @lstm_batchwise(%x: tensor<3x1x2xf32> {sinter.name = "x"})
      -> (tensor<3x1x7xf32> {sinter.name = "y"}, tensor<3x7xf32> {sinter.name = "h"}) {
    %w, %r = sinter.weight "lstm_batchwise.w", "lstm_batchwise.r"
        : tensor<28x2xf32>, tensor<28x7xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r gates("iofg")
        : tensor<3x1x2xf32>, tensor<28x2xf32>, tensor<28x7xf32>
    return %y, %h : tensor<3x1x7xf32>, tensor<3x7xf32>
  }
}
