// RUN: sinter-opt %s --sinter-check-dimensions --split-input-file --verify-diagnostics

!t = tensor<?x?x4xf32>
func.func @good(%x: !t {sinter.dims = ["batch", "time"]}, %y: !t {sinter.dims = ["batch", "time"]}) -> !t {
  %r = arith.addf %x, %y : !t
  return %r : !t
}

// -----

!t = tensor<?x?x4xf32>
func.func @elementwise(%x: !t {sinter.dims = ["batch", "time"]}, %y: !t {sinter.dims = ["batch", "other"]}) -> !t {
  // expected-error @below {{needs dimensions "time" and "other" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  %r = arith.addf %x, %y : !t
  return %r : !t
}

// -----

!q = tensor<?x?x2x4xf32>
func.func @attention(%q: !q {sinter.dims = ["batch", "time"]}, %k: !q {sinter.dims = ["rows", "keys"]},
    %v: !q {sinter.dims = ["rows", "keys"]}) -> !q {
  // expected-error @below {{needs dimensions "batch" and "rows" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  %r = sinter.attention %q, %k, %v : !q, !q, !q
  return %r : !q
}

// -----

func.func @lengths(%x: tensor<?x?x4xf32> {sinter.dims = ["batch", "time"]},
    %n: tensor<?xi64> {sinter.dims = ["rows"]}) -> tensor<?x4xf32> {
  // expected-error @below {{needs dimensions "batch" and "rows" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  %r = sinter.last %x lengths(%n : tensor<?xi64>) : tensor<?x?x4xf32>
  return %r : tensor<?x4xf32>
}

// -----

// A dimension keeps its name where one of extent 1 is joined to it.
!row = tensor<?x4xf32>
func.func @collapsed(%x: tensor<?x1x4xf32> {sinter.dims = ["batch"]}, %y: !row {sinter.dims = ["other"]}) -> !row {
  %c = tensor.collapse_shape %x [[0, 1], [2]] : tensor<?x1x4xf32> into !row
  // expected-error@+2 {{needs dimensions "batch" and "other" to be equal}}
  // expected-note@+1 {{equal dimensions have one name in 'sinter.dims'}}
  %r = arith.addf %c, %y : !row
  return %r : !row
}

// -----

// The rows of what goes into a state are the session's.
sinter.state @memory dims ["batch", "source"] : tensor<?x?x4xf32>
func.func @write(%x: tensor<?x?x4xf32> {sinter.dims = ["rows", "words"]}) {
  // expected-error @below {{needs dimensions "rows" and "batch" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  sinter.write @memory, %x : tensor<?x?x4xf32>
  return
}

// -----

sinter.state @cross dims ["batch", "source"] : !sinter.cache<heads = 2, key = 4, value = 4, f32>
func.func @fill(%x: tensor<?x?x2x4xf32> {sinter.dims = ["rows", "words"]}) {
  // expected-error @below {{needs dimensions "rows" and "batch" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  sinter.fill @cross, %x, %x : tensor<?x?x2x4xf32>, tensor<?x?x2x4xf32>
  return
}

// -----

// Extents of states that one entry reads are one dimension of it.
sinter.state @memory dims ["batch", "source"] : tensor<?x?x4xf32>
sinter.state @keys dims ["batch", "other"] : tensor<?x?x4xf32>
func.func @read() -> tensor<?x?x4xf32> {
  %a = sinter.read @memory : tensor<?x?x4xf32>
  %b = sinter.read @keys : tensor<?x?x4xf32>
  // expected-error @below {{needs dimensions "source" and "other" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  %r = arith.addf %a, %b : tensor<?x?x4xf32>
  return %r : tensor<?x?x4xf32>
}

// -----

func.func @structured(%x: tensor<?xf32> {sinter.dims = ["n"]}, %y: tensor<?xf32> {sinter.dims = ["m"]}, %z: tensor<?xf32> {sinter.dims = ["n"]})
    -> tensor<?xf32> {
  // expected-error @below {{needs dimensions "n" and "m" to be equal}}
  // expected-note @below {{equal dimensions have one name}}
  %r = linalg.map { arith.addf } ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%z : tensor<?xf32>)
  return %r : tensor<?xf32>
}

// -----

func.func @window(%x: tensor<2x3x?xf32> {sinter.dims = ["n"]}, %w: tensor<4x3x3xf32>, %z: tensor<2x4x3xf32>) -> tensor<2x4x3xf32> {
  // expected-error @below {{reads dimension "n" at}}
  %r = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<2x3x?xf32>, tensor<4x3x3xf32>) outs(%z : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

// -----

func.func @fixed_window(%x: tensor<?x3x5xf32> {sinter.dims = ["b"]}, %w: tensor<4x3x3xf32>, %z: tensor<?x4x3xf32> {sinter.dims = ["b"]})
    -> tensor<?x4x3xf32> {
  %r = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<?x3x5xf32>, tensor<4x3x3xf32>) outs(%z : tensor<?x4x3xf32>) -> tensor<?x4x3xf32>
  return %r : tensor<?x4x3xf32>
}

// -----

// A padding that is one place short.
func.func @short_padding(%x: tensor<2x3x?xf32> {sinter.name = "x", sinter.dims = ["n"]},
    %w: tensor<4x3x3xf32> {sinter.name = "w"}) -> (tensor<2x4x?xf32> {sinter.name = "y"}) {
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c2 : tensor<2x3x?xf32>
  %p = tensor.pad %x low[0, 0, 1] high[0, 0, 0] { ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %z : f32 } : tensor<2x3x?xf32> to tensor<2x3x?xf32>
  %e = tensor.splat %z[%n] : tensor<2x4x?xf32>
  // expected-error@+1 {{which may be outside of it; pad it, or give it a constant extent}}
  %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
      ins(%p, %w : tensor<2x3x?xf32>, tensor<4x3x3xf32>) outs(%e : tensor<2x4x?xf32>) -> tensor<2x4x?xf32>
  return %y : tensor<2x4x?xf32>
}

// -----

func.func @sums(%x: tensor<?x?x4xf32> {sinter.name = "x", sinter.dims = ["batch", "t"]}, %y: tensor<?x?x4xf32> {sinter.name = "y", sinter.dims = ["batch", "s"]}) {
  %one = arith.constant 1.0 : f32
  %p = tensor.pad %x low[0, 2, 0] high[0, 0, 0] { ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %one : f32 } : tensor<?x?x4xf32> to tensor<?x?x4xf32>
  %c = tensor.concat dim(1) %x, %y : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %d = tensor.concat dim(1) %y, %x : (tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %equal = arith.addf %c, %d : tensor<?x?x4xf32>
  // expected-error @below {{needs dimensions "t" + 2 and "s" + "t" to be equal}}
  // expected-note @below {{equal dimensions have one name in 'sinter.dims'}}
  %a = arith.addf %p, %c : tensor<?x?x4xf32>
  return
}
