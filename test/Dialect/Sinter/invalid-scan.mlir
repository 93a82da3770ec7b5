// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @scan_c1_none() {
  // expected-error@+1 {{expects a sequence to go over}}
  sinter.scan each() {
    sinter.yield each()
  }
  return
}

// -----

func.func @scan_c1_rank(%x: tensor<?xf32>) {
  // expected-error@+1 {{expects a sequence [B, T, ...], got 'tensor<?xf32>'}}
  sinter.scan each(%xt = %x : tensor<?xf32>) {
    sinter.yield each()
  }
  return
}

// -----

func.func @scan_c1_time(%x: tensor<?x3x4xf32>, %z: tensor<?x5xf32>) {
  // expected-error@+1 {{expects the time of a sequence '5' to be '3'}}
  sinter.scan each(%xt = %x : tensor<?x3x4xf32>, %zt = %z : tensor<?x5xf32>) {
    sinter.yield each()
  }
  return
}

// -----

func.func @scan_c2(%x: tensor<?x?x4xf32>) {
  // expected-error@+1 {{expects an argument that is one step of 'tensor<?x?x4xf32>', got 'tensor<?x5xf32>'}}
  "sinter.scan"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, zeros = array<i1>}> ({
  ^bb0(%xt: tensor<?x5xf32>):
    sinter.yield each()
  }) : (tensor<?x?x4xf32>) -> ()
  return
}

// -----

func.func @scan_c2_count(%x: tensor<?x?x4xf32>) {
  // expected-error@+1 {{expects '1' steps and '0' states as arguments of its body, got '0'}}
  "sinter.scan"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, zeros = array<i1>}> ({
    sinter.yield each()
  }) : (tensor<?x?x4xf32>) -> ()
  return
}

// -----

func.func @scan_c2_zeros(%x: tensor<?x?x4xf32>) {
  // expected-error@+1 {{expects an initial value for each state that does not start at zero}}
  %y = "sinter.scan"(%x) <{operandSegmentSizes = array<i32: 1, 0, 0>, zeros = array<i1: false>}> ({
  ^bb0(%xt: tensor<?x4xf32>, %h: tensor<?x4xf32>):
    sinter.yield carry(%h : tensor<?x4xf32>)
  }) : (tensor<?x?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @scan_c3_state(%x: tensor<?x?x4xf32>, %h0: tensor<?x?xf32>) {
  // expected-error@+1 {{expects a state to have constant extents after the first}}
  %y = sinter.scan each(%xt = %x : tensor<?x?x4xf32>) carry(%h = %h0 : tensor<?x?xf32>) -> tensor<?x?xf32> {
    sinter.yield carry(%h : tensor<?x?xf32>)
  }
  return
}

// -----

func.func @scan_c3_step(%x: tensor<2x?x4xf32>, %z: tensor<3x4xf32>) {
  // expected-error@+1 {{expects the rows of a yielded step '3' to be '2'}}
  %y = sinter.scan each(%xt = %x : tensor<2x?x4xf32>) -> tensor<3x?x4xf32> {
    sinter.yield each(%z : tensor<3x4xf32>)
  }
  return
}

// -----

func.func @scan_c4(%x: tensor<2x?x4xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  sinter.scan each(%xt = %x : tensor<2x?x4xf32>) lengths(%n : tensor<3xi64>) {
    sinter.yield each()
  }
  return
}

// -----

func.func @scan_c5(%x: tensor<?x?x4xf32>) {
  %y = sinter.scan each(%xt = %x : tensor<?x?x4xf32>) carry(%h = zero : tensor<?x4xf32>) -> tensor<?x4xf32> {
    // expected-error@+1 {{expects 'sinter.yield each(...) carry(...)' with '1' states}}
    sinter.yield each(%h : tensor<?x4xf32>)
  }
  return
}

// -----

func.func @scan_c5_type(%x: tensor<?x?x4xf32>) {
  %y = sinter.scan each(%xt = %x : tensor<?x?x4xf32>) carry(%h = zero : tensor<?x5xf32>) -> tensor<?x5xf32> {
    // expected-error@+1 {{expects a state of 'tensor<?x5xf32>', got 'tensor<?x4xf32>'}}
    sinter.yield carry(%xt : tensor<?x4xf32>)
  }
  return
}

// -----

func.func @scan_c5_outputs(%x: tensor<?x?x4xf32>) {
  %y = sinter.scan each(%xt = %x : tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
    // expected-error@+1 {{expects '1' steps of outputs}}
    sinter.yield each(%xt, %xt : tensor<?x4xf32>, tensor<?x4xf32>)
  }
  return
}

// -----

func.func @scan_c6(%x: tensor<?x?x4xf32>) {
  // expected-error@+1 {{expects a result like 'tensor<?x?x4xf32>', got 'tensor<?x?x5xf32>'}}
  %y = sinter.scan each(%xt = %x : tensor<?x?x4xf32>) -> tensor<?x?x5xf32> {
    sinter.yield each(%xt : tensor<?x4xf32>)
  }
  return
}

// -----

func.func @scan_c6_count(%x: tensor<?x?x4xf32>) {
  // expected-error@+1 {{expects a result for each of its '1' states, got '0'}}
  sinter.scan each(%xt = %x : tensor<?x?x4xf32>) carry(%h = zero : tensor<?x4xf32>) {
    sinter.yield carry(%xt : tensor<?x4xf32>)
  }
  return
}

// -----

sinter.state @s dims ["batch"] : tensor<?x4xf32>
func.func @scan_c7(%x: tensor<?x?x4xf32>) {
  sinter.scan each(%xt = %x : tensor<?x?x4xf32>) {
    // expected-error@+1 {{reads or changes the session's state in a scan}}
    %h = sinter.read @s : tensor<?x4xf32>
    sinter.yield each()
  }
  return
}

// -----

func.func @yield_c1(%x: tensor<?x4xf32>) {
  %y = sinter.layers "a" count(2) (%h = %x) : tensor<?x4xf32> {
    // expected-error@+1 {{expects values without 'each' and 'carry', which end the step of a scan}}
    sinter.yield carry(%h : tensor<?x4xf32>)
  }
  return
}

// -----

func.func @twice(%x: tensor<?x?x4xf32>, %n: tensor<?xi64>) {
  // expected-error@+1 {{this clause was given before}}
  sinter.scan each(%xt = %x : tensor<?x?x4xf32>) lengths(%n : tensor<?xi64>) reverse lengths(%n : tensor<?xi64>) {
    sinter.yield each()
  }
  return
}
