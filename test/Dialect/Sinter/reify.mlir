// RUN: sinter-opt --resolve-ranked-shaped-type-result-dims --canonicalize --cse %s | FileCheck %s

// The extents of a result are those of the operands, step by step.
// CHECK-LABEL: func.func @extents
// CHECK-SAME: (%[[IDS:.*]]: tensor<?x?xi32>
func.func @extents(%ids: tensor<?x?xi32>, %table: tensor<8x64xf32>) -> (index, index) {
  // CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
  // CHECK-DAG: %[[B:.*]] = tensor.dim %[[IDS]], %[[C0]]
  // CHECK-DAG: %[[T:.*]] = tensor.dim %[[IDS]], %[[C1]]
  // CHECK: return %[[B]], %[[T]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %x = sinter.embedding %ids, %table : tensor<?x?xi32>, tensor<8x64xf32>
  %h = sinter.split_heads %x [4] : tensor<?x?x64xf32>
  %a = sinter.attention %h, %h, %h : tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>, tensor<?x?x4x16xf32>
  %t = sinter.transpose %a [0, 2, 1, 3] : tensor<?x?x4x16xf32>
  %b = tensor.dim %t, %c0 : tensor<?x4x?x16xf32>
  %n = tensor.dim %t, %c2 : tensor<?x4x?x16xf32>
  return %b, %n : index, index
}
