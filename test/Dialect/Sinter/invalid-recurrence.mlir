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
