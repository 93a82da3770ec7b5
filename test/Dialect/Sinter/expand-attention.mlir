// RUN: sinter-opt --sinter-expand-library --split-input-file %s | FileCheck %s

!q = tensor<?x?x8x64xf32>

// The cap's reciprocal is part of the scale; slopes come after the cap, the user's rule sees all of it.
// CHECK-LABEL: func.func @score
func.func @score(%q: !q, %m: tensor<8xf32>) -> !q {
  // CHECK: sinter.attention %{{[a-z0-9]*}}, %{{[a-z0-9]*}}, %{{[a-z0-9]*}} scale(1.000000e+00) :
  // CHECK-SAME: score(%[[S:.*]]: f32, %{{.*}}: index, %[[H:.*]]: index, %[[I:.*]]: index, %[[J:.*]]: index) {
  // CHECK: %[[C:.*]] = arith.constant 2.500000e-03 : f32
  // CHECK: %[[X:.*]] = arith.mulf %[[S]], %[[C]] : f32
  // CHECK: %[[T:.*]] = math.tanh %[[X]] : f32
  // CHECK: %[[CAP:.*]] = arith.constant 5.000000e+01 : f32
  // CHECK: %[[CAPPED:.*]] = arith.mulf %[[T]], %[[CAP]] : f32
  // CHECK: %[[D:.*]] = arith.subi %[[J]], %[[I]] : index
  // CHECK: %[[N:.*]] = arith.index_cast %[[D]] : index to i32
  // CHECK: %[[SLOPE:.*]] = tensor.extract %{{.*}}[%[[H]]] : tensor<8xf32>
  // CHECK: %[[F:.*]] = arith.sitofp %[[N]] : i32 to f32
  // CHECK: %[[B:.*]] = arith.mulf %[[SLOPE]], %[[F]] : f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[CAPPED]], %[[B]] : f32
  // CHECK: %[[R:.*]] = math.absf %[[SUM]] : f32
  // CHECK: sinter.yield %[[R]]
  %y = sinter.attention %q, %q, %q softcap(50.0) alibi(%m : tensor<8xf32>) : !q, !q, !q
    score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
      %r = math.absf %s : f32
      sinter.yield %r : f32
    }
  return %y : !q
}

// -----

!q = tensor<?x?x8x64xf32>

// CHECK-LABEL: func.func @window
func.func @window(%q: !q) -> (!q, !q) {
  // CHECK: sinter.attention
  // CHECK-NOT: window
  // CHECK: mask(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index) {
  // CHECK: %[[BEHIND:.*]] = arith.subi %[[I]], %[[J]] : index
  // CHECK: %[[L:.*]] = arith.constant 3 : index
  // CHECK: %[[A:.*]] = arith.cmpi sle, %[[BEHIND]], %[[L]] : index
  // CHECK: %[[AHEAD:.*]] = arith.subi %[[J]], %[[I]] : index
  // CHECK: %[[R:.*]] = arith.constant 4 : index
  // CHECK: %[[B:.*]] = arith.cmpi sle, %[[AHEAD]], %[[R]] : index
  // CHECK: %[[BOTH:.*]] = arith.andi %[[A]], %[[B]] : i1
  // CHECK: sinter.yield %[[BOTH]]
  %y = sinter.attention %q, %q, %q window(3, 4) : !q, !q, !q
  // CHECK: mask(%{{.*}}: index, %{{.*}}: index, %[[I:.*]]: index, %[[J:.*]]: index) {
  // CHECK: arith.cmpi sle, %[[J]], %[[I]] : index
  // CHECK: arith.subi %[[I]], %[[J]] : index
  // CHECK: arith.andi
  // CHECK-NOT: arith.andi
  // CHECK: return
  %z = sinter.attention %q, %q, %q causal window(255, ?) : !q, !q, !q
  return %y, %z : !q, !q
}

// -----

// CHECK-LABEL: func.func @additive
// CHECK-SAME: (%[[Q:.*]]: tensor<?x7xf32>, %[[K:.*]]: tensor<?x?x7xf32>, %[[V:.*]]: tensor<?x?x5xf32>, %[[W:.*]]: tensor<7xf32>,
func.func @additive(%q: tensor<?x7xf32>, %k: tensor<?x?x7xf32>, %v: tensor<?x?x5xf32>, %w: tensor<7xf32>, %n: tensor<?xi64>, %m: tensor<?x?xi1>)
    -> (tensor<?x5xf32>, tensor<?x?xf32>) {
  // CHECK: %[[Q4:.*]] = tensor.expand_shape %[[Q]] {{\[\[}}0, 1, 2], [3]] {{.*}} into tensor<?x1x1x7xf32>
  // CHECK: %[[K4:.*]] = tensor.expand_shape %[[K]] {{\[\[}}0], [1, 2], [3]] {{.*}} into tensor<?x?x1x7xf32>
  // CHECK: %[[V4:.*]] = tensor.expand_shape %[[V]] {{\[\[}}0], [1, 2], [3]] {{.*}} into tensor<?x?x1x5xf32>
  // CHECK: %[[M4:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1, 2], [3]] {{.*}} into tensor<?x1x1x?xi1>
  // CHECK: %[[Y:.*]], %[[P:.*]] = sinter.attention %[[Q4]], %[[K4]], %[[V4]] scale(1.000000e+00) lengths({{.*}}) mask(%[[M4]] : tensor<?x1x1x?xi1>) weights :
  // CHECK-SAME: combine(%[[A:.*]]: f32, %[[B:.*]]: f32, %{{.*}}: index, %[[D:.*]]: index) {
  // CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK: %[[X:.*]] = tensor.extract %[[W]][%[[D]]] : tensor<7xf32>
  // CHECK: %[[T:.*]] = math.tanh %[[SUM]] : f32
  // CHECK: %[[R:.*]] = arith.mulf %[[X]], %[[T]] : f32
  // CHECK: sinter.yield %[[R]]
  // CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0, 1, 2], [3]] : tensor<?x1x1x5xf32> into tensor<?x5xf32>
  // CHECK: tensor.collapse_shape %[[P]] {{\[\[}}0, 1, 2], [3]] : tensor<?x1x1x?xf32> into tensor<?x?xf32>
  %y, %p = sinter.additive_attention %q, %k, %v, %w lengths(%n : tensor<?xi64>) mask(%m : tensor<?x?xi1>) weights
      : tensor<?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x5xf32>, tensor<7xf32>
  return %y, %p : tensor<?x5xf32>, tensor<?x?xf32>
}

// -----

// CHECK-LABEL: func.func @additive_in_time
func.func @additive_in_time(%q: tensor<?x?x7xf32>, %k: tensor<?x?x7xf32>, %v: tensor<?x?x5xf32>, %w: tensor<7xf32>) -> tensor<?x?x5xf32> {
  // CHECK: tensor.expand_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] {{.*}} into tensor<?x?x1x7xf32>
  // CHECK: sinter.attention
  // CHECK: tensor.collapse_shape %{{.*}} {{\[\[}}0], [1, 2], [3]] : tensor<?x?x1x5xf32> into tensor<?x?x5xf32>
  %y = sinter.additive_attention %q, %k, %v, %w : tensor<?x?x7xf32>, tensor<?x?x7xf32>, tensor<?x?x5xf32>, tensor<7xf32>
  return %y : tensor<?x?x5xf32>
}
