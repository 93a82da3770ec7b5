// RUN: sinter-opt %s --fused-pack-weights | FileCheck %s

// A transposed weight and the raw weight are computed by the packer; equal
// computations of two entries are one symbol.

#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!raw = tensor<20x8xf32>
!packed = tensor<8x20xf32, #panels>
!x = tensor<?x8xf32>
!y = tensor<?x20xf32>

// CHECK: fused.packed @packed0 offset 0
// CHECK-NEXT: fused.weight "w" from "a.safetensors"
// CHECK: fused.map dims(k, n)
// CHECK: fused.yield
// 2 panels of 8 rows and 16 columns: 1024 bytes.
// CHECK: fused.packed @packed1 offset 1024
// CHECK-NEXT: fused.weight "b"
// CHECK-NOT: fused.packed

// CHECK-LABEL: func.func @one
// CHECK-NOT: fused.weight
// CHECK-DAG: %[[W:.*]] = fused.constant @packed0
// CHECK-DAG: %[[B:.*]] = fused.constant @packed1
// CHECK: fused.segment n(20) weights(%[[W]]{{.*}}captures(%[[B]]
func.func @one(%x: !x {sinter.dims = ["batch"]}) -> !y {
  %d = fused.dim "batch"
  %w = fused.weight "w" from "a.safetensors" : !raw
  %b = fused.weight "b" from "a.safetensors" : tensor<20xf32>
  %e = tensor.empty() : !packed
  %p = fused.map dims(k, n) ins(%w by (n, k) : !raw) outs(%e by (k, n) : !packed) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  %o = tensor.empty(%d) : !y
  %r = fused.contract dims(b, n, k) ins(%x by (b, k) : !x) outs(%o : !y) {
    fused.segment n(20) weights(%p : !packed) captures(%b by (n) : tensor<20xf32>) stores(%o by (b, n) : !y) {
    ^bb0(%acc: f32, %c: f32):
      %s = arith.addf %acc, %c : f32
      fused.yield %s : f32
    }
  }
  return %r : !y
}

// CHECK-LABEL: func.func @two
// CHECK: fused.constant @packed0
func.func @two(%x: !x {sinter.dims = ["batch"]}) -> !y {
  %d = fused.dim "batch"
  %w = fused.weight "w" from "a.safetensors" : !raw
  %e = tensor.empty() : !packed
  %p = fused.map dims(k, n) ins(%w by (n, k) : !raw) outs(%e by (k, n) : !packed) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  %o = tensor.empty(%d) : !y
  %r = fused.contract dims(b, n, k) ins(%x by (b, k) : !x) outs(%o : !y) {
    fused.segment n(20) weights(%p : !packed) stores(%o by (b, n) : !y) {
    ^bb0(%acc: f32):
      fused.yield %acc : f32
    }
  }
  return %r : !y
}

// A constant that a kernel goes on filling is made at run time.

// CHECK-LABEL: func.func @destination
// CHECK: %[[B2:.*]] = fused.constant
// CHECK: %[[HALF:.*]] = fused.map {{.*}}ins(%[[B2]]
// CHECK: fused.map {{.*}}outs(%[[HALF]]
func.func @destination(%x: tensor<20xf32>) -> tensor<40xf32> {
  %b = fused.weight "b" from "a.safetensors" : tensor<20xf32>
  %e = tensor.empty() : tensor<40xf32>
  %0 = fused.map dims(i) ins(%b by (i) : tensor<20xf32>) outs(%e by (i) : tensor<40xf32>) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  %1 = fused.map dims(i) ins(%x by (i) : tensor<20xf32>) outs(%0 by (i + 20) : tensor<40xf32>) {
  ^bb0(%v: f32):
    fused.yield %v : f32
  }
  return %1 : tensor<40xf32>
}
