// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,7
// RUN: sinter-run %s %sweep --calls=2 --dim=batch=0,5 --dim=sequence=33 --nasty

!n = tensor<?xi64>

module @gru attributes {sinter.archive = "gru.safetensors"} {
  // The gates of PyTorch: one phase.
  func.func @after(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x20xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w11_20", "r11_20", "bi11_20", "bh11_20"
        : tensor<60x11xf32>, tensor<60x20xf32>, tensor<60xf32>, tensor<60xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh reset(after)
        : tensor<?x?x11xf32>, tensor<60x11xf32>, tensor<60x20xf32>, tensor<60xf32>, tensor<60xf32>
    return %y, %hidden : tensor<?x?x20xf32>, tensor<?x20xf32>
  }

  // The state is reset before it meets the matrix: two phases.
  func.func @before(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x20xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w11_20", "r11_20", "bi11_20", "bh11_20"
        : tensor<60x11xf32>, tensor<60x20xf32>, tensor<60xf32>, tensor<60xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh reset(before)
        : tensor<?x?x11xf32>, tensor<60x11xf32>, tensor<60x20xf32>, tensor<60xf32>, tensor<60xf32>
    return %y, %hidden : tensor<?x?x20xf32>, tensor<?x20xf32>
  }

  // Past a row's length it keeps its state and its output is 0.
  func.func @after_lengths(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x7xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x7xf32> {sinter.name = "y"}, tensor<?x7xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w5_7", "r5_7", "bi5_7", "bh5_7"
        : tensor<21x5xf32>, tensor<21x7xf32>, tensor<21xf32>, tensor<21xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(after) reverse
        init(%h0 : tensor<?x7xf32>) lengths(%n : !n)
        : tensor<?x?x5xf32>, tensor<21x5xf32>, tensor<21x7xf32>, tensor<21xf32>, tensor<21xf32>
    return %y, %hidden : tensor<?x?x7xf32>, tensor<?x7xf32>
  }

  func.func @before_lengths(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x7xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x7xf32> {sinter.name = "y"}, tensor<?x7xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi = sinter.weight "w5_7", "r5_7", "bi5_7"
        : tensor<21x5xf32>, tensor<21x7xf32>, tensor<21xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi gates("nzr") reset(before) reverse
        init(%h0 : tensor<?x7xf32>) lengths(%n : !n)
        : tensor<?x?x5xf32>, tensor<21x5xf32>, tensor<21x7xf32>, tensor<21xf32>
    return %y, %hidden : tensor<?x?x7xf32>, tensor<?x7xf32>
  }

  func.func @one_unit(%x: tensor<?x?x3xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x1xf32> {sinter.name = "y"}, tensor<?x1xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w3_1", "r3_1", "bi3_1", "bh3_1"
        : tensor<3x3xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<3xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh reset(before) lengths(%n : !n)
        : tensor<?x?x3xf32>, tensor<3x3xf32>, tensor<3x1xf32>, tensor<3xf32>, tensor<3xf32>
    return %y, %hidden : tensor<?x?x1xf32>, tensor<?x1xf32>
  }

  func.func @activations(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %h0: tensor<?x33xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x33xf32> {sinter.name = "y"}, tensor<?x33xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w6_33", "r6_33", "bi6_33", "bh6_33"
        : tensor<99x6xf32>, tensor<99x33xf32>, tensor<99xf32>, tensor<99xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh reset(after) clip(0.8) activations(hard_sigmoid, leaky_relu(0.2))
        init(%h0 : tensor<?x33xf32>)
        : tensor<?x?x6xf32>, tensor<99x6xf32>, tensor<99x33xf32>, tensor<99xf32>, tensor<99xf32>
    return %y, %hidden : tensor<?x?x33xf32>, tensor<?x33xf32>
  }

  func.func @activations_before(%x: tensor<?x?x6xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x17xf32> {sinter.name = "y"}, tensor<?x17xf32> {sinter.name = "hidden"}) {
    %w, %r = sinter.weight "w6_17", "r6_17"
        : tensor<51x6xf32>, tensor<51x17xf32>
    %y, %hidden = sinter.gru %x, %w, %r reset(before) clip(0.7) activations(hard_sigmoid(0.3, 0.4), affine(0.5, 0.1))
        : tensor<?x?x6xf32>, tensor<51x6xf32>, tensor<51x17xf32>
    return %y, %hidden : tensor<?x?x17xf32>, tensor<?x17xf32>
  }

  // As Keras stores weights.
  func.func @in_out(%x: tensor<?x?x9xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x16xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w9_16t", "r9_16t", "bi9_16t", "bh9_16t"
        : tensor<9x48xf32>, tensor<16x48xf32>, tensor<48xf32>, tensor<48xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(after) in_out
        : tensor<?x?x9xf32>, tensor<9x48xf32>, tensor<16x48xf32>, tensor<48xf32>, tensor<48xf32>
    return %y, %hidden : tensor<?x?x16xf32>, tensor<?x16xf32>
  }

  func.func @in_out_before(%x: tensor<?x?x9xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x16xf32> {sinter.name = "y"}, tensor<?x16xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w9_16t", "r9_16t", "bi9_16t", "bh9_16t"
        : tensor<9x48xf32>, tensor<16x48xf32>, tensor<48xf32>, tensor<48xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh gates("zrn") reset(before) in_out
        : tensor<?x?x9xf32>, tensor<9x48xf32>, tensor<16x48xf32>, tensor<48xf32>, tensor<48xf32>
    return %y, %hidden : tensor<?x?x16xf32>, tensor<?x16xf32>
  }

  // Time before batch.
  func.func @time_major(%x: tensor<?x?x4xf32> {sinter.name = "x", sinter.dims = ["sequence", "batch"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]},
      %h0: tensor<?x8xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x?x8xf32> {sinter.name = "y"}, tensor<?x8xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w4_8", "r4_8", "bi4_8", "bh4_8"
        : tensor<24x4xf32>, tensor<24x8xf32>, tensor<24xf32>, tensor<24xf32>
    %y, %hidden = sinter.gru %x, %w, %r, %bi, %bh reset(before) reverse time_major
        init(%h0 : tensor<?x8xf32>) lengths(%n : !n)
        : tensor<?x?x4xf32>, tensor<24x4xf32>, tensor<24x8xf32>, tensor<24xf32>, tensor<24xf32>
    return %y, %hidden : tensor<?x?x8xf32>, tensor<?x8xf32>
  }

  func.func @cell(%x: tensor<?x11xf32> {sinter.name = "row", sinter.dims = ["batch"]},
      %h0: tensor<?x20xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x20xf32> {sinter.name = "hidden"}) {
    %w, %r = sinter.weight "w11_20", "r11_20"
        : tensor<60x11xf32>, tensor<60x20xf32>
    %hidden = sinter.gru_cell %x, %h0, %w, %r reset(after)
        : tensor<?x11xf32>, tensor<?x20xf32>, tensor<60x11xf32>, tensor<60x20xf32>
    return %hidden : tensor<?x20xf32>
  }

  func.func @cell_before(%x: tensor<?x11xf32> {sinter.name = "row", sinter.dims = ["batch"]},
      %h0: tensor<?x20xf32> {sinter.name = "h0", sinter.dims = ["batch"]})
      -> (tensor<?x20xf32> {sinter.name = "hidden"}) {
    %w, %r, %bi, %bh = sinter.weight "w11_20", "r11_20", "bi11_20", "bh11_20"
        : tensor<60x11xf32>, tensor<60x20xf32>, tensor<60xf32>, tensor<60xf32>
    %hidden = sinter.gru_cell %x, %h0, %w, %r, %bi, %bh gates("zrn") reset(before) clip(2.0)
        : tensor<?x11xf32>, tensor<?x20xf32>, tensor<60x11xf32>, tensor<60x20xf32>, tensor<60xf32>, tensor<60xf32>
    return %hidden : tensor<?x20xf32>
  }

  // Layers of one width under numbered scopes.
  func.func @stack(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x?x8xf32> {sinter.name = "y"}) {
    %y = sinter.layers "stack" count(3) (%h = %x) : tensor<?x?x8xf32> {
      %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh"
          : tensor<24x8xf32>, tensor<24x8xf32>, tensor<24xf32>, tensor<24xf32>
      %z, %last = sinter.gru %h, %w, %r, %bi, %bh reset(after) lengths(%n : !n)
          : tensor<?x?x8xf32>, tensor<24x8xf32>, tensor<24x8xf32>, tensor<24xf32>, tensor<24xf32>
      sinter.yield %z : tensor<?x?x8xf32>
    }
    return %y : tensor<?x?x8xf32>
  }

  // A cell is a part of a user's step.
  func.func @cell_in_scan(%x: tensor<?x?x5xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x7xf32> {sinter.name = "y"}, tensor<?x7xf32> {sinter.name = "last"}) {
    %w, %r = sinter.weight "w5_7", "r5_7" : tensor<21x5xf32>, tensor<21x7xf32>
    %y, %last = sinter.scan each(%xt = %x : tensor<?x?x5xf32>) carry(%h = zero : tensor<?x7xf32>)
        -> (tensor<?x?x7xf32>, tensor<?x7xf32>) {
      %h1 = sinter.gru_cell %xt, %h, %w, %r reset(before)
          : tensor<?x5xf32>, tensor<?x7xf32>, tensor<21x5xf32>, tensor<21x7xf32>
      %half = arith.addf %h1, %h : tensor<?x7xf32>
      sinter.yield each(%half : tensor<?x7xf32>) carry(%h1 : tensor<?x7xf32>)
    }
    return %y, %last : tensor<?x?x7xf32>, tensor<?x7xf32>
  }

  // A step of the layer, its lengths bound.
  sinter.entry @step = @time_major with {sequence = 1, lengths = 1}
}
