// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @embedding_c1(%i: tensor<?xf32>, %t: tensor<8x4xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 32-bit signless integer or 64-bit signless integer values, but got 'tensor<?xf32>'}}
  %y = sinter.embedding %i, %t : tensor<?xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @embedding_c2(%i: tensor<?xi32>, %t: tensor<8xf32>) {
  // expected-error@+1 {{expects table to be a tensor of 2 dimensions, got 'tensor<8xf32>'}}
  %y = sinter.embedding %i, %t : tensor<?xi32>, tensor<8xf32>
  return
}

// -----

func.func @linear_c1(%x: tensor<f32>, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.linear %x, %w : tensor<f32>, tensor<8x4xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<?x4xf32>, %w: tensor<8x4x1xf32>) {
  // expected-error@+1 {{expects weight to be a tensor of 2 dimensions}}
  %y = sinter.linear %x, %w : tensor<?x4xf32>, tensor<8x4x1xf32>
  return
}

// -----

func.func @linear_c3(%x: tensor<?x4xf32>, %w: tensor<8x5xf32>) {
  // expected-error@+1 {{'sinter.linear' op expects the weight's input size '5' to be '4'}}
  %y = sinter.linear %x, %w : tensor<?x4xf32>, tensor<8x5xf32>
  return
}

// -----

func.func @linear_c4(%x: tensor<?x4xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expects the size of bias '4' to be '8'}}
  %y = sinter.linear %x, %w, %b : tensor<?x4xf32>, tensor<8x4xf32>, tensor<4xf32>
  return
}

// -----

func.func @element_type(%x: tensor<?x4xf64>, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 32-bit float values, but got 'tensor<?x4xf64>'}}
  %y = sinter.linear %x, %w : tensor<?x4xf64>, tensor<8x4xf32>
  return
}

// -----

func.func @no_tensor(%x: f32, %w: tensor<8x4xf32>) {
  // expected-error@+1 {{invalid kind of type specified: expected builtin.tensor, but found 'f32'}}
  %y = sinter.linear %x, %w : f32, tensor<8x4xf32>
  return
}

// -----

func.func @matmul_c1(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  // expected-error@+1 {{expects lhs to be a tensor of at least 2 dimensions}}
  %y = sinter.matmul %a, %b : tensor<4xf32>, tensor<4x4xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<4x4xf32>, %b: tensor<2x4x4xf32>) {
  // expected-error@+1 {{expects rhs to be a matrix or to have the rank of lhs, got '3' and '2'}}
  %y = sinter.matmul %a, %b : tensor<4x4xf32>, tensor<2x4x4xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{expects the inner size of rhs '2' to be '3'}}
  %y = sinter.matmul %a, %b : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<2x3x4xf32>, %b: tensor<5x4x3xf32>) {
  // expected-error@+1 {{expects batch dimension 0 of rhs '5' to be '2'}}
  %y = sinter.matmul %a, %b : tensor<2x3x4xf32>, tensor<5x4x3xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<f32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.softmax %x : tensor<f32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<f32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.log_softmax %x : tensor<f32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<f32>, %g: tensor<4xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.layer_norm %x, %g eps(1.0e-5) : tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<?x4xf32>, %g: tensor<5xf32>) {
  // expected-error@+1 {{expects the size of gain '5' to be '4'}}
  %y = sinter.layer_norm %x, %g eps(1.0e-5) : tensor<?x4xf32>, tensor<5xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<?x4xf32>, %g: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{expects the size of bias '5' to be '4'}}
  %y = sinter.layer_norm %x, %g, %b eps(1.0e-5) : tensor<?x4xf32>, tensor<4xf32>, tensor<5xf32>
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<?x4xf32>, %g: tensor<4xf32>) {
  // expected-error@+1 {{expects a non-negative eps}}
  %y = sinter.layer_norm %x, %g eps(-1.0) : tensor<?x4xf32>, tensor<4xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<f32>, %g: tensor<4xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<f32>, tensor<4xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<?x4xf32>, %g: tensor<5xf32>) {
  // expected-error@+1 {{expects the size of gain '5' to be '4'}}
  %y = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x4xf32>, tensor<5xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<?x4xf32>, %g: tensor<4xf32>) {
  // expected-error@+1 {{expects a non-negative eps}}
  %y = sinter.rms_norm %x, %g eps(-1.0) : tensor<?x4xf32>, tensor<4xf32>
  return
}

// -----

