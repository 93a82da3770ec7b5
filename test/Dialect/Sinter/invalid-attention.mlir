// RUN: sinter-opt --split-input-file --verify-diagnostics %s

func.func @attention_c1(%q: tensor<?x?x?x16xf32>) {
  // expected-error@+1 {{'sinter.attention' op expects constant heads and head size of the query, at least 1}}
  %y = sinter.attention %q, %q, %q : tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>, tensor<?x?x?x16xf32>
  return
}

// -----

func.func @attention_c2(%q: tensor<?x?x8x16xf32>, %k: tensor<?x?x8x8xf32>) {
  // expected-error@+1 {{expects the key size '8' to be '16'}}
  %y = sinter.attention %q, %k, %k : tensor<?x?x8x16xf32>, tensor<?x?x8x8xf32>, tensor<?x?x8x8xf32>
  return
}

// -----

func.func @attention_c2_zero(%q: tensor<?x?x8x16xf32>, %k: tensor<?x?x0x16xf32>) {
  // expected-error@+1 {{expects constant heads and head size of the value, at least 1}}
  %y = sinter.attention %q, %k, %k : tensor<?x?x8x16xf32>, tensor<?x?x0x16xf32>, tensor<?x?x0x16xf32>
  return
}

// -----

func.func @attention_c2_batch(%q: tensor<2x?x8x16xf32>, %k: tensor<3x?x8x16xf32>) {
  // expected-error@+1 {{expects the batch of key '3' to be '2'}}
  %y = sinter.attention %q, %k, %k : tensor<2x?x8x16xf32>, tensor<3x?x8x16xf32>, tensor<3x?x8x16xf32>
  return
}

// -----

func.func @attention_c3(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects key and value, or 'from' without them}}
  %y = sinter.attention %q : tensor<?x?x8x16xf32>
  return
}

// -----

sinter.state @kv dims ["b", "s"] : !sinter.cache<heads = 8, key = 16, value = 16, f32>
func.func @attention_c4(%q: tensor<?x?x8x16xf32>, %n: tensor<?xi64>) {
  // expected-error@+1 {{can't have 'from' together with 'append' or 'lengths'}}
  %y = sinter.attention %q from(@kv) lengths(%n : tensor<?xi64>) : tensor<?x?x8x16xf32>
  return
}

// -----

sinter.state @kv dims ["b", "s"] : !sinter.cache<heads = 8, key = 16, value = 16, f32>
func.func @attention_c5(%q: tensor<?x?x8x16xf32>, %n: tensor<?xi64>) {
  // expected-error@+1 {{can't have 'offset' together with 'append', whose cursor is the offset}}
  %y = sinter.attention %q, %q, %q append(@kv) offset(%n : tensor<?xi64>) : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c6(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects a result of 'tensor<?x?x8x16xf32>', got 'tensor<?x?x8x32xf32>'}}
  %y = sinter.attention %q, %q, %q : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32> -> tensor<?x?x8x32xf32>
  return
}

// -----

func.func @attention_c7(%q: tensor<?x?x8x16xf32>, %k: tensor<?x?x3x16xf32>) {
  // expected-error@+1 {{expects the key heads '3' to divide the query heads '8'}}
  %y = sinter.attention %q, %k, %k : tensor<?x?x8x16xf32>, tensor<?x?x3x16xf32>, tensor<?x?x3x16xf32>
  return
}

// -----

func.func @attention_c8(%q: tensor<2x?x8x16xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  %y = sinter.attention %q, %q, %q lengths(%n : tensor<3xi64>) : tensor<2x?x8x16xf32>, tensor<2x?x8x16xf32>, tensor<2x?x8x16xf32>
  return
}

// -----

