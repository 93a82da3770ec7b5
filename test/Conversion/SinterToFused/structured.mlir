// RUN: sinter-opt %s --convert-sinter-to-fused --remarks-filter=fusion --remark-policy=all 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// A padding is two maps into one tensor; a structured op without a reduction is a map; what sums stays a loop nest.
// CHECK-LABEL: func.func @convolution
//       CHECK: %[[B:.*]] = fused.map
//       CHECK: %[[P:.*]] = fused.map {{.*}} outs(%[[B]] by (b, t, i + 1)
//       CHECK: %[[Z:.*]] = fused.map
//       CHECK: linalg.generic {{.*}} ins(%[[P]], %{{.*}} : {{.*}}) outs(%[[Z]] :
//   CHECK-NOT: linalg.{{[a-xz]}}
// REMARK: no skeleton has this reduction: a plain loop nest of its own
func.func @convolution(%x: tensor<?x2x8xf32> {sinter.name = "x", sinter.dims = ["batch"]},
    %w: tensor<4x2x3xf32> {sinter.name = "w"}, %b: tensor<4xf32> {sinter.name = "b"}) -> tensor<?x4x8xf32> {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?x2x8xf32>
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %zero : f32 } : tensor<?x2x8xf32> to tensor<?x2x10xf32>
  %e = tensor.empty(%n) : tensor<?x4x8xf32>
  %z = linalg.broadcast ins(%b : tensor<4xf32>) outs(%e : tensor<?x4x8xf32>) dimensions = [0, 2]
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%p, %w : tensor<?x2x10xf32>, tensor<4x2x3xf32>) outs(%z : tensor<?x4x8xf32>) -> tensor<?x4x8xf32>
  return %y : tensor<?x4x8xf32>
}