func.func @ffn_c1(%x: tensor<f32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.ffn %x, %u, %d relu : tensor<f32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @ffn_c2(%x: tensor<?x4xf32>, %u: tensor<8xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects up weight to be a tensor of 2 dimensions}}
  %y = sinter.ffn %x, %u, %d relu : tensor<?x4xf32>, tensor<8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @ffn_c3(%x: tensor<?x5xf32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects the up weight's input size '4' to be '5'}}
  %y = sinter.ffn %x, %u, %d relu : tensor<?x5xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @ffn_c4(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4x9xf32>) {
  // expected-error@+1 {{expects the down weight's input size '9' to be '8'}}
  %y = sinter.ffn %x, %u, %d relu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<4x9xf32>
  return
}

// -----

func.func @ffn_c5(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expects the size of up bias '4' to be '8'}}
  %y = sinter.ffn %x, %u, %b, %d, %b relu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @ffn_four(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects 3 operands, or 5 with biases, got '4'}}
  %y = sinter.ffn %x, %u, %d, %d relu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @ffn_activation(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{unknown activation 'swish', expected relu, gelu, gelu_tanh, silu, sigmoid, tanh, identity, quick_gelu, relu_squared, mish}}
  %y = sinter.ffn %x, %u, %d swish : tensor<?x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @gated_ffn_c1(%x: tensor<f32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.gated_ffn %x, %u, %u, %d silu : tensor<f32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @gated_ffn_c2(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4xf32>) {
  // expected-error@+1 {{expects down weight to be a tensor of 2 dimensions}}
  %y = sinter.gated_ffn %x, %u, %u, %d silu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4xf32>
  return
}

// -----

func.func @gated_ffn_c3(%x: tensor<?x4xf32>, %g: tensor<8x5xf32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects the gate weight's input size '5' to be '4'}}
  %y = sinter.gated_ffn %x, %g, %u, %d silu : tensor<?x4xf32>, tensor<8x5xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @gated_ffn_c4(%x: tensor<?x4xf32>, %g: tensor<7x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4x8xf32>) {
  // expected-error@+1 {{expects the up weight's output size '8' to be '7'}}
  %y = sinter.gated_ffn %x, %g, %u, %d silu : tensor<?x4xf32>, tensor<7x4xf32>, tensor<8x4xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @gated_ffn_c5(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %d: tensor<4x7xf32>) {
  // expected-error@+1 {{expects the down weight's input size '7' to be '8'}}
  %y = sinter.gated_ffn %x, %u, %u, %d silu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x7xf32>
  return
}

// -----

func.func @gated_ffn_c6(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %b: tensor<8xf32>, %d: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{expects the size of up bias '4' to be '8'}}
  %y = sinter.gated_ffn %x, %u, %b, %u, %e, %d, %e silu : tensor<?x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8x4xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @gated_ffn_c7(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %b: tensor<8xf32>, %d: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error@+2 {{expects all biases or none}}
  // expected-error@+1 {{failed to infer returned types}}
  %y = "sinter.gated_ffn"(%x, %u, %b, %u, %d) <{activation = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 1, 0>}> : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @gated_ffn_c8(%x: tensor<?x4xf32>, %u: tensor<9x4xf32>, %d: tensor<4x4xf32>) {
  // expected-error@+1 {{expects an even constant output size of the weight for gate and up, got '9'}}
  %y = sinter.gated_ffn %x, %u, %d silu : tensor<?x4xf32>, tensor<9x4xf32>, tensor<4x4xf32>
  return
}

// -----

func.func @gated_ffn_operands(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %b: tensor<8xf32>, %d: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error@+1 {{expects 4 operands, 7 with biases, or 3 or 5 with one weight for gate and up, got '2'}}
  %y = sinter.gated_ffn %x, %u silu : tensor<?x4xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @ffn_c6(%x: tensor<?x4xf32>, %u: tensor<8x4xf32>, %b: tensor<8xf32>, %d: tensor<4x8xf32>, %e: tensor<4xf32>) {
  // expected-error@+2 {{expects both biases or none}}
  // expected-error@+1 {{failed to infer returned types}}
  %y = "sinter.ffn"(%x, %u, %b, %d) <{activation = 3 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<?x4xf32>, tensor<8x4xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<?x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{expects a gain beside the bias}}
  // expected-error@+1 {{failed to infer returned types}}
  %y = "sinter.layer_norm"(%x, %b) <{eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @rms_norm_c4(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a gain beside 'unit_offset'}}
  %y = sinter.rms_norm %x unit_offset eps(1.0e-5) : tensor<?x4xf32>
  return
}

// -----

func.func @dropout_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a rate of at least 0 and below 1}}
  %y = sinter.dropout %x rate(1.0) : tensor<?x4xf32>
  return
}
