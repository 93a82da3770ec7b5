// RUN: sinter-opt --verify-roundtrip %s | FileCheck %s
// RUN: sinter-opt --mlir-print-op-generic %s | sinter-opt | FileCheck %s

// Every clause that the four models of this folder do not use, on tensors and on memrefs.
#panels = #fused.layout<(k, n) -> (n floordiv 16, k, n mod 16)>
!x = tensor<?x?x64xf32>
!len = tensor<?xi64>

// CHECK-LABEL: @gather
// CHECK: fused.map dims(b, t, j) symbols(p = %{{.*}} by (b) : tensor<?xi64>)
// CHECK-SAME: ins(%{{.*}} by (b, t), %{{.*}} : tensor<?x?xi32>, tensor<512x64xf32>)
// CHECK-SAME: rows(%{{.*}} by (b) of t : tensor<?xi64>)
// CHECK-SAME: outs(%{{.*}} by (b, t + p, j) : tensor<?x?x64xf32>) index(j)
// CHECK: fused.read %{{.*}}[%{{.*}}, %{{.*}} : i32, index] : tensor<512x64xf32>
func.func @gather(%ids: tensor<?x?xi32>, %table: tensor<512x64xf32>, %n: !len, %s: !len, %y: !x) -> !x {
  %r = fused.map dims(b, t, j) symbols(p = %s by (b) : !len)
      ins(%ids by (b, t), %table : tensor<?x?xi32>, tensor<512x64xf32>) rows(%n by (b) of t : !len)
      outs(%y by (b, t + p, j) : !x) index(j) {
  ^bb0(%id: i32, %all: tensor<512x64xf32>, %j: index):
    %v = fused.read %all[%id, %j : i32, index] : tensor<512x64xf32>
    fused.yield %v : f32
  }
  return %r : !x
}

// CHECK-LABEL: @arithmetic
// CHECK: ins(%{{.*}} by (63 - i), %{{.*}} by (i ceildiv 3), %{{.*}} by (i - 2 * (i mod 2)), %{{.*}} by (5)
func.func @arithmetic(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = fused.map dims(i = 64) ins(%x by (63 - i), %x by (i ceildiv 3), %x by (i - (i mod 2) * 2), %x by (5)
      : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) outs(%y by (i) : tensor<64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %b : f32
    fused.yield %s : f32
  }
  return %r : tensor<64xf32>
}

// CHECK-LABEL: @activation
// CHECK: fused.contract dims(b, t, n, k) ins({{.*}}) rows(%{{.*}} by (b) of t : {{.*}}) outs({{.*}}) schedule {tile = 4 : i64}
// CHECK: fused.segment n(?) weights(%{{.*}} by (b, n, k) : tensor<?x?x64xf32>)
// CHECK-SAME: stores(%{{.*}} by (b, t, n) : tensor<?x?x?xf32>) index(n)
func.func @activation(%x: !x, %w: !x, %n: !len, %y: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %r = fused.contract dims(b, t, n, k) ins(%x by (b, t, k) : !x) rows(%n by (b) of t : !len)
      outs(%y : tensor<?x?x?xf32>) schedule {tile = 4 : i64} {
    fused.segment n(?) weights(%w by (b, n, k) : !x) stores(%y by (b, t, n) : tensor<?x?x?xf32>) index(n) {
    ^bb0(%acc: f32, %i: index):
      fused.yield %acc : f32
    }
  }
  return %r : tensor<?x?x?xf32>
}

// CHECK-LABEL: @extras
// CHECK: rows(%{{.*}} by (b) : tensor<?xi64>) ins(
// CHECK-SAME: extras(lse %{{.*}} by (b, h, q), weights %{{.*}} by (b, h, q, k) :
// CHECK: mask captures(%{{.*}} : tensor<32x8xi1>)
// CHECK: fused.read %{{.*}}[%{{.*}}, %{{.*}}] : tensor<32x8xi1>
// CHECK: } sink captures(%{{.*}} by (h) : tensor<8xbf16>)
func.func @extras(%q: tensor<?x?x8x64xf32>, %n: !len, %t: tensor<32x8xi1>, %sinks: tensor<8xbf16>,
    %y: tensor<?x?x8x64xf32>, %l: tensor<?x8x?xf32>, %w: tensor<?x8x?x?xf32>) -> tensor<?x?x8x64xf32> {
  %r, %lse, %weights = fused.attention dims(b, h, q, k, d, e) rows(%n by (b) : !len)
      ins(%q by (b, q, h, d), %q by (b, k, h, d), %q by (b, k, h, e)
        : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>)
      outs(%y by (b, q, h, e) : tensor<?x?x8x64xf32>)
      extras(lse %l by (b, h, q), weights %w by (b, h, q, k) : tensor<?x8x?xf32>, tensor<?x8x?x?xf32>)
      mask captures(%t : tensor<32x8xi1>) {
      ^bb0(%b: index, %h: index, %i: index, %j: index, %table: tensor<32x8xi1>):
        %m = fused.read %table[%j, %h] : tensor<32x8xi1>
        fused.yield %m : i1
      } sink captures(%sinks by (h) : tensor<8xbf16>) {
      ^bb0(%b: index, %h: index, %i: index, %s: f32):
        fused.yield %s : f32
      }
  return %r : tensor<?x?x8x64xf32>
}

