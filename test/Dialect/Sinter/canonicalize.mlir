// RUN: sinter-opt --canonicalize %s | FileCheck %s

!x = tensor<?x1x1x4xf32>

// Lengths that are the whole extent say nothing; constants of a rule stay in it.
// CHECK-LABEL: func.func @full_lengths
func.func @full_lengths(%x: !x, %n: index) -> (!x, tensor<?x1x4xf32>) {
  %c1 = arith.constant 1 : i64
  %lengths = tensor.splat %c1[%n] : tensor<?xi64>
  // CHECK-NOT: lengths
  // CHECK: sinter.attention
  // CHECK: arith.constant 2.000000e+00
  %y = sinter.attention %x, %x, %x lengths(%lengths : tensor<?xi64>) : !x, !x, !x
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %c = arith.constant 2.0 : f32
      %r = arith.mulf %s, %c : f32
      sinter.yield %r : f32
    }
  // CHECK: sinter.last %{{.*}} : tensor<?x1x1x4xf32>
  %z = sinter.last %x lengths(%lengths : tensor<?xi64>) : !x
  return %y, %z : !x, tensor<?x1x4xf32>
}

// CHECK-LABEL: func.func @shorter_lengths
func.func @shorter_lengths(%x: tensor<?x2x4xf32>, %n: index) -> tensor<?x4xf32> {
  %c1 = arith.constant 1 : i64
  %lengths = tensor.splat %c1[%n] : tensor<?xi64>
  // CHECK: sinter.last %{{.*}} lengths
  %z = sinter.last %x lengths(%lengths : tensor<?xi64>) : tensor<?x2x4xf32>
  return %z : tensor<?x4xf32>
}

// Further results that nobody uses are not asked for; the others keep their places.
// CHECK-LABEL: func.func @unused_results
func.func @unused_results(%q: !x, %k: tensor<?x?x1x4xf32>, %n: tensor<?xi64>) -> (!x, tensor<?x1x1x?xf32>, tensor<?x1x1xf32>, !x) {
  // CHECK: %[[Y:.*]], %[[L:.*]], %[[W:.*]] = sinter.attention %{{.*}} causal lengths(%{{.*}}) lse weights :
  %y, %l, %s, %w = sinter.attention %q, %k, %k causal lengths(%n : tensor<?xi64>) lse scores weights : !x, tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
  // CHECK: %[[Z:.*]] = sinter.attention %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : {{.*}} score(
  // CHECK: math.absf
  %z, %u = sinter.attention %q, %k, %k weights : !x, tensor<?x?x1x4xf32>, tensor<?x?x1x4xf32>
    score(%a: f32, %b: index, %h: index, %i: index, %j: index) {
      %r = math.absf %a : f32
      sinter.yield %r : f32
    }
  // CHECK: return %[[Y]], %[[W]], %[[L]], %[[Z]]
  return %y, %w, %l, %z : !x, tensor<?x1x1x?xf32>, tensor<?x1x1xf32>, !x
}

// CHECK-LABEL: func.func @unused_weights
func.func @unused_weights(%q: tensor<?x4xf32>, %k: tensor<?x?x4xf32>, %v: tensor<4xf32>) -> tensor<?x4xf32> {
  // CHECK: = sinter.additive_attention
  // CHECK-NOT: weights
  // CHECK: return
  %y, %w = sinter.additive_attention %q, %k, %k, %v weights : tensor<?x4xf32>, tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<4xf32>
  return %y : tensor<?x4xf32>
}
