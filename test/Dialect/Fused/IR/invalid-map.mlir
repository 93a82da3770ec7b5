// RUN: sinter-opt -split-input-file -verify-diagnostics %s

// Each function is named by the constraint that it violates.
func.func @map_c1(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{map_c1: extent '0' of 'i', expected a positive number}}
  fused.map dims(i = 0) ins(%x by (i) : tensor<4xf32>) outs(%y by (i) : tensor<4xf32>) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
  return
}

// -----

func.func @map_c1_extents(%y: tensor<4xf32>) {
  // expected-error@+1 {{map_c1: 1 dimensions but 2 extents}}
  %r = "fused.map"(%y) <{dims = ["i"], extents = array<i64: 4, 4>, input_maps = [], symbol_names = [], symbol_maps = [],
    store_outs = array<i64: 0>, store_maps = [affine_map<(i) -> (i)>], index_dims = array<i64>,
    operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
    %c = arith.constant 0.0 : f32
    fused.yield %c : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_c2(%x: tensor<4x4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{map_c2: map of an input has '1' results, expected '2' for type 'tensor<4x4xf32>'}}
  fused.map dims(i) ins(%x by (i) : tensor<4x4xf32>) outs(%y by (i) : tensor<4xf32>) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
  return
}

// -----

func.func @map_c3(%n: tensor<4xi64>, %y: tensor<4xf32>) {
  // expected-error@+1 {{map_c3: symbol 'i' stands twice}}
  fused.map dims(i) symbols(i = %n by (i) : tensor<4xi64>) outs(%y by (i) : tensor<4xf32>) {
    %c = arith.constant 0.0 : f32
    fused.yield %c : f32
  }
  return
}

// -----

func.func @map_c4(%n: tensor<4xi64>, %y: tensor<4xf32>) {
  // expected-error@+1 {{map_c4: map of 'rows' depends on dimension 'i'}}
  fused.map dims(i) rows(%n by (i) of i : tensor<4xi64>) outs(%y by (i) : tensor<4xf32>) {
    %c = arith.constant 0.0 : f32
    fused.yield %c : f32
  }
  return
}

// -----

func.func @map_c5(%y: tensor<4xf32>, %z: tensor<4xf32>) {
  // expected-error@+1 {{map_c5: nothing is stored into destination number '1'}}
  %r:2 = "fused.map"(%y, %z) <{dims = ["i"], extents = array<i64: 4>, input_maps = [], symbol_names = [],
    symbol_maps = [], store_outs = array<i64: 0>, store_maps = [affine_map<(i) -> (i)>], index_dims = array<i64>,
    operandSegmentSizes = array<i32: 0, 0, 0, 2>}> ({
    %c = arith.constant 0.0 : f32
    fused.yield %c : f32
  }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @map_c6(%y: tensor<4xf32>) {
  // expected-error@+1 {{map_c6: index of dimension number '1' of '1' dimensions}}
  %r = "fused.map"(%y) <{dims = ["i"], extents = array<i64: 4>, input_maps = [], symbol_names = [], symbol_maps = [],
    store_outs = array<i64: 0>, store_maps = [affine_map<(i) -> (i)>], index_dims = array<i64: 1>,
    operandSegmentSizes = array<i32: 0, 0, 0, 1>}> ({
  ^bb0(%i: index):
    %c = arith.constant 0.0 : f32
    fused.yield %c : f32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_c7(%x: tensor<4xbf16>, %y: tensor<4xf32>) {
  // expected-error@+1 {{map_c7: the body has arguments '(bf16)', expected '(f32)'}}
  fused.map dims(i) ins(%x by (i) : tensor<4xbf16>) outs(%y by (i) : tensor<4xf32>) {
  ^bb0(%a: bf16):
    %b = arith.extf %a : bf16 to f32
    fused.yield %b : f32
  }
  return
}

// -----

func.func @map_c8(%x: tensor<4xf64>, %y: tensor<4xf32>) {
  // expected-error@+1 {{map_c8: the body yields '(f64)', expected '(f32)'}}
  fused.map dims(i) ins(%x by (i) : tensor<4xf64>) outs(%y by (i) : tensor<4xf32>) {
  ^bb0(%a: f64):
    fused.yield %a : f64
  }
  return
}

// -----

func.func @map_c9(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{map_c9: dimension 'i' has extent '4', but an operand of type 'tensor<3xf32>' has '3' there}}
  fused.map dims(i) ins(%x by (i) : tensor<4xf32>) outs(%y by (i) : tensor<3xf32>) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
  return
}

// -----

func.func @map_c9_unknown(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{map_c9: nothing tells the extent of dimension 'i'}}
  fused.map dims(i) ins(%x by (i mod 4) : tensor<4xf32>) outs(%y by (i + 1) : tensor<8xf32>) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
  return
}

// -----

func.func @isolated(%x: f32, %y: tensor<4xf32>) {
  fused.map dims(i) outs(%y by (i) : tensor<4xf32>) {
    // expected-error@+1 {{use of undeclared SSA value name}}
    fused.yield %x : f32
  }
  return
}

// -----

func.func @read_c1(%t: tensor<4x4xf32>, %y: tensor<4xf32>) {
  fused.map dims(i) ins(%t : tensor<4x4xf32>) outs(%y by (i) : tensor<4xf32>) index(i) {
  ^bb0(%table: tensor<4x4xf32>, %i: index):
    // expected-error@+1 {{read_c1: a table of type 'tensor<4x4xf32>' is read with 1 indices}}
    %v = fused.read %table[%i] : tensor<4x4xf32>
    fused.yield %v : f32
  }
  return
}

// -----

func.func @read_c2(%t: tensor<4xbf16>, %y: tensor<4xf32>) {
  fused.map dims(i) ins(%t : tensor<4xbf16>) outs(%y by (i) : tensor<4xf32>) index(i) {
  ^bb0(%table: tensor<4xbf16>, %i: index):
    // expected-error@+1 {{read_c2: result type 'bf16', expected 'f32'}}
    %v = "fused.read"(%table, %i) : (tensor<4xbf16>, index) -> bf16
    %w = arith.extf %v : bf16 to f32
    fused.yield %w : f32
  }
  return
}

// -----

func.func @read_c3(%y: tensor<4xf32>) {
  fused.map dims(i) outs(%y by (i) : tensor<4xf32>) index(i) {
  ^bb0(%i: index):
    %table = arith.constant dense<0.0> : tensor<4xf32>
    // expected-error@+1 {{read_c3: the table must be an argument of the region, a capture without a map}}
    %v = fused.read %table[%i] : tensor<4xf32>
    fused.yield %v : f32
  }
  return
}

// -----

func.func @unknown_name(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{use of undeclared identifier}}
  fused.map dims(i) ins(%x by (j) : tensor<4xf32>) outs(%y by (i) : tensor<4xf32>) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
  return
}

// -----

func.func @types(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{2 operands but 1 types in 'ins'}}
  fused.map dims(i) ins(%x by (i), %x by (i) : tensor<4xf32>) outs(%y by (i) : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    fused.yield %a : f32
  }
  return
}

// -----

func.func @layout_rank() {
  // expected-error@+1 {{a layout of 2 dimensions does not fit a rank of 1}}
  %m = "fused.slot"() <{number = 0 : i64}> : () -> memref<4xf32, #fused.layout<(i, j) -> (j, i)>>
  return
}
