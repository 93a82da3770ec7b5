// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @leaky_relu_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a finite alpha}}
  %y = sinter.leaky_relu %x alpha(0x7FF0000000000000) : tensor<?x4xf32>
  return
}

// -----

func.func @thresholded_relu_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a finite alpha}}
  %y = sinter.thresholded_relu %x alpha(0x7FF8000000000000) : tensor<?x4xf32>
  return
}

// -----

func.func @elu_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a finite alpha}}
  %y = sinter.elu %x alpha(0xFFF0000000000000) : tensor<?x4xf32>
  return
}

// -----

func.func @hard_sigmoid_c1(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a finite alpha}}
  %y = sinter.hard_sigmoid %x alpha(0x7FF0000000000000) beta(0.5) : tensor<?x4xf32>
  return
}

// -----

func.func @hard_sigmoid_c1_beta(%x: tensor<?x4xf32>) {
  // expected-error@+1 {{expects a finite beta}}
  %y = sinter.hard_sigmoid %x alpha(0.2) beta(0x7FF0000000000000) : tensor<?x4xf32>
  return
}

// -----

func.func @element_type(%x: tensor<?x4xf64>) {
  // expected-error@+1 {{operand #0 must be ranked tensor of 32-bit float values, but got 'tensor<?x4xf64>'}}
  %y = sinter.mish %x : tensor<?x4xf64>
  return
}
