// RUN: sinter-opt %s --convert-sinter-to-fused --remarks-filter=fusion --remark-policy=all 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

!x = tensor<?x8xf32>
!u = tensor<?x24xf32>
module attributes {sinter.archive = "w.safetensors"} {
  // Gate and up are one segment with paired weights; the residual is a capture. Two kernels.
  // CHECK-LABEL: func @gated
  // CHECK: fused.contract dims(b, n, k)
  // CHECK-NEXT: fused.segment n(24) weights(%{{[0-9]+}}, %{{[0-9]+}} :
  // CHECK-NEXT: ^bb0(%[[G:.*]]: f32, %[[U:.*]]: f32):
  // CHECK: %[[F:.*]] = arith.select %{{.*}}, %{{.*}}, %[[G]] : f32
  // CHECK-NEXT: %[[S:.*]] = fused.sigmoid %[[F]]
  // CHECK-NEXT: %[[A:.*]] = arith.mulf %[[F]], %[[S]]
  // CHECK-NEXT: %[[R:.*]] = arith.mulf %[[A]], %[[U]]
  // CHECK-NEXT: fused.yield %[[R]]
  // CHECK: fused.contract dims(b, n, k)
  // CHECK-NEXT: fused.segment n(8) weights(%{{[0-9]+}} : {{.*}}) captures(%arg0 by (b, n) : tensor<?x8xf32>)
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[X:.*]]: f32):
  // CHECK-NEXT: arith.addf %[[X]], %[[ACC]]
  // CHECK-NOT: fused.contract
  // REMARK: fuse-epilogue | Category:fusion | Function=gated | Remark="a map runs in the epilogue of 2 contracts of the same rows, now one with paired weights"

  func.func @gated(%x: !x {sinter.name = "x", sinter.dims = ["batch"]}) -> (!x {sinter.name = "y"}) {
    %w1, %w3, %w2 = sinter.weight "w1", "w3", "w2" : tensor<24x8xf32>, tensor<24x8xf32>, tensor<8x24xf32>
    %g = sinter.linear %x, %w1 : !x, tensor<24x8xf32>
    %u = sinter.linear %x, %w3 : !x, tensor<24x8xf32>
    %s = sinter.silu %g : !u
    %m = arith.mulf %s, %u : !u
    %d = sinter.linear %m, %w2 : !u, tensor<8x24xf32>
    %y = arith.addf %x, %d : !x
    return %y : !x
  }

  // A chain that no library has a name for is still one epilogue.
  // CHECK-LABEL: func @unknown_activation
  // CHECK: fused.contract
  // CHECK-NEXT: fused.segment
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32):
  // CHECK: math.absf %[[ACC]]
  // CHECK: math.tanh
  // CHECK: math.log1p
  // CHECK: fused.yield
  // CHECK-NOT: fused.map
  // CHECK: return
  func.func @unknown_activation(%x: !x {sinter.name = "x", sinter.dims = ["batch"]}) -> (!u {sinter.name = "y"}) {
    %w = sinter.weight "w" : tensor<24x8xf32>
    %a = sinter.linear %x, %w : !x, tensor<24x8xf32>
    %half = arith.constant 0.5 : f32
    %h = sinter.broadcast %half like(%a) : f32, !u
    %b = math.absf %a : !u
    %c = arith.mulf %b, %h : !u
    %d = math.tanh %c : !u
    %e = math.log1p %d : !u
    %y = arith.mulf %e, %a : !u
    return %y : !u
  }

  // Two readers: the product is stored, and the remark says why.
  // CHECK-LABEL: func @two_readers
  // CHECK: fused.contract
  // CHECK: fused.map dims(b, i)
  // CHECK: math.tanh
  // REMARK: Function=two_readers | Remark="a map is a kernel of its own: an input has several readers"
  func.func @two_readers(%x: !x {sinter.name = "x", sinter.dims = ["batch"]})
      -> (!u {sinter.name = "y"}, !u {sinter.name = "z"}) {
    %w = sinter.weight "w" : tensor<24x8xf32>
    %a = sinter.linear %x, %w : !x, tensor<24x8xf32>
    %t = math.tanh %a : !u
    return %a, %t : !u, !u
  }
}