func.func @attention_c9(%q: tensor<?x?x8x16xf32>, %m: tensor<?x2x?x?xi1>) {
  // expected-error@+1 {{expects dimension 1 of mask '2' to be '8'}}
  %y = sinter.attention %q, %q, %q mask(%m : tensor<?x2x?x?xi1>) : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c10_arguments(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects arguments ('index', 'index', 'index', 'index') of 'mask', got ('index', 'index')}}
  %y = sinter.attention %q, %q, %q : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
    mask(%i: index, %j: index) {
      %r = arith.cmpi sle, %j, %i : index
      sinter.yield %r : i1
    }
  return
}

// -----

func.func @attention_c10_result(%q: tensor<?x?x8x16xf32>) {
  %y = sinter.attention %q, %q, %q : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      // expected-error@+1 {{expects one value of type 'f32' for 'score'}}
      sinter.yield %i : index
    }
  return
}

// -----

func.func @attention_c11(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{uses an unknown state @kv}}
  %y = sinter.attention %q from(@kv) : tensor<?x?x8x16xf32>
  return
}

// -----

sinter.state @kv dims ["b", "s"] : !sinter.cache<heads = 3, key = 16, value = 16, f32>
func.func @attention_c12(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects the cache's heads '3' to divide the query heads '8'}}
  %y = sinter.attention %q from(@kv) : tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c8_offset(%q: tensor<2x?x8x16xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of offset '3' to be '2'}}
  %y = sinter.attention %q, %q, %q offset(%n : tensor<3xi64>) : tensor<2x?x8x16xf32>, tensor<2x?x8x16xf32>, tensor<2x?x8x16xf32>
  return
}

// -----

func.func @attention_c13(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{can't have 'scores' or 'weights' together with 'append' or 'from'}}
  %y, %w = sinter.attention %q from(@kv) weights : tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c14(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects a positive 'softcap', got '0.000000e+00'}}
  %y = sinter.attention %q, %q, %q softcap(0.0) : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c15(%q: tensor<?x?x8x16xf32>, %m: tensor<4xf32>) {
  // expected-error@+1 {{expects the size of alibi '4' to be '8'}}
  %y = sinter.attention %q, %q, %q alibi(%m : tensor<4xf32>) : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c16(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects limits of 'window' of at least '0', got '-1'}}
  %y = sinter.attention %q, %q, %q window(3, -1) : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @attention_c6_weights(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects 'weights' of 'tensor<?x8x?x?xf32>', got 'tensor<?x4x?x?xf32>'}}
  %y, %w = "sinter.attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0, 0, 1>}> ({}, {}, {}, {})
      : (tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>) -> (tensor<?x?x8x16xf32>, tensor<?x4x?x?xf32>)
  return
}

// -----

func.func @additive_attention_c1(%q: tensor<7xf32>, %k: tensor<?x?x7xf32>, %w: tensor<7xf32>) {
  // expected-error@+1 {{expects query to be a tensor of 2 to 3 dimensions, got 'tensor<7xf32>'}}
  %y = sinter.additive_attention %q, %k, %k, %w : tensor<7xf32>, tensor<?x?x7xf32>, tensor<?x?x7xf32>, tensor<7xf32>
  return
}

// -----

func.func @additive_attention_c2(%q: tensor<?x7xf32>, %k: tensor<?x?x8xf32>, %w: tensor<7xf32>) {
  // expected-error@+1 {{expects the key size '8' to be '7'}}
  %y = sinter.additive_attention %q, %k, %k, %w : tensor<?x7xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<7xf32>
  return
}

// -----

func.func @additive_attention_c3(%q: tensor<?x7xf32>, %k: tensor<?x?x7xf32>, %w: tensor<8xf32>) {
  // expected-error@+1 {{expects the size of vector '8' to be '7'}}
  %y = sinter.additive_attention %q, %k, %k, %w : tensor<?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x7xf32>, tensor<8xf32>
  return
}

// -----

