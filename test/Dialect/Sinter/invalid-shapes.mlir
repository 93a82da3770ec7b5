// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @split_c1(%x: tensor<f32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.split %x [1] : tensor<f32>
  return
}

// -----

func.func @split_c2(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects sizes of at least 0, got '-1'}}
  %y:2 = sinter.split %x [5, -1] : tensor<?x4xf32>
  return
}

// -----

func.func @split_c3(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects sizes that add up to the last dimension '4', got '5'}}
  %y:2 = sinter.split %x [2, 3] : tensor<?x4xf32>
  return
}

// -----

func.func @last_c1(%x: tensor<4xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 2 dimensions}}
  %y = sinter.last %x : tensor<4xf32>
  return
}

// -----

func.func @last_c2(%x: tensor<2x?x4xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  %y = sinter.last %x lengths(%n : tensor<3xi64>) : tensor<2x?x4xf32>
  return
}

// -----

func.func @take_c1(%x: tensor<4xf32>, %n: tensor<?xi64>) {
  // expected-error@+1 {{expects input to be a tensor of at least 2 dimensions}}
  %y = sinter.take %x at(%n : tensor<?xi64>) : tensor<4xf32>
  return
}

// -----

func.func @take_c2(%x: tensor<2x?x4xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of at '3' to be '2'}}
  %y = sinter.take %x at(%n : tensor<3xi64>) : tensor<2x?x4xf32>
  return
}

// -----

func.func @broadcast_c1(%c: f32) {
  // expected-error@+1 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %y = sinter.broadcast %c like(%c) : f32, f32
  return
}

// -----

func.func @broadcast_c2(%c: tensor<2x4xf32>, %x: tensor<4xf32>) {
  // expected-error@+1 {{expects at most the rank '1' of like, got '2'}}
  %y = sinter.broadcast %c like(%x) : tensor<2x4xf32>, tensor<4xf32>
  return
}

// -----

func.func @broadcast_c3(%c: tensor<3xf32>, %x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects dimension 0 of input '3' to be '4'}}
  %y = sinter.broadcast %c like(%x) : tensor<3xf32>, tensor<?x4xf32>
  return
}

// -----

func.func @transpose_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a permutation of the '2' dimensions}}
  %y = sinter.transpose %x [0, 0] : tensor<?x4xf32>
  return
}
