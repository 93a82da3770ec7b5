// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @positions_c1(%x: tensor<?xi32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 2 dimensions, got 'tensor<?xi32>'}}
  %y = sinter.positions %x : tensor<?xi32>
  return
}

// -----

func.func @positions_c2(%x: tensor<?x?xi32>) {
  // expected-error@+1 {{names the cursor 'context', which no cache of the module has}}
  %y = sinter.positions %x after("context") : tensor<?x?xi32>
  return
}

// -----

func.func @rope_c1(%x: tensor<?x?x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects input to be a tensor of 4 dimensions}}
  %y = sinter.rope %x, %p : tensor<?x?x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c2(%x: tensor<?x4x8x8xf32>, %p: tensor<?x5xi64>) {
  // expected-error@+1 {{expects dimension 1 of positions '5' to be '4'}}
  %y = sinter.rope %x, %p : tensor<?x4x8x8xf32>, tensor<?x5xi64>
  return
}

// -----

func.func @rope_c3(%x: tensor<?x?x8x7xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects an even number of rotated columns, at most '7', got '7'}}
  %y = sinter.rope %x, %p : tensor<?x?x8x7xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c4(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects a positive theta}}
  %y = sinter.rope %x, %p theta(-1.0) : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @sinusoidal_positions_c1(%p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects the result to add one dimension to 'tensor<?x?xi64>', got 'tensor<?x8xf32>'}}
  %y = sinter.sinusoidal_positions %p : tensor<?x?xi64> -> tensor<?x8xf32>
  return
}

// -----

func.func @sinusoidal_positions_c2(%p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects an even constant size, got '7'}}
  %y = sinter.sinusoidal_positions %p : tensor<?x?xi64> -> tensor<?x?x7xf32>
  return
}

// -----

func.func @positions_c3(%x: tensor<?x?xi32>) {
  // expected-error@+1 {{expects a non-negative offset, got '-1'}}
  %y = sinter.positions %x offset(-1) : tensor<?x?xi32>
  return
}

// -----

func.func @rope_c3_dynamic(%x: tensor<?x?x8x?xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects a constant head size}}
  %y = sinter.rope %x, %p : tensor<?x?x8x?xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c3_more(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects an even number of rotated columns, at most '8', got '10'}}
  %y = sinter.rope %x, %p rotary(10) : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c5(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>, %n: tensor<?xi64>) {
  // expected-error@+1 {{expects lengths only with a 'dynamic' or 'longrope' scaling}}
  %y = sinter.rope %x, %p lengths(%n : tensor<?xi64>) : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c5_size(%x: tensor<2x3x8x8xf32>, %p: tensor<2x3xi64>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  %y = sinter.rope %x, %p scaling<dynamic, factor = 2.0, original_length = 8> lengths(%n : tensor<3xi64>) : tensor<2x3x8x8xf32>, tensor<2x3xi64>
  return
}

// -----

func.func @rope_c6_longrope(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects the number of long factors '1' to be '4'}}
  %y = sinter.rope %x, %p scaling<longrope, original_length = 8, short_factor = [1.0], long_factor = [1.0], factor = 2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c6_dynamic(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects more than 2 rotated columns for 'dynamic'}}
  %y = sinter.rope %x, %p rotary(2) scaling<dynamic, factor = 2.0, original_length = 8> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_c6_yarn(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects a theta that is not 1 for 'yarn'}}
  %y = sinter.rope %x, %p theta(1.0) scaling<yarn, factor = 2.0, original_length = 8> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @scaling_kind(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{unknown scaling 'ntk', expected linear, dynamic, yarn, longrope or llama3}}
  %y = sinter.rope %x, %p scaling<ntk, factor = 2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @scaling_twice(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{'factor' is given twice}}
  %y = sinter.rope %x, %p scaling<linear, factor = 2.0, factor = 3.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c1(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{'linear' takes no 'original_length', expected 'factor'}}
  %y = sinter.rope %x, %p scaling<linear, factor = 2.0, original_length = 8> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c2(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{'llama3' expects 'high_freq_factor'}}
  %y = sinter.rope %x, %p scaling<llama3, factor = 2.0, original_length = 8, low_freq_factor = 1.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c2_longrope(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{'longrope' expects 'factor' or 'attention_factor'}}
  %y = sinter.rope %x, %p scaling<longrope, original_length = 8, short_factor = [1.0], long_factor = [1.0]> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c3(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'factor' to be a positive number, got -2.000000e+00 : f64}}
  %y = sinter.rope %x, %p scaling<linear, factor = -2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c3_zero(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'factor' to be a positive number, got 0.000000e+00 : f64}}
  %y = sinter.rope %x, %p scaling<linear, factor = 0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c3_list(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'short_factor' to be a list of positive numbers}}
  %y = sinter.rope %x, %p scaling<longrope, original_length = 8, short_factor = [1.0, 0.0], long_factor = [1.0], factor = 2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c3_no_list(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'short_factor' to be a list of positive numbers}}
  %y = sinter.rope %x, %p scaling<longrope, original_length = 8, short_factor = 1.0, long_factor = [1.0], factor = 2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c3_size(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects as many short factors as long ones, got '2' and '1'}}
  %y = sinter.rope %x, %p scaling<longrope, original_length = 8, short_factor = [1.0, 2.0], long_factor = [1.0], factor = 2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c3_truncate(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'truncate' to be true or false, got 1.000000e+00 : f64}}
  %y = sinter.rope %x, %p scaling<yarn, factor = 2.0, original_length = 8, truncate = 1> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c4(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects an 'original_length' of at least 1}}
  %y = sinter.rope %x, %p scaling<yarn, factor = 2.0, original_length = 0.5> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c4_dynamic(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects a 'factor' of at least 1}}
  %y = sinter.rope %x, %p scaling<dynamic, factor = 0.5, original_length = 8> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c4_longrope(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects an 'original_length' of at least 2}}
  %y = sinter.rope %x, %p scaling<longrope, original_length = 1, short_factor = [1.0], long_factor = [1.0], factor = 2.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c5(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'mscale' and 'mscale_all_dim' together}}
  %y = sinter.rope %x, %p scaling<yarn, factor = 2.0, original_length = 8, mscale = 1.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c5_both(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'mscale' or 'attention_factor', not both}}
  %y = sinter.rope %x, %p scaling<yarn, factor = 2.0, original_length = 8, attention_factor = 1.0, mscale = 1.0, mscale_all_dim = 1.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c6_llama3(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'low_freq_factor' to be less than 'high_freq_factor'}}
  %y = sinter.rope %x, %p scaling<llama3, factor = 2.0, original_length = 8, low_freq_factor = 4.0, high_freq_factor = 1.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @rope_scaling_c6_yarn(%x: tensor<?x?x8x8xf32>, %p: tensor<?x?xi64>) {
  // expected-error@+1 {{expects 'beta_slow' to be less than 'beta_fast'}}
  %y = sinter.rope %x, %p scaling<yarn, factor = 2.0, original_length = 8, beta_fast = 1.0> : tensor<?x?x8x8xf32>, tensor<?x?xi64>
  return
}

// -----

func.func @alibi_slopes_c1() {
  // expected-error@+1 {{expects a vector with a constant number of heads, got 'tensor<?xf32>'}}
  %y = sinter.alibi_slopes : tensor<?xf32>
  return
}