func.func @additive_attention_c4(%q: tensor<2x7xf32>, %k: tensor<2x?x7xf32>, %w: tensor<7xf32>, %n: tensor<3xi64>) {
  // expected-error@+1 {{expects the size of lengths '3' to be '2'}}
  %y = sinter.additive_attention %q, %k, %k, %w lengths(%n : tensor<3xi64>) : tensor<2x7xf32>, tensor<2x?x7xf32>, tensor<2x?x7xf32>, tensor<7xf32>
  return
}

// -----

func.func @additive_attention_c5(%q: tensor<?x3x7xf32>, %k: tensor<?x?x7xf32>, %w: tensor<7xf32>, %m: tensor<?x2x?xi1>) {
  // expected-error@+1 {{expects dimension 1 of mask '2' to be '3'}}
  %y = sinter.additive_attention %q, %k, %k, %w mask(%m : tensor<?x2x?xi1>) : tensor<?x3x7xf32>, tensor<?x?x7xf32>, tensor<?x?x7xf32>, tensor<7xf32>
  return
}

// -----

func.func @two_operands(%q: tensor<?x?x8x16xf32>) {
  // expected-error@+1 {{expects query, key and value, or a query alone with 'from', got '2' operands}}
  %y = sinter.attention %q, %q : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @clause_twice(%q: tensor<?x?x8x16xf32>, %n: tensor<?xi64>) {
  // expected-error@+1 {{this clause was given before}}
  %y = sinter.attention %q, %q, %q lengths(%n : tensor<?xi64>) lengths(%n : tensor<?xi64>) : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
  return
}

// -----

func.func @region_twice(%q: tensor<?x?x8x16xf32>) {
  %y = sinter.attention %q, %q, %q : tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>, tensor<?x?x8x16xf32>
    sink(%b: index, %h: index, %i: index) {
      %c = arith.constant 0.0 : f32
      sinter.yield %c : f32
    }
    // expected-error@+1 {{region 'sink' was given before}}
    sink(%b: index, %h: index, %i: index) {
      %c = arith.constant 0.0 : f32
      sinter.yield %c : f32
    }
  return
}

// -----

func.func @split_heads_c1(%x: tensor<f32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 1 dimensions}}
  %y = sinter.split_heads %x [2] : tensor<f32>
  return
}

// -----

func.func @split_heads_c2(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expects head counts of at least 1, got '0'}}
  %y:2 = sinter.split_heads %x [2, 0] : tensor<?x8xf32>
  return
}

// -----

func.func @split_heads_c3(%x: tensor<?x8xf32>) {
  // expected-error@+1 {{expects the last dimension '8' to be a multiple of the '3' heads}}
  %y:2 = sinter.split_heads %x [2, 1] : tensor<?x8xf32>
  return
}

// -----

func.func @merge_heads_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{expects input to be a tensor of at least 2 dimensions}}
  %y = sinter.merge_heads %x : tensor<8xf32>
  return
}

// -----

func.func @merge_heads_c2(%x: tensor<?x?x8xf32>) {
  // expected-error@+1 {{expects constant heads and head size}}
  %y = sinter.merge_heads %x : tensor<?x?x8xf32>
  return
}

// -----

func.func @twice_causal(%q: tensor<2x3x4x8xf32>) {
  // expected-error@+1 {{this clause was given before}}
  %y = sinter.attention %q, %q, %q causal causal : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>
  return
}

// -----

func.func @twice_window(%q: tensor<2x3x4x8xf32>) {
  // expected-error@+1 {{this clause was given before}}
  %y = sinter.attention %q, %q, %q window(?, ?) causal window(2, ?) : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>
  return
}

// -----

func.func @twice_softcap(%q: tensor<2x3x4x8xf32>) {
  // expected-error@+1 {{this clause was given before}}
  %y = sinter.attention %q, %q, %q softcap(1.0) softcap(2.0) : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>
  return
}

// -----

func.func @twice_weights(%q: tensor<2x3x4x8xf32>) {
  // expected-error@+1 {{this clause was given before}}
  %y = sinter.attention %q, %q, %q weights weights : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>
  return
}
