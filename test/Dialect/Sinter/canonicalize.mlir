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
