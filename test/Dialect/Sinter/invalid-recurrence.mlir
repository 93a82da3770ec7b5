// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @lstm_c1(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects input to be a tensor of 3 dimensions}}
  %y:3 = sinter.lstm %x, %w, %r : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_c2(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects gates to be an order of 'i', 'f', 'g', 'o', got 'ifog2'}}
  %y:3 = sinter.lstm %x, %w, %r gates("ifog2") : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_c3(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x3xf32>) {
  // expected-error@+1 {{expects recurrence to be [4 H, H] with constant H}}
  %y:3 = sinter.lstm %x, %w, %r : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x3xf32>
  return
}

// -----

func.func @lstm_c3_weight(%x: tensor<?x?x4xf32>, %w: tensor<8x5xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects the columns of weight '5' to be '4'}}
  %y:3 = sinter.lstm %x, %w, %r : tensor<?x?x4xf32>, tensor<8x5xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_c4(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{expects the size of bias '2' to be '8'}}
  %y:3 = sinter.lstm %x, %w, %r, %b : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>, tensor<2xf32>
  return
}

// -----

func.func @lstm_c5(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>, %h: tensor<?x3xf32>) {
  // expected-error@+1 {{expects the columns of init '3' to be '2'}}
  %y:3 = sinter.lstm %x, %w, %r init(%h, %h : tensor<?x3xf32>, tensor<?x3xf32>) : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_c6(%x: tensor<2x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  %y:3 = sinter.lstm %x, %w, %r lengths(%n : tensor<3xi64>) : tensor<2x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c1(%x: tensor<?x?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects input to be a tensor of 2 dimensions}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r : tensor<?x?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c2(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects gates to be an order of 'i', 'f', 'g', 'o', got 'iofc'}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r gates("iofc") : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c3(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<9x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects the rows of weight '9' to be '8'}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<9x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c4(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>, %b: tensor<9xf32>) {
  // expected-error@+1 {{expects the size of bias '9' to be '8'}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r, %b : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<8x2xf32>, tensor<9xf32>
  return
}

// -----

func.func @lstm_cell_c5(%x: tensor<?x4xf32>, %h: tensor<?x3xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects the columns of hidden '3' to be '2'}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r : tensor<?x4xf32>, tensor<?x3xf32>, tensor<?x3xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @rnn_c1(%x: tensor<?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects input to be a tensor of 3 dimensions}}
  %y:2 = sinter.rnn %x, %w, %r : tensor<?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c2(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x3xf32>) {
  // expected-error@+1 {{expects recurrence to be [H, H] with constant H}}
  %y:2 = sinter.rnn %x, %w, %r : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @rnn_c2_in_out(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects the columns of weight '4' to be '2'}}
  %y:2 = sinter.rnn %x, %w, %r in_out : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c3(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expects the size of bias '3' to be '2'}}
  %y:2 = sinter.rnn %x, %w, %r, %b : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<3xf32>
  return
}

// -----

func.func @rnn_c4(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>, %h: tensor<?x3xf32>) {
  // expected-error@+1 {{expects the columns of init '3' to be '2'}}
  %y:2 = sinter.rnn %x, %w, %r init(%h : tensor<?x3xf32>) : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c5(%x: tensor<5x2x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>, %n: tensor<5xi64>) {
  // expected-error@+1 {{expects the size of lengths '5' to be '2'}}
  %y:2 = sinter.rnn %x, %w, %r time_major lengths(%n : tensor<5xi64>) : tensor<5x2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c6(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects '1' activations, got '2'}}
  %y:2 = sinter.rnn %x, %w, %r activations(tanh, tanh) : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c6_name(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{unknown activation 'gelu', expected one of sigmoid, tanh, relu, affine, leaky_relu, thresholded_relu, scaled_tanh, hard_sigmoid, elu, softsign, softplus}}
  %y:2 = sinter.rnn %x, %w, %r activations(gelu) : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c6_parameters(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{'elu' takes '1' parameters}}
  %y:2 = sinter.rnn %x, %w, %r activations(elu(1.0, 2.0)) : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_c6_attributes(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+2 {{expects '2' activation parameters, got '0'}}
  // expected-error@+1 {{failed to infer returned types}}
  %y:2 = "sinter.rnn"(%x, %w, %r) <{activations = ["tanh"], operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>}> : (tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>) -> (tensor<?x?x2xf32>, tensor<?x2xf32>)
  return
}

// -----

func.func @rnn_c7(%x: tensor<?x?x4xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects a positive clip}}
  %y:2 = sinter.rnn %x, %w, %r clip(0.0) : tensor<?x?x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_cell_c1(%x: tensor<?x?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects input to be a tensor of 2 dimensions}}
  %y = sinter.rnn_cell %x, %h, %w, %r : tensor<?x?x4xf32>, tensor<?x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_cell_c2(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<2x5xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects the columns of weight '5' to be '4'}}
  %y = sinter.rnn_cell %x, %h, %w, %r : tensor<?x4xf32>, tensor<?x2xf32>, tensor<2x5xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_cell_c3(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>, %b: tensor<3xf32>) {
  // expected-error@+1 {{expects the size of bias '3' to be '2'}}
  %y = sinter.rnn_cell %x, %h, %w, %r, %b : tensor<?x4xf32>, tensor<?x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>, tensor<3xf32>
  return
}

// -----

