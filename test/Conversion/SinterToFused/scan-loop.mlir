// RUN: sinter-opt %s --sinter-expand-library --convert-sinter-to-fused | FileCheck %s
// RUN: sinter-opt %s --sinter-expand-library --convert-sinter-to-fused --fused-pack-weights --fused-plan-memory | FileCheck %s --check-prefix=PLAN
// RUN: sinter-opt %s --sinter-expand-library --convert-sinter-to-fused --remarks-filter=fusion --remark-policy=all -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

!x = tensor<?x?x8xf32>
!m = tensor<?x?x1x8xf32>
!h = tensor<?x8xf32>
!q = tensor<?x1x1x8xf32>

// A step with attention is a loop of kernels over carried tensors: the step's number, states, outputs. What does not change
// (the keys' layout) stands before the loop.
// CHECK-LABEL: func.func @attends
//       CHECK: fused.map {{.*}} ins(%arg1 {{.*}} #layout
//       CHECK: scf.for {{.*}} iter_args(%[[STEP:.*]] = %{{.*}}, %[[H:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
//       CHECK: fused.attention
//       CHECK: fused.map {{.*}} symbols(p = %{{.*}} by (b) {{.*}} %arg0 by (b, p, i)
//       CHECK: fused.map {{.*}} outs(%[[Y]] by (b, p, i)
//       CHECK: scf.yield

// Each carried tensor has memory of its own: the output is the caller's, the state's next value is copied where it was.
// PLAN-LABEL: func.func @attends
//   PLAN-DAG: %[[STATE:.*]] = fused.slot
//       PLAN: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{[^ ]*}} {
//       PLAN: fused.attention
//       PLAN: fused.map {{.*}} outs(%arg2
//       PLAN: fused.map {{.*}} ins(%{{.*}}) outs(
//       PLAN: }
//       PLAN: return
// REMARK: the scan around it is no recurrence: {{.*}}no projection, norm or element-wise arithmetic
func.func @attends(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %m: !m {sinter.name = "m", sinter.dims = ["batch", "places"]}) -> (!x {sinter.name = "y"}) {
  %c0 = arith.constant 0 : index
  %b = tensor.dim %m, %c0 : !m
  %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) -> (!x, !h) {
    %q = tensor.expand_shape %h [[0], [1, 2, 3]] output_shape [%b, 1, 1, 8] : !h into !q
    %a = sinter.attention %q, %m, %m : !q, !m, !m
    %c = tensor.collapse_shape %a [[0], [1, 2, 3]] : !q into !h
    %new = arith.addf %c, %xt : !h
    sinter.yield each(%new : !h) carry(%new : !h)
  }
  return %y : !x
}

// CHECK-LABEL: func.func @row_number
//       CHECK: scf.for
// REMARK: the scan around it is no recurrence: {{.*}}a number of a state is repeated
func.func @row_number(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %w: tensor<1x8xf32> {sinter.name = "w"}) -> (!x {sinter.name = "y"}) {
  %y, %last = sinter.scan each(%xt = %x : !x) carry(%g = zero : tensor<?x1xf32>) -> (!x, tensor<?x1xf32>) {
    %gs = sinter.broadcast %g like(%xt) : tensor<?x1xf32>, !h
    %h1 = arith.addf %gs, %xt : !h
    %g1 = sinter.linear %h1, %w : !h, tensor<1x8xf32>
    sinter.yield each(%h1 : !h) carry(%g1 : tensor<?x1xf32>)
  }
  return %y : !x
}

// CHECK-LABEL: func.func @integers
//       CHECK: scf.for
// REMARK: the scan around it is no recurrence: {{.*}}something else than rows [B, W] of f32
func.func @integers(%x: tensor<?x?x8xi64> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x8xi64> {sinter.name = "y"}) {
  %last = sinter.scan each(%xt = %x : tensor<?x?x8xi64>) carry(%h = zero : tensor<?x8xi64>) -> tensor<?x8xi64> {
    %h1 = arith.addi %h, %xt : tensor<?x8xi64>
    sinter.yield carry(%h1 : tensor<?x8xi64>)
  }
  return %last : tensor<?x8xi64>
}
