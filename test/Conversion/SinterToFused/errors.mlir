// RUN: sinter-opt %s --sinter-expand-library --convert-sinter-to-fused --split-input-file --verify-diagnostics

func.func @norm(%x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["batch", "n"]},
    %g: tensor<?xf32> {sinter.name = "g", sinter.dims = ["n"]}) -> (tensor<?x?xf32> {sinter.name = "y"}) {
  // expected-error@+2 {{'sinter.rms_norm' is not lowered to a kernel yet: the normalised dimension is dynamic}}
  // expected-note@+1 {{give the last dimension a constant size}}
  %y = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x?xf32>, tensor<?xf32>
  return %y : tensor<?x?xf32>
}

// -----

func.func @archive() -> (tensor<4xf32> {sinter.name = "y"}) {
  // expected-error@+2 {{no archive holds weight 'w'}}
  // expected-note@+1 {{name the file by the module attribute 'sinter.archive' or by 'from(...)'}}
  %w = sinter.weight "w" : tensor<4xf32>
  return %w : tensor<4xf32>
}

// -----

func.func @insert(%x: tensor<8xf32> {sinter.name = "x"}, %y: tensor<2xf32> {sinter.name = "y"}) -> (tensor<8xf32> {sinter.name = "z"}) {
  // expected-error@+2 {{'tensor.insert_slice' is not lowered to a kernel yet: no skeleton takes it}}
  // expected-note@+1 {{write it with the operations that are lowered}}
  %z = tensor.insert_slice %y into %x[3] [2] [1] : tensor<2xf32> into tensor<8xf32>
  return %z : tensor<8xf32>
}

// -----

func.func @pad(%x: tensor<?xf32> {sinter.name = "x", sinter.dims = ["n"]}) -> (tensor<?xf32> {sinter.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %full = arith.constant 512 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %rest = arith.subi %full, %n : index
  // expected-error@+2 {{'tensor.pad' is not lowered to a kernel yet: it takes elements away, or how many it adds is no sum or product of dimensions}}
  // expected-note@+1 {{use 'tensor.extract_slice' to take elements away}}
  %y = tensor.pad %x low[0] high[%rest] { ^bb0(%i: index): tensor.yield %zero : f32 } : tensor<?xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

!q = tensor<?x?x4x8xf32>
func.func @outside(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}) -> (!q {sinter.name = "y"}) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %q, %c1 : !q
  %y = sinter.attention %q, %q, %q : !q, !q, !q
    mask(%b: index, %h: index, %i: index, %j: index) {
      // expected-error@+2 {{'arith.cmpi' is not lowered to a kernel yet: it uses a number from outside its region that is not constant}}
      // expected-note@+1 {{read the number from a tensor inside the region}}
      %r = arith.cmpi slt, %j, %n : index
      sinter.yield %r : i1
    }
  return %y : !q
}

// -----

!q = tensor<?x?x4x8xf32>
func.func @outside_sink(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %x: tensor<f32> {sinter.name = "x"}) -> (!q {sinter.name = "y"}) {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %q, %c1 : !q
  %y = sinter.attention %q, %q, %q : !q, !q, !q
    sink(%b: index, %h: index, %i: index) {
      // expected-error@+2 {{'arith.index_cast' is not lowered to a kernel yet: it uses a number from outside its region that is not constant}}
      // expected-note@+1 {{read the number from a tensor inside the region}}
      %k = arith.index_cast %n : index to i32
      %z = arith.sitofp %k : i32 to f32
      sinter.yield %z : f32
    }
  return %y : !q
}

// -----

!high = tensor<1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
func.func @rank(%x: !high {sinter.name = "x"}) -> (!high {sinter.name = "y"}) {
  // expected-error@+2 {{'math.tanh' is not lowered to a kernel yet: a tensor has more than '12' dimensions}}
  // expected-note@+1 {{join dimensions with 'tensor.collapse_shape'}}
  %y = math.tanh %x : !high
  return %y : !high
}

// -----

func.func @unspecified(%x: tensor<4x3xf32> {sinter.name = "x"}) -> (tensor<4xf32> {sinter.name = "y"}) {
  %e = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{starts from the content of 'tensor.empty', which is unspecified}}
  %y = linalg.reduce { arith.addf } ins(%x : tensor<4x3xf32>) outs(%e : tensor<4xf32>) dimensions = [1]
  return %y : tensor<4xf32>
}

// -----

func.func @no_features(%x: tensor<?x0xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x3xf32> {sinter.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  // expected-error@+2 {{'tensor.pad' is not lowered to a kernel yet: operand '0' has the extent 0}}
  // expected-note@+1 {{leave it out}}
  %y = tensor.pad %x low[0, 3] high[0, 0] { ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32 } : tensor<?x0xf32> to tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
