// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=0,5 --dim=sequence=33 --nasty

!n = tensor<?xi64>

module @rnn attributes {sinter.archive = "rnn.safetensors"} {
  func.func @plain(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x20xf32> {sinter.name = "hidden"}) {
    %w, %r = sinter.weight "w11_20", "r11_20"
        : tensor<20x11xf32>, tensor<20x20xf32>
    %y, %hidden = sinter.rnn %x, %w, %r
        : tensor<?x?x11xf32>, tensor<20x11xf32>, tensor<20x20xf32>
    return %y, %hidden : tensor<?x?x20xf32>, tensor<?x20xf32>
  }

  // Past a row's length it keeps its state and its output is 0.
  func.func @lengths(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x7xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x7xf32> {sinter.name = "y"}, tensor<?x7xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w5_7", "r5_7", "bi5_7", "bh5_7"
        : tensor<7x5xf32>, tensor<7x7xf32>, tensor<7xf32>, tensor<7xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(relu) reverse init(%h0 : tensor<?x7xf32>) lengths(%n : !n)
        : tensor<?x?x5xf32>, tensor<7x5xf32>, tensor<7x7xf32>, tensor<7xf32>, tensor<7xf32>
    return %y, %hidden : tensor<?x?x7xf32>, tensor<?x7xf32>
  }

  func.func @one_unit(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x1xf32> {sinter.name = "y"}, tensor<?x1xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi = sinter.weight "w3_1", "r3_1", "bi3_1"
        : tensor<1x3xf32>, tensor<1x1xf32>, tensor<1xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi activations(sigmoid) lengths(%n : !n)
        : tensor<?x?x3xf32>, tensor<1x3xf32>, tensor<1x1xf32>, tensor<1xf32>
    return %y, %hidden : tensor<?x?x1xf32>, tensor<?x1xf32>
  }

  func.func @affine(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(affine(0.5, 0.1)) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @leaky_relu(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(leaky_relu(0.2)) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @thresholded_relu(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(thresholded_relu(0.3)) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @scaled_tanh(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(scaled_tanh(1.5, 0.5)) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @hard_sigmoid(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(hard_sigmoid) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @elu(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(elu(0.6)) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @softsign(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(softsign) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @softplus(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x17xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_17", "r6_17", "bi6_17", "bh6_17"
        : tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh activations(softplus) init(%h0 : tensor<?x17xf32>)
        : tensor<?x?x6xf32>, tensor<17x6xf32>, tensor<17x17xf32>, tensor<17xf32>, tensor<17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  func.func @clip(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x33xf32> {sinter.name = "y"}, tensor<?x33xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_33", "r6_33", "bi6_33", "bh6_33"
        : tensor<33x6xf32>, tensor<33x33xf32>, tensor<33xf32>, tensor<33xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh clip(0.5) reverse
        : tensor<?x?x6xf32>, tensor<33x6xf32>, tensor<33x33xf32>, tensor<33xf32>, tensor<33xf32>
    return %y, %hidden : tensor<?x?x33xf32>, tensor<?x33xf32>
  }

  // As Keras stores weights.
  func.func @in_out(%x: tensor<?x?x9xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x16xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w9_16t", "r9_16t", "bi9_16t", "bh9_16t"
        : tensor<9x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh in_out
        : tensor<?x?x9xf32>, tensor<9x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>
    return %y, %hidden : tensor<?x?x16xf32>, tensor<?x16xf32>
  }

  // Time before batch.
  func.func @time_major(%x: tensor<?x?x4xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x8xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x8xf32> {sinter.name = "y"}, tensor<?x8xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w4_8", "r4_8", "bi4_8", "bh4_8"
        : tensor<8x4xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
    %y, %hidden = sinter.rnn %x, %w, %r, %bi, %bh time_major init(%h0 : tensor<?x8xf32>) lengths(%n : !n)
        : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>
    return %y, %hidden : tensor<?x?x8xf32>, tensor<?x8xf32>
  }

  func.func @cell(%x: tensor<?x11xf32> {sinter.name = "row", sinter.dims = ["batch"]},
      %h0: tensor<?x20xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x20xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w11_20", "r11_20", "bi11_20", "bh11_20"
        : tensor<20x11xf32>, tensor<20x20xf32>, tensor<20xf32>, tensor<20xf32>
    %hidden = sinter.rnn_cell %x, %h0, %w, %r, %bi, %bh activations(relu)
        : tensor<?x11xf32>, tensor<?x20xf32>, tensor<20x11xf32>, tensor<20x20xf32>, tensor<20xf32>, tensor<20xf32>
    return %hidden : tensor<?x20xf32>
  }
}
