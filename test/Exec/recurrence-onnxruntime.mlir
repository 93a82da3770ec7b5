// What ONNX Runtime gives for clauses that the ONNX backend suite lacks (Inputs/recurrence/SOURCE.txt).
// RUN: sinter-run %s --input=%S/Inputs/recurrence/onnxruntime.inputs.npz --expect=%S/Inputs/recurrence/onnxruntime.expected.npz --rtol=1e-5 --atol=2e-6 \
// RUN:   --compare --target-cpu=%levels
// RUN: sinter-run %s --input=%S/Inputs/recurrence/onnxruntime.inputs.npz --expect=%S/Inputs/recurrence/onnxruntime.expected.npz --rtol=1e-5 --atol=2e-6 \
// RUN:   --reference

module @onnxruntime attributes {sinter.archive = "Inputs/recurrence/onnxruntime.safetensors"} {
  func.func @rnn_sigmoid(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(sigmoid)
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_relu(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(relu)
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_affine(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(affine(0.5, 0.1))
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_leakyrelu(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(leaky_relu(0.3))
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_thresholdedrelu(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(thresholded_relu(0.4))
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_scaledtanh(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(scaled_tanh(1.5, 0.5))
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_hardsigmoid(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(hard_sigmoid(0.3, 0.4))
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_elu(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(elu(0.7))
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_softsign(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(softsign)
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_softplus(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh activations(softplus)
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @rnn_clip(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "rnn.w", "rnn.r", "rnn.bi", "rnn.bh"
        : tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    %y, %h = sinter.rnn %x, %w, %r, %bi, %bh clip(0.5) reverse
        init(%h0 : tensor<?x5xf32>)
        lengths(%n : tensor<?xi64>)
        time_major
        : tensor<?x?x3xf32>, tensor<5x3xf32>, tensor<5x5xf32>, tensor<5xf32>, tensor<5xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @gru_before(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "gru.w", "gru.r", "gru.bi", "gru.bh"
        : tensor<15x3xf32>, tensor<15x5xf32>, tensor<15xf32>, tensor<15xf32>
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(before) reverse
        activations(hard_sigmoid(0.3, 0.4), scaled_tanh(1.2, 0.8))
        init(%h0 : tensor<?x5xf32>)
        lengths(%n : tensor<?xi64>)
        time_major
        : tensor<?x?x3xf32>, tensor<15x3xf32>, tensor<15x5xf32>, tensor<15xf32>, tensor<15xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @gru_after(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "gru.w", "gru.r", "gru.bi", "gru.bh"
        : tensor<15x3xf32>, tensor<15x5xf32>, tensor<15xf32>, tensor<15xf32>
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(after) reverse
        init(%h0 : tensor<?x5xf32>)
        lengths(%n : tensor<?xi64>)
        time_major
        : tensor<?x?x3xf32>, tensor<15x3xf32>, tensor<15x5xf32>, tensor<15xf32>, tensor<15xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @gru_clip(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}) {
    %w, %r, %bi, %bh = sinter.weight "gru.w", "gru.r", "gru.bi", "gru.bh"
        : tensor<15x3xf32>, tensor<15x5xf32>, tensor<15xf32>, tensor<15xf32>
    %y, %h = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(after) clip(0.6)
        init(%h0 : tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<15x3xf32>, tensor<15x5xf32>, tensor<15xf32>, tensor<15xf32>
    return %y, %h : tensor<?x?x5xf32>, tensor<?x5xf32>
  }

  func.func @lstm_peephole(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x5xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}, tensor<?x5xf32> {sinter.name = "c"}) {
    %w, %r, %bi, %bh, %p = sinter.weight "lstm.w", "lstm.r", "lstm.bi", "lstm.bh", "lstm.p"
        : tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>, tensor<15xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg") reverse
        peephole(%p : tensor<15xf32>)
        init(%h0, %c0 : tensor<?x5xf32>, tensor<?x5xf32>)
        lengths(%n : tensor<?xi64>)
        time_major
        : tensor<?x?x3xf32>, tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    return %y, %h, %c : tensor<?x?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>
  }

  func.func @lstm_coupled(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: tensor<?xi64> {sinter.name = "n", sinter.dims = ["batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x5xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}, tensor<?x5xf32> {sinter.name = "c"}) {
    %w, %r, %bi, %bh = sinter.weight "lstm.w", "lstm.r", "lstm.bi", "lstm.bh"
        : tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg") coupled
        init(%h0, %c0 : tensor<?x5xf32>, tensor<?x5xf32>)
        lengths(%n : tensor<?xi64>)
        time_major
        : tensor<?x?x3xf32>, tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    return %y, %h, %c : tensor<?x?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>
  }

  func.func @lstm_clip(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x5xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}, tensor<?x5xf32> {sinter.name = "c"}) {
    %w, %r, %bi, %bh = sinter.weight "lstm.w", "lstm.r", "lstm.bi", "lstm.bh"
        : tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg") clip(0.4)
        init(%h0, %c0 : tensor<?x5xf32>, tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    return %y, %h, %c : tensor<?x?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>
  }

  func.func @lstm_activations(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %h0: tensor<?x5xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x5xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x5xf32> {sinter.name = "y"}, tensor<?x5xf32> {sinter.name = "h"}, tensor<?x5xf32> {sinter.name = "c"}) {
    %w, %r, %bi, %bh = sinter.weight "lstm.w", "lstm.r", "lstm.bi", "lstm.bh"
        : tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg")
        activations(hard_sigmoid(0.3, 0.4), softsign, elu(0.9))
        init(%h0, %c0 : tensor<?x5xf32>, tensor<?x5xf32>)
        time_major
        : tensor<?x?x3xf32>, tensor<20x3xf32>, tensor<20x5xf32>, tensor<20xf32>, tensor<20xf32>
    return %y, %h, %c : tensor<?x?x5xf32>, tensor<?x5xf32>, tensor<?x5xf32>
  }
}
