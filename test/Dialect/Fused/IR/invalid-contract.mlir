// RUN: sinter-opt -split-input-file -verify-diagnostics %s

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @contract_c1(%x: tensor<8xf32>, %w: tensor<8xf32>, %y: tensor<1xf32>) {
  // expected-error@+1 {{contract_c1: '1' dimensions, expected rows, n and k}}
  %r = "fused.contract"(%x, %y) <{dims = ["k"], extents = array<i64: 8>, input_map = affine_map<(k) -> (k)>,
    operandSegmentSizes = array<i32: 1, 0, 1>}> ({
  ^bb0:
  }) : (tensor<8xf32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

!x = tensor<4x8xf32>
!y = tensor<4x16xf32>
func.func @contract_c2(%x: !x, %y: !y) {
  // expected-error@+1 {{contract_c2: map of the input depends on dimension 'n'}}
  fused.contract dims(r, n, k) ins(%x by (r, n) : !x) outs(%y : !y) {
  }
  return
}

// -----

!x = tensor<4x8xf32>
!y = tensor<4x16xf32>
func.func @contract_c3(%x: !x, %y: !y, %n: tensor<4xi64>) {
  // expected-error@+1 {{contract_c3: 'rows' limits n or k, expected a row dimension}}
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) rows(%n by (r) of k : tensor<4xi64>) outs(%y : !y) {
  }
  return
}

// -----

!x = tensor<4x8xf32>
!y = tensor<4x16xf32>
func.func @contract_c4(%x: !x, %y: !y) {
  // expected-error@+1 {{contract_c4: no segment}}
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
  }
  return
}

// -----

!x = tensor<4x8xf32>
!y = tensor<4x16xf32>
func.func @contract_c4_other(%x: !x, %y: !y) {
  // expected-error@+1 {{contract_c4: 'arith.constant' in the body, expected 'fused.segment'}}
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    %c = arith.constant 0 : index
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @contract_c5(%x: !x, %w: !w, %y: !y, %z: !y) {
  // expected-error@+1 {{contract_c5: no segment stores into destination number '1'}}
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y, %z : !y, !y) {
    fused.segment n(16) weights(%w : !w) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x7xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @contract_c6(%x: !x, %w: !w, %y: !y) {
  // expected-error@+1 {{contract_c6: dimension 'k' has extent '7', but an operand of type 'tensor<8x16xf32>' has '8' there}}
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    fused.segment n(16) weights(%w : !w) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf64>
!y = tensor<4x16xf32>
func.func @segment_c1(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c1: a weight of type 'tensor<8x16xf64>' with an input of type 'tensor<4x8xf32>'}}
    fused.segment n(16) weights(%w : !w) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c2(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c2: map of a capture depends on dimension 'k'}}
    fused.segment n(16) weights(%w : !w) captures(%x by (r, k) : !x) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32, %c: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c3(%x: !x, %w: !w, %y: !y, %s: tensor<4xi64>) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c3: map of symbol has '2' results, expected '1' for type 'tensor<4xi64>'}}
    fused.segment n(16) weights(%w : !w) symbols(p = %s by (r, n) : tensor<4xi64>) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c4(%x: !x, %w: !w, %y: !y, %z: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c4: a store goes to no 'outs' operand}}
    fused.segment n(16) weights(%w : !w) stores(%z by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c4_nothing(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c4: nothing is stored}}
    fused.segment n(16) weights(%w : !w) {
    ^bb0(%acc: f32):
      fused.yield
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c5(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c5: map of a partial depends on dimension 'n'}}
    fused.segment n(16) weights(%w : !w) partials(max %y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c6(%x: !x, %w: !w, %y: !y) {
  %r = "fused.contract"(%x, %y) <{dims = ["r", "n", "k"], extents = array<i64: 4, 16, 8>,
    input_map = affine_map<(r, n, k) -> (r, k)>, operandSegmentSizes = array<i32: 1, 0, 1>}> ({
    // expected-error@+1 {{segment_c6: index of dimension number '3' of '3' dimensions}}
    "fused.segment"(%w, %y) <{n = 16 : i64, weight_maps = [affine_map<(r, n, k) -> (k, n)>], capture_maps = [],
      symbol_names = [], symbol_maps = [], store_maps = [affine_map<(r, n, k) -> (r, n)>], partial_kinds = [],
      partial_maps = [], index_dims = array<i64: 3>, operandSegmentSizes = array<i32: 1, 0, 0, 1, 0>}> ({
    ^bb0(%acc: f32, %i: index):
      fused.yield %acc : f32
    }) : (!w, !y) -> ()
  }) : (!x, !y) -> !y
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c7(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c7: the epilogue has arguments '(f32)', expected '(f32, f32)'}}
    fused.segment n(16) weights(%w, %w : !w, !w) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c8(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c8: the epilogue yields '(f32, f32)', expected '(f32)'}}
    fused.segment n(16) weights(%w : !w) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc, %acc : f32, f32
    }
  }
  return
}

// -----

!x = tensor<4x8xf32>
!w = tensor<8x16xf32>
!y = tensor<4x16xf32>
func.func @segment_c9(%x: !x, %w: !w, %y: !y) {
  fused.contract dims(r, n, k) ins(%x by (r, k) : !x) outs(%y : !y) {
    // expected-error@+1 {{segment_c9: a weight has '16' columns, expected '32'}}
    fused.segment n(32) weights(%w : !w) stores(%y by (r, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return
}

// -----

func.func @segment_alone(%w: tensor<8x16xf32>) {
  // expected-error@+1 {{expected to stand in the body of a skeleton in custom syntax}}
  fused.segment n(32) weights(%w : tensor<8x16xf32>) {
  }
  return
}
