// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=0,5 --dim=sequence=33 --nasty

!n = tensor<?xi64>

module @lstm attributes {sinter.archive = "lstm.safetensors"} {
  func.func @plain(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x20xf32> {sinter.name = "hidden"}, tensor<?x20xf32> {sinter.name = "cell"}) {
    %w, %r = sinter.weight "w11_20", "r11_20"
        : tensor<80x11xf32>, tensor<80x20xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r
        : tensor<?x?x11xf32>, tensor<80x11xf32>, tensor<80x20xf32>
    return %y, %hidden, %cell : tensor<?x?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>
  }

  // Past a row's length it keeps its state and its output is 0.
  func.func @lengths(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x20xf32> {sinter.name = "hidden"}, tensor<?x20xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w11_20", "r11_20", "bi11_20", "bh11_20"
        : tensor<80x11xf32>, tensor<80x20xf32>, tensor<80xf32>, tensor<80xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh gates("ifgo") lengths(%n : !n)
        : tensor<?x?x11xf32>, tensor<80x11xf32>, tensor<80x20xf32>, tensor<80xf32>, tensor<80xf32>
    return %y, %hidden, %cell : tensor<?x?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>
  }

  func.func @initial(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x20xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x20xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x20xf32> {sinter.name = "hidden"}, tensor<?x20xf32> {sinter.name = "cell"}) {
    %w, %r, %bi = sinter.weight "w11_20", "r11_20", "bi11_20"
        : tensor<80x11xf32>, tensor<80x20xf32>, tensor<80xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi gates("iofg") reverse
        init(%h0, %c0 : tensor<?x20xf32>, tensor<?x20xf32>) lengths(%n : !n)
        : tensor<?x?x11xf32>, tensor<80x11xf32>, tensor<80x20xf32>, tensor<80xf32>
    return %y, %hidden, %cell : tensor<?x?x20xf32>, tensor<?x20xf32>, tensor<?x20xf32>
  }

  // Units that fill no vector.
  func.func @peephole(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x7xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x7xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x7xf32> {sinter.name = "y"}, tensor<?x7xf32> {sinter.name = "hidden"}, tensor<?x7xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh, %p = sinter.weight "w5_7", "r5_7", "bi5_7", "bh5_7", "p5_7"
        : tensor<28x5xf32>, tensor<28x7xf32>, tensor<28xf32>, tensor<28xf32>, tensor<21xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh gates("iofg")
        peephole(%p : tensor<21xf32>) init(%h0, %c0 : tensor<?x7xf32>, tensor<?x7xf32>) lengths(%n : !n)
        : tensor<?x?x5xf32>, tensor<28x5xf32>, tensor<28x7xf32>, tensor<28xf32>, tensor<28xf32>
    return %y, %hidden, %cell : tensor<?x?x7xf32>, tensor<?x7xf32>, tensor<?x7xf32>
  }

  // The peepholes of gates that stand behind g.
  func.func @peephole_after_g(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x1xf32> {sinter.name = "y"}, tensor<?x1xf32> {sinter.name = "hidden"}, tensor<?x1xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh, %p = sinter.weight "w3_1", "r3_1", "bi3_1", "bh3_1", "p3_1"
        : tensor<4x3xf32>, tensor<4x1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh gates("gfio") reverse peephole(%p : tensor<3xf32>)
        : tensor<?x?x3xf32>, tensor<4x3xf32>, tensor<4x1xf32>, tensor<4xf32>, tensor<4xf32>
    return %y, %hidden, %cell : tensor<?x?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
  }

  func.func @coupled(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}, tensor<?x17xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w5_17", "r5_17", "bi5_17", "bh5_17"
        : tensor<68x5xf32>, tensor<68x17xf32>, tensor<68xf32>, tensor<68xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh coupled lengths(%n : !n)
        : tensor<?x?x5xf32>, tensor<68x5xf32>, tensor<68x17xf32>, tensor<68xf32>, tensor<68xf32>
    return %y, %hidden, %cell : tensor<?x?x17xf32>, tensor<?x17xf32>, tensor<?x17xf32>
  }

  func.func @activations(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x33xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x33xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x33xf32> {sinter.name = "y"}, tensor<?x33xf32> {sinter.name = "hidden"}, tensor<?x33xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_33", "r6_33", "bi6_33", "bh6_33"
        : tensor<132x6xf32>, tensor<132x33xf32>, tensor<132xf32>, tensor<132xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh clip(0.8) activations(hard_sigmoid(0.3, 0.4), softsign, scaled_tanh(1.5, 0.5))
        init(%h0, %c0 : tensor<?x33xf32>, tensor<?x33xf32>)
        : tensor<?x?x6xf32>, tensor<132x6xf32>, tensor<132x33xf32>, tensor<132xf32>, tensor<132xf32>
    return %y, %hidden, %cell : tensor<?x?x33xf32>, tensor<?x33xf32>, tensor<?x33xf32>
  }

  // As Keras stores weights.
  func.func @in_out(%x: tensor<?x?x9xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x16xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "hidden"}, tensor<?x16xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w9_16t", "r9_16t", "bi9_16t", "bh9_16t"
        : tensor<9x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<64xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh in_out
        : tensor<?x?x9xf32>, tensor<9x64xf32>, tensor<16x64xf32>, tensor<64xf32>, tensor<64xf32>
    return %y, %hidden, %cell : tensor<?x?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>
  }

  // Time before batch.
  func.func @time_major(%x: tensor<?x?x4xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x8xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x8xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x?x8xf32> {sinter.name = "y"}, tensor<?x8xf32> {sinter.name = "hidden"}, tensor<?x8xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh = sinter.weight "w4_8", "r4_8", "bi4_8", "bh4_8"
        : tensor<32x4xf32>, tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>
    %y, %hidden, %cell = sinter.lstm %x, %w, %r, %bi, %bh reverse time_major
        init(%h0, %c0 : tensor<?x8xf32>, tensor<?x8xf32>) lengths(%n : !n)
        : tensor<?x?x4xf32>, tensor<32x4xf32>, tensor<32x8xf32>, tensor<32xf32>, tensor<32xf32>
    return %y, %hidden, %cell : tensor<?x?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
  }

  func.func @cell(%x: tensor<?x11xf32> {sinter.name = "row", sinter.dims = ["batch"]},
      %h0: tensor<?x20xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x20xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x20xf32> {sinter.name = "hidden"}, tensor<?x20xf32> {sinter.name = "cell"}) {
    %w, %r = sinter.weight "w11_20", "r11_20"
        : tensor<80x11xf32>, tensor<80x20xf32>
    %hidden, %cell = sinter.lstm_cell %x, %h0, %c0, %w, %r
        : tensor<?x11xf32>, tensor<?x20xf32>, tensor<?x20xf32>, tensor<80x11xf32>, tensor<80x20xf32>
    return %hidden, %cell : tensor<?x20xf32>, tensor<?x20xf32>
  }

  func.func @cell_with_everything(%x: tensor<?x6xf32> {sinter.name = "row", sinter.dims = ["batch"]},
      %h0: tensor<?x7xf32> {sinter.name = "h0", sinter.dims = ["batch"]},
      %c0: tensor<?x7xf32> {sinter.name = "c0", sinter.dims = ["batch"]})
      -> (tensor<?x7xf32> {sinter.name = "hidden"}, tensor<?x7xf32> {sinter.name = "cell"}) {
    %w, %r, %bi, %bh, %p = sinter.weight "w6_7t", "r6_7t", "bi6_7t", "bh6_7t", "p6_7t"
        : tensor<6x28xf32>, tensor<7x28xf32>, tensor<28xf32>, tensor<28xf32>, tensor<21xf32>
    %hidden, %cell = sinter.lstm_cell %x, %h0, %c0, %w, %r, %bi, %bh gates("oigf") coupled clip(0.9) activations(sigmoid, elu(0.7), softplus) in_out
        peephole(%p : tensor<21xf32>)
        : tensor<?x6xf32>, tensor<?x7xf32>, tensor<?x7xf32>, tensor<6x28xf32>, tensor<7x28xf32>, tensor<28xf32>, tensor<28xf32>
    return %hidden, %cell : tensor<?x7xf32>, tensor<?x7xf32>
  }
}
