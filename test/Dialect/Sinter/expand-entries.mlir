// RUN: sinter-opt --sinter-expand-entries --split-input-file %s | FileCheck %s

// Names of weights, an index argument, scopes with and without {}, calls inside a layer.

// CHECK-NOT: func.func private
// CHECK-LABEL: func.func @names
func.func @names(%x: tensor<?x4xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x4xf32> {sinter.name = "y"}) {
  // CHECK: sinter.weight "top"
  %w = sinter.weight "top" : tensor<4x4xf32>
  // CHECK: arith.constant 3 : index
  // CHECK: sinter.weight "a.3.w", "b3.v"
  // CHECK: sinter.weight "a.3.in_call"
  // CHECK: sinter.weight "a.3.inner0.u"
  // CHECK: sinter.weight "a.3.inner1.u"
  // CHECK: arith.constant 4 : index
  // CHECK: sinter.weight "a.4.w", "b4.v"
  // CHECK: sinter.weight "a.4.in_call"
  // CHECK: sinter.weight "a.4.inner0.u"
  // CHECK: sinter.weight "a.4.inner1.u"
  // CHECK: %[[LAST:.*]] = sinter.linear {{.*}} : tensor<?x4xf32>, tensor<4x4xf32>
  // CHECK-NOT: sinter.layers
  %y = sinter.layers "a" count(2) from(3) index(%n) (%h = %x) : tensor<?x4xf32> {
    %a, %b = sinter.weight "w", "b{}.v" : tensor<4x4xf32>, tensor<4x4xf32>
    %c = func.call @helper(%h) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    %d = sinter.layers "inner{}" count(2) (%g = %c) : tensor<?x4xf32> {
      %u = sinter.weight "u" : tensor<4x4xf32>
      %e = sinter.linear %g, %u : tensor<?x4xf32>, tensor<4x4xf32>
      sinter.yield %e : tensor<?x4xf32>
    }
    sinter.yield %d : tensor<?x4xf32>
  }
  // CHECK: return %[[LAST]]
  return %y : tensor<?x4xf32>
}
func.func private @helper(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %w = sinter.weight "in_call" : tensor<4x4xf32>
  %y = sinter.linear %x, %w : tensor<?x4xf32>, tensor<4x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

// Copies of states in the order of the layers, only those used.

// CHECK: sinter.state @plain dims ["batch"]
// CHECK-NEXT: sinter.state @blocks.9.kv dims ["batch", "context"]
// CHECK-NEXT: sinter.state @blocks.10.kv dims ["batch", "context"]
// CHECK-NEXT: sinter.state @after dims ["batch"]
sinter.state @plain dims ["batch"] : tensor<?x4xf32>
sinter.state @kv in "blocks" dims ["batch", "context"] : !sinter.cache<heads = 1, key = 4, value = 4, f32>
sinter.state @unused in "blocks" dims ["batch"] : tensor<?x4xf32>
sinter.state @after dims ["batch"] : tensor<?x4xf32>

// CHECK-LABEL: func.func @states
func.func @states(%x: tensor<?x?x1x4xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1x4xf32> {sinter.name = "y"}) {
  // CHECK: sinter.attention {{.*}} append(@blocks.9.kv)
  // CHECK: sinter.attention {{.*}} append(@blocks.10.kv)
  %y = sinter.layers "blocks" count(2) from(9) (%h = %x) : tensor<?x?x1x4xf32> {
    %a = sinter.attention %h, %h, %h append(@kv) : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
    sinter.yield %a : tensor<?x?x1x4xf32>
  }
  return %y : tensor<?x?x1x4xf32>
}

// -----

// Bound dimensions and arguments; dropped results with what they need; entries in the place of their op.

func.func private @forward(
    %ids: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["batch", "sequence"]},
    %lengths: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
    -> (tensor<?x8xf32> {sinter.name = "logits"},
        tensor<?x?x4xf32> {sinter.name = "hidden", sinter.dims = ["batch", "sequence"]}) {
  %table, %w = sinter.weight "table", "w" : tensor<8x4xf32>, tensor<4x4xf32>
  %x = sinter.embedding %ids, %table : tensor<?x?xi32>, tensor<8x4xf32>
  %e = math.tanh %x : tensor<?x?x4xf32>
  %s = arith.addf %x, %e : tensor<?x?x4xf32>
  %last = sinter.last %x lengths(%lengths : tensor<?xi64>) : tensor<?x?x4xf32>
  %logits = sinter.linear %last, %table : tensor<?x4xf32>, tensor<8x4xf32>
  return %logits, %s : tensor<?x8xf32>, tensor<?x?x4xf32>
}

// CHECK: func.func @all(
// CHECK-SAME: tensor<?x?xi32>
// CHECK-SAME: -> (tensor<?x8xf32> {sinter.name = "logits"}, tensor<?x?x4xf32> {sinter.dims = ["batch", "sequence"], sinter.name = "hidden"})
sinter.entry @all = @forward

// CHECK: func.func @step(%[[IDS:.*]]: tensor<?x1xi32> {sinter.bound = array<i64: 1>, sinter.dims = ["batch"], sinter.name = "ids"})
// CHECK-SAME: -> (tensor<?x8xf32> {sinter.name = "logits"}, tensor<?x1x4xf32> {sinter.bound = array<i64: 1>, sinter.dims = ["batch"], sinter.name = "hidden"})
// CHECK: %[[BATCH:.*]] = tensor.dim %[[IDS]]
// CHECK: tensor.splat %{{.*}}[%[[BATCH]]] : tensor<?xi64>
// CHECK: arith.addf {{.*}} : tensor<?x1x4xf32>
sinter.entry @step = @forward with {sequence = 1, lengths = 1}

// CHECK: func.func @one
// CHECK-SAME: (%{{.*}}: tensor<1x?xi32> {sinter.bound = array<i64: 0>, sinter.dims = ["sequence"], sinter.name = "ids"}, %{{.*}}: tensor<1xi64> {sinter.bound = array<i64: 0>, sinter.name = "lengths"})
// CHECK-SAME: -> (tensor<1x8xf32> {sinter.name = "logits"})
// CHECK-NOT: math.tanh
// CHECK: return
sinter.entry @one = @forward with {batch = 1} keep ["logits"]

// -----

// An op whose result type can't be refined sees its operand as it was.

// CHECK-LABEL: func.func @bound
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32> {sinter.name = "x"}) -> (tensor<2x3x2xf32> {sinter.name = "y"})
// CHECK: %[[CAST:.*]] = tensor.cast %[[X]] : tensor<2x6xf32> to tensor<?x6xf32>
// CHECK: tensor.expand_shape %[[CAST]]
// CHECK: tensor.cast %{{.*}} : tensor<?x3x2xf32> to tensor<2x3x2xf32>
func.func private @other(%x: tensor<?x6xf32> {sinter.name = "x", sinter.dims = ["batch"]})
    -> (tensor<?x3x2xf32> {sinter.name = "y", sinter.dims = ["batch"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %y = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 3, 2] : tensor<?x6xf32> into tensor<?x3x2xf32>
  return %y : tensor<?x3x2xf32>
}
sinter.entry @bound = @other with {batch = 2}

// -----

// Scalar functions are inlined in regions.

// CHECK-LABEL: func.func @rule
// CHECK: score
// CHECK-NOT: call
// CHECK: arith.mulf
func.func @rule(%q: tensor<?x?x1x4xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1x4xf32> {sinter.name = "y"}) {
  %y = sinter.attention %q, %q, %q : tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %r = func.call @square(%s) : (f32) -> f32
      sinter.yield %r : f32
    }
  return %y : tensor<?x?x1x4xf32>
}
func.func private @square(%s: f32) -> f32 {
  %r = arith.mulf %s, %s : f32
  return %r : f32
}
