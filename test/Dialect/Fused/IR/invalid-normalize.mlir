// RUN: sinter-opt -split-input-file -verify-diagnostics %s

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c1(%x: !x, %y: !r) {
  // expected-error@+1 {{dimension 'j' stands twice}}
  fused.normalize dims(j, j) ins(%x by (r, j) : !x) outs(%y by (r) : !r) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c2(%x: !x, %y: !r) {
  // expected-error@+1 {{normalize_c2: map of an input has '1' results, expected '2' for type 'tensor<4x8xf32>'}}
  fused.normalize dims(r, j) ins(%x by (r) : !x) outs(%y by (r) : !r) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c3(%x: !x, %y: !r) {
  // expected-error@+1 {{normalize_c3: map of a capture has '1' results, expected '2' for type 'tensor<4x8xf32>'}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) captures(%x by (r) : !x) outs(%y by (r) : !r) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c4(%x: !x, %y: !r, %n: tensor<4xi64>) {
  // expected-error@+1 {{normalize_c4: 'rows' limits the reduced dimension}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) rows(%n by (r) of j : tensor<4xi64>) outs(%y by (r) : !r) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c5(%x: !x, %y: !r, %z: !x) {
  // expected-error@+1 {{normalize_c5: some stores depend on the reduced dimension and some do not}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) outs(%y by (r), %z by (r, j) : !r, !x) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c6(%x: !x, %y: !r) {
  // expected-error@+1 {{normalize_c6: '0' kinds and '0' regions of reductions, expected one or two}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) outs(%y by (r) : !r) post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c7(%x: !x, %y: !r) {
  // expected-error@+1 {{normalize_c7: index of dimension number '2' of '2' dimensions}}
  %s = "fused.normalize"(%x, %y) <{dims = ["r", "j"], extents = array<i64: 4, 8>,
    input_maps = [affine_map<(r, j) -> (r, j)>], capture_maps = [], reductions = [#fused.reduction<sum>],
    store_outs = array<i64: 0>, store_maps = [affine_map<(r, j) -> (r)>], index_dims = array<i64: 2>,
    operandSegmentSizes = array<i32: 1, 0, 0, 1>}> ({
  }, {
  ^bb0(%sum: f32, %i: index):
    fused.yield %sum : f32
  }, {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }) : (!x, !r) -> !r
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c8(%x: !x, %y: !r) {
  // expected-error@+1 {{normalize_c8: 'post' has arguments '(f32, f32)', expected '(f32)'}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) outs(%y by (r) : !r) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%v: f32, %s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c9(%x: !x, %y: !r) {
  // expected-error@+1 {{normalize_c9: 'reduce' yields '2' values, expected one}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) outs(%y by (r) : !r) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a, %a : f32, f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}

// -----

!x = tensor<4x8xf32>
!r = tensor<4xf32>
func.func @normalize_c10(%x: !x, %y: !r, %z: tensor<3xf32>) {
  // expected-error@+1 {{normalize_c10: dimension 'r' has extent '4', but an operand of type 'tensor<3xf32>' has '3' there}}
  fused.normalize dims(r, j) ins(%x by (r, j) : !x) outs(%z by (r) : tensor<3xf32>) reduce sum {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } post {
  ^bb0(%s: f32):
    fused.yield %s : f32
  }
  return
}