func.func @rnn_cell_c4(%x: tensor<3x4xf32>, %h: tensor<5x2xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects the rows of hidden '5' to be '3'}}
  %y = sinter.rnn_cell %x, %h, %w, %r : tensor<3x4xf32>, tensor<5x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_cell_c5(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects '1' activations, got '3'}}
  %y = sinter.rnn_cell %x, %h, %w, %r activations(tanh, relu, tanh) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @rnn_cell_c6(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<2x4xf32>, %r: tensor<2x2xf32>) {
  // expected-error@+1 {{expects a positive clip}}
  %y = sinter.rnn_cell %x, %h, %w, %r clip(-1.0) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  return
}

// -----

func.func @gru_c1(%x: tensor<?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects input to be a tensor of 3 dimensions}}
  %y:2 = sinter.gru %x, %w, %r reset(after) : tensor<?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c2(%x: tensor<?x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects gates to be an order of 'r', 'z', 'n', got 'zrh'}}
  %y:2 = sinter.gru %x, %w, %r gates("zrh") reset(after) : tensor<?x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c3(%x: tensor<?x?x4xf32>, %w: tensor<4x4xf32>, %r: tensor<4x2xf32>) {
  // expected-error@+1 {{expects recurrence to be [3 H, H] with constant H}}
  %y:2 = sinter.gru %x, %w, %r reset(after) : tensor<?x?x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>
  return
}

// -----

func.func @gru_c3_in_out(%x: tensor<?x?x4xf32>, %w: tensor<4x6xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects recurrence to be [H, 3 H] with constant H}}
  %y:2 = sinter.gru %x, %w, %r reset(after) in_out : tensor<?x?x4xf32>, tensor<4x6xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c4(%x: tensor<?x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{expects the size of bias '2' to be '6'}}
  %y:2 = sinter.gru %x, %w, %r, %b reset(after) : tensor<?x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>, tensor<2xf32>
  return
}

// -----

func.func @gru_c5(%x: tensor<3x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>, %h: tensor<1x2xf32>) {
  // expected-error@+1 {{expects the rows of init '1' to be '3'}}
  %y:2 = sinter.gru %x, %w, %r reset(after) init(%h : tensor<1x2xf32>) : tensor<3x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c6(%x: tensor<3x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>, %n: tensor<2xi64>) {
  // expected-error@+1 {{expects the size of lengths '2' to be '3'}}
  %y:2 = sinter.gru %x, %w, %r reset(after) lengths(%n : tensor<2xi64>) : tensor<3x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c7(%x: tensor<?x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects '2' activations, got '1'}}
  %y:2 = sinter.gru %x, %w, %r reset(after) activations(tanh) : tensor<?x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c8(%x: tensor<?x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects a positive clip}}
  %y:2 = sinter.gru %x, %w, %r reset(after) clip(0.0) : tensor<?x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_c9(%x: tensor<?x?x4xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects reset(before) or reset(after)}}
  %y:2 = sinter.gru %x, %w, %r gates("rzn") : tensor<?x?x4xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c1(%x: tensor<4xf32>, %h: tensor<?x2xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects input to be a tensor of 2 dimensions}}
  %y = sinter.gru_cell %x, %h, %w, %r reset(after) : tensor<4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c2(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects gates to be an order of 'r', 'z', 'n', got 'rz'}}
  %y = sinter.gru_cell %x, %h, %w, %r gates("rz") reset(after) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c3(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects the rows of weight '8' to be '6'}}
  %y = sinter.gru_cell %x, %h, %w, %r reset(after) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c4(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{expects the size of bias '2' to be '6'}}
  %y = sinter.gru_cell %x, %h, %w, %r, %b reset(after) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>, tensor<2xf32>
  return
}

// -----

func.func @gru_cell_c5(%x: tensor<?x4xf32>, %h: tensor<?x3xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects the columns of hidden '3' to be '2'}}
  %y = sinter.gru_cell %x, %h, %w, %r reset(after) : tensor<?x4xf32>, tensor<?x3xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c6(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects '2' activations, got '3'}}
  %y = sinter.gru_cell %x, %h, %w, %r reset(after) activations(tanh, tanh, tanh) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c7(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects a positive clip}}
  %y = sinter.gru_cell %x, %h, %w, %r reset(after) clip(0.0) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @gru_cell_c8(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<6x4xf32>, %r: tensor<6x2xf32>) {
  // expected-error@+1 {{expects reset(before) or reset(after)}}
  %y = sinter.gru_cell %x, %h, %w, %r : tensor<?x4xf32>, tensor<?x2xf32>, tensor<6x4xf32>, tensor<6x2xf32>
  return
}

// -----

func.func @lstm_c7(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects '3' activations, got '2'}}
  %y:3 = sinter.lstm %x, %w, %r activations(sigmoid, tanh) : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_c8(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects a positive clip}}
  %y:3 = sinter.lstm %x, %w, %r clip(-3.0) : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_c9(%x: tensor<?x?x4xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>, %p: tensor<8xf32>) {
  // expected-error@+1 {{expects the size of peephole '8' to be '6'}}
  %y:3 = sinter.lstm %x, %w, %r peephole(%p : tensor<8xf32>) : tensor<?x?x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c6(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects '3' activations, got '1'}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r activations(tanh) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c7(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>) {
  // expected-error@+1 {{expects a positive clip}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r clip(0.0) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}

// -----

func.func @lstm_cell_c8(%x: tensor<?x4xf32>, %h: tensor<?x2xf32>, %w: tensor<8x4xf32>, %r: tensor<8x2xf32>, %p: tensor<2xf32>) {
  // expected-error@+1 {{expects the size of peephole '2' to be '6'}}
  %y:2 = sinter.lstm_cell %x, %h, %h, %w, %r peephole(%p : tensor<2xf32>) : tensor<?x4xf32>, tensor<?x2xf32>, tensor<?x2xf32>, tensor<8x4xf32>, tensor<8x2xf32>
  return
}
