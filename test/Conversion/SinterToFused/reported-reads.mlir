// RUN: sinter-opt %s --convert-sinter-to-fused | FileCheck %s

// An index that is computed in the graph reports when it is clamped. One that comes from outside is checked before the call;
// past a row's length it is not, and may be anything.

// CHECK-LABEL: func.func @argument
// CHECK: fused.read %{{.*}}[{{.*}}] : tensor<4x8xf32>
func.func @argument(%ids: tensor<?x?xi64> {sinter.name = "ids", sinter.dims = ["b", "t"]},
                    %table: tensor<4x8xf32> {sinter.name = "table"}) -> tensor<?x?x8xf32> {
  %r = sinter.embedding %ids, %table : tensor<?x?xi64>, tensor<4x8xf32>
  return %r : tensor<?x?x8xf32>
}

// CHECK-LABEL: func.func @computed
// CHECK: fused.read %{{.*}}[{{.*}}] {reports} : tensor<4x8xf32>
func.func @computed(%ids: tensor<?x?xi64> {sinter.name = "ids", sinter.dims = ["b", "t"]},
                    %table: tensor<4x8xf32> {sinter.name = "table"}) -> tensor<?x?x8xf32> {
  %twice = arith.addi %ids, %ids : tensor<?x?xi64>
  %r = sinter.embedding %twice, %table : tensor<?x?xi64>, tensor<4x8xf32>
  return %r : tensor<?x?x8xf32>
}

// CHECK-LABEL: func.func @take
// CHECK: fused.read %{{.*}}[{{.*}}] {reports} : tensor<?x?x8xf32>
func.func @take(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["b", "t"]},
                %at: tensor<?xi64> {sinter.name = "at", sinter.dims = ["b"]}) -> tensor<?x8xf32> {
  %r = sinter.take %x at(%at : tensor<?xi64>) : tensor<?x?x8xf32>
  return %r : tensor<?x8xf32>
}

// CHECK-LABEL: func.func @last
// CHECK: fused.read %{{.*}}[{{.*}}] : tensor<?x?x8xf32>
func.func @last(%x: tensor<?x?x8xf32> {sinter.name = "x", sinter.dims = ["b", "t"]}) -> tensor<?x8xf32> {
  %r = sinter.last %x : tensor<?x?x8xf32>
  return %r : tensor<?x8xf32>
}
