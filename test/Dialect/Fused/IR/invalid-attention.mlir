// RUN: sinter-opt -split-input-file -verify-diagnostics %s

!q = tensor<?x?x8x16xf32>
func.func @attention_c1(%q: !q, %y: !q) {
  // expected-error@+1 {{attention_c1: dimensions 'b, h, q, k, e, d', expected 'b, h, q, k, d, e'}}
  %r = fused.attention dims(b, h, q, k, e, d) ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q)
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c2(%q: !q, %y: !q) {
  // expected-error@+1 {{attention_c2: map of the key depends on dimension 'q'}}
  %r = fused.attention dims(b, h, q, k, d, e) ins(%q by (b, q, h, d), %q by (b, q, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q)
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c3(%q: !q, %y: !q, %n: tensor<?xi64>) {
  // expected-error@+1 {{attention_c3: map of 'length' depends on dimension 'k'}}
  %r = fused.attention dims(b, h, q, k, d, e) length(%n by (k) : tensor<?xi64>) ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q)
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c4(%q: !q, %y: !q, %n: tensor<?xf32>) {
  // expected-error@+1 {{attention_c4: map of a capture of 'sink' depends on dimension 'k'}}
  %r = fused.attention dims(b, h, q, k, d, e) ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q)
      sink captures(%n by (k) : tensor<?xf32>) {
      ^bb0(%b: index, %h: index, %i: index, %c: f32):
        fused.yield %c : f32
      }
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c5(%q: !q, %y: !q, %l: tensor<?x?xf32>) {
  // expected-error@+1 {{attention_c5: destination 'mean', expected each of 'lse', 'scores', 'weights' at most once}}
  %r:2 = fused.attention dims(b, h, q, k, d, e) ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q) extras(mean %l by (b, q) : tensor<?x?xf32>)
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c6(%q: !q, %y: !q) {
  // expected-error@+1 {{attention_c6: 'score' has arguments '(f32, index, index, index)', expected '(f32, index, index, index, index)'}}
  %r = fused.attention dims(b, h, q, k, d, e) ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q)
      score {
      ^bb0(%s: f32, %b: index, %h: index, %i: index):
        fused.yield %s : f32
      }
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c7(%q: !q, %y: !q) {
  // expected-error@+1 {{attention_c7: 'mask' yields '(index)', expected '(i1)'}}
  %r = fused.attention dims(b, h, q, k, d, e) ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e) : !q, !q, !q)
      outs(%y by (b, q, h, e) : !q)
      mask {
      ^bb0(%b: index, %h: index, %i: index, %j: index):
        fused.yield %b : index
      }
  return
}

// -----

!q = tensor<?x?x8x16xf32>
func.func @attention_c8(%q: !q, %y: !q, %w: tensor<?x?x8x32xf32>) {
  // expected-error@+1 {{attention_c8: dimension 'd' has extent '16', but an operand of type 'tensor<?x?x8x32xf32>' has '32' there}}
  %r = fused.attention dims(b, h, q, k, d, e) ins(%q by (b, q, h, d), %w by (b, k, h, d), %q by (b, k, h, e) : !q, tensor<?x?x8x32xf32>, !q)
      outs(%y by (b, q, h, e) : !q)
  return
}
