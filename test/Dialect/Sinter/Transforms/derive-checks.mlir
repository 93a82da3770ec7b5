// RUN: sinter-opt %s --sinter-derive-checks --split-input-file --verify-diagnostics | FileCheck %s

!ids = tensor<?x?xi32>
!len = tensor<?xi64>

// CHECK-LABEL: func.func @forward
// CHECK-SAME: sinter.name = "tokens", sinter.range = 7 : i64
// CHECK-SAME: sinter.lengths = "time"
// CHECK-SAME: -> (tensor<?x4xf32> {sinter.rows = 1 : i64})
// CHECK-SAME: sinter.idle_rows = 1 : i64
// CHECK-SAME: sinter.positions = [{extent = "time", limit = 32 : i64}]
func.func @forward(%tokens: !ids {sinter.name = "tokens", sinter.dims = ["batch", "time"]},
    %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> tensor<?x4xf32> {
  %a, %b = sinter.weight "a", "b" : tensor<7x4xf32>, tensor<32x4xf32>
  %x = sinter.embedding %tokens, %a : !ids, tensor<7x4xf32>
  %at = sinter.positions %tokens : !ids
  %p = sinter.embedding %at, %b : tensor<?x?xi64>, tensor<32x4xf32>
  %s = arith.addf %x, %p : tensor<?x?x4xf32>
  %last = sinter.last %s lengths(%n : !len) : tensor<?x?x4xf32>
  %y = sinter.relu %last : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

!x = tensor<?x?x4xf32>
func.func @two_extents(%x: !x {sinter.dims = ["batch", "time"]}, %y: !x {sinter.dims = ["batch", "other"]},
    // expected-error @below {{these lengths count two dimensions, "time" and "other"; use an argument for each}}
    %n: tensor<?xi64> {sinter.dims = ["batch"]}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %a = sinter.last %x lengths(%n : tensor<?xi64>) : !x
  %b = sinter.last %y lengths(%n : tensor<?xi64>) : !x
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

// CHECK-LABEL: func.func @take
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x?x4xf32> {sinter.dims = ["batch", "time"]}
// CHECK-SAME: {sinter.below = "time", sinter.dims = ["batch"], sinter.range = 5 : i64}
!x = tensor<?x?x4xf32>
!z = tensor<?x5x4xf32>
func.func @take(%x: !x {sinter.dims = ["batch", "time"]}, %z: !z {sinter.dims = ["batch"]},
    %i: tensor<?xi64> {sinter.dims = ["batch"]}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %a = sinter.take %x at(%i : tensor<?xi64>) : !x
  %b = sinter.take %z at(%i : tensor<?xi64>) : !z
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}

// -----

!x = tensor<?x?x4xf32>
func.func @two_indices(%x: !x {sinter.dims = ["batch", "time"]}, %y: !x {sinter.dims = ["batch", "other"]},
    // expected-error @below {{these indices are of two dimensions, "time" and "other"; use an argument for each}}
    %i: tensor<?xi64> {sinter.dims = ["batch"]}) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %a = sinter.take %x at(%i : tensor<?xi64>) : !x
  %b = sinter.take %y at(%i : tensor<?xi64>) : !x
  return %a, %b : tensor<?x4xf32>, tensor<?x4xf32>
}