// CHECK-LABEL: fused.kernel @norm
// CHECK: fused.normalize dims(r, j) ins(%{{.*}} by (r, j) : memref<?x64xf32>) captures(%{{.*}} by (j) : memref<64xf32>)
// CHECK-SAME: outs(%{{.*}} by (r, j), %{{.*}} by (r, j) : memref<?x64xf32>, memref<64x64xf32, #{{.*}}>) index(r, j) pre {
// CHECK: } reduce max {
// CHECK: } reduce sum {
// CHECK: } post {
fused.kernel @norm {
^bb0(%x: memref<?x64xf32>, %g: memref<64xf32>, %y: memref<?x64xf32>, %z: memref<64x64xf32, #panels>):
  fused.normalize dims(r, j) ins(%x by (r, j) : memref<?x64xf32>) captures(%g by (j) : memref<64xf32>)
      outs(%y by (r, j), %z by (r, j) : memref<?x64xf32>, memref<64x64xf32, #panels>) index(r, j) pre {
  ^bb0(%a: f32):
    %s = fused.sigmoid %a : f32
    fused.yield %s : f32
  } reduce max {
  ^bb0(%a: f32):
    fused.yield %a : f32
  } reduce sum {
  ^bb0(%a: f32, %most: f32):
    %s = arith.subf %a, %most : f32
    fused.yield %s : f32
  } post {
  ^bb0(%a: f32, %most: f32, %sum: f32, %gain: f32, %r: index, %j: index):
    fused.yield %a, %gain : f32, f32
  }
}

// CHECK: fused.packed @gain offset 64 : tensor<64xf32> {
fused.packed @gain offset 64 : tensor<64xf32> {
  %w = fused.weight "norm.weight" from "stories.safetensors" : tensor<64xf32>
  fused.yield %w : tensor<64xf32>
}

// CHECK-LABEL: @run
// CHECK: fused.slot 0[%{{.*}}] : memref<?x64xf32>
// CHECK: fused.launch @norm(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK: fused.advance "context" restart lengths(%{{.*}} : memref<?xi64>)
// CHECK: fused.advance "context" extent(%{{.*}})
func.func @run(%g: memref<64xf32>, %n: memref<?xi64>, %z: memref<64x64xf32, #panels>) {
  %d = fused.dim "sequence"
  %c = fused.capacity "context"
  %w = fused.weight "norm.weight" from "stories.safetensors" : tensor<64xf32>
  %x = fused.slot 0[%d] : memref<?x64xf32>
  %y = fused.slot 1[%d] : memref<?x64xf32>
  %k = fused.constant @gain : memref<64xf32>
  %v = fused.view %y[%c] : memref<?x64xf32> to memref<?x8x8xf32>
  fused.launch @norm(%x, %g, %y, %z) : memref<?x64xf32>, memref<64xf32>, memref<?x64xf32>, memref<64x64xf32, #panels>
  fused.advance "context" restart lengths(%n : memref<?xi64>)
  fused.advance "context" extent(%d)
  return
}

// CHECK-LABEL: @backwards
// CHECK: fused.recurrence dims(b, t, u, k) reverse vectors(%{{.*}} by (b, t, u) : memref<?x?x32xf32>)
// CHECK-SAME: state(%{{.*}} by (b, u) : memref<?x32xf32>)
func.func @backwards(%x: memref<?x?x32xf32>, %h: memref<?x32xf32>, %u: memref<32x32xf32, #panels>,
    %y: memref<?x?x32xf32>, %hn: memref<?x32xf32>) {
  fused.recurrence dims(b, t, u, k) reverse vectors(%x by (b, t, u) : memref<?x?x32xf32>)
      state(%h by (b, u) : memref<?x32xf32>)
      outs(%y by (b, t, u), %hn by (b, u) : memref<?x?x32xf32>, memref<?x32xf32>) {
  ^bb0(%a: !fused.units<32xf32>, %s: !fused.units<32xf32>):
    %v = fused.phase products(%s * %u : memref<32x32xf32, #panels>) vectors(%a) -> !fused.units<32xf32> map {
    ^bb0(%p: f32, %xu: f32):
      %r = arith.addf %p, %xu : f32
      fused.yield %r : f32
    }
    fused.step outputs(%v : !fused.units<32xf32>) state(%v : !fused.units<32xf32>)
  }
  return
}
