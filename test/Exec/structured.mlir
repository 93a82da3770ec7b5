// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=1,4,19
// RUN: sinter-run %s %sweep --entry=of_last --calls=3 --dim=batch=1,3 --dim=sequence=1,2

!x = tensor<?x5x?xf32>
!y = tensor<?x6x?xf32>

// Upstream's structured ops: without a reduction they are maps, else a loop nest of their own.
module @structured attributes {sinter.archive = "structured.safetensors"} {
  // Strided and dilated, between borders: channels first.
  func.func @convolution(%x: tensor<?x5x20xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x6x9xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x5x20xf32>
    %w, %b = sinter.weight "w", "b" : tensor<6x5x3xf32>, tensor<6xf32>
    %p = tensor.pad %x low[0, 0, 2] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : tensor<?x5x20xf32> to tensor<?x5x23xf32>
    %e = tensor.empty(%n) : tensor<?x6x9xf32>
    %z = linalg.broadcast ins(%b : tensor<6xf32>) outs(%e : tensor<?x6x9xf32>) dimensions = [0, 2]
    %v = linalg.conv_1d_ncw_fcw {dilations = dense<2> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
        ins(%p, %w : tensor<?x5x23xf32>, tensor<6x5x3xf32>) outs(%z : tensor<?x6x9xf32>) -> tensor<?x6x9xf32>
    %y = sinter.relu %v : tensor<?x6x9xf32>
    return %y : tensor<?x6x9xf32>
  }

  func.func @pooling(%x: tensor<?x5x20xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x5x6xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %low = arith.constant 0xFF800000 : f32
    %n = tensor.dim %x, %c0 : tensor<?x5x20xf32>
    %window = tensor.empty() : tensor<3xf32>
    %z = tensor.splat %low[%n] : tensor<?x5x6xf32>
    %y = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<3> : tensor<1xi64>}
        ins(%x, %window : tensor<?x5x20xf32>, tensor<3xf32>) outs(%z : tensor<?x5x6xf32>) -> tensor<?x5x6xf32>
    return %y : tensor<?x5x6xf32>
  }

  // Sums over a dynamic dimension, and over all.
  func.func @sums(%x: tensor<?x?x7xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x7xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x?x7xf32>
    %z = tensor.splat %zero[%n] : tensor<?x7xf32>
    %y = linalg.reduce { arith.addf } ins(%x : tensor<?x?x7xf32>) outs(%z : tensor<?x7xf32>) dimensions = [1]
    return %y : tensor<?x7xf32>
  }

  func.func @pad(%x: tensor<?x?x4xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x9xf32> {sinter.name = "y"}) {
    %one = arith.constant 1.0 : f32
    %y = tensor.pad %x low[0, 0, 3] high[0, 0, 2] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %one : f32 } : tensor<?x?x4xf32> to tensor<?x?x9xf32>
    return %y : tensor<?x?x9xf32>
  }

  // A mirror at the end.
  func.func @generate(%x: tensor<?x6xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x9xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %last = arith.constant 5 : index
    %turn = arith.constant 10 : index
    %n = tensor.dim %x, %c0 : tensor<?x6xf32>
    %y = tensor.generate %n {
    ^bb0(%i: index, %j: index):
      %inside = arith.cmpi ule, %j, %last : index
      %mirror = arith.subi %turn, %j : index
      %k = arith.select %inside, %j, %mirror : index
      %s = tensor.extract %x[%i, %k] : tensor<?x6xf32>
      tensor.yield %s : f32
    } : tensor<?x9xf32>
    return %y : tensor<?x9xf32>
  }

  // All extents constant: the start is a constant, or filled; so may a filter be.
  func.func @constants(%x: tensor<2x3x9xf32> {sinter.name = "c"}) -> (tensor<2x4x3xf32> {sinter.name = "y"}, tensor<2x3x4xf32> {sinter.name = "p"},
      tensor<i32> {sinter.name = "z"}) {
    %w = sinter.weight "cw" : tensor<4x3x3xf32>
    %start = arith.constant dense<0.5> : tensor<2x4x3xf32>
    %y = linalg.conv_1d_ncw_fcw {strides = dense<2> : tensor<1xi64>, dilations = dense<2> : tensor<1xi64>}
        ins(%x, %w : tensor<2x3x9xf32>, tensor<4x3x3xf32>) outs(%start : tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
    %low = arith.constant 0xFF800000 : f32
    %e = tensor.empty() : tensor<2x3x4xf32>
    %f = linalg.fill ins(%low : f32) outs(%e : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %window = tensor.empty() : tensor<2xf32>
    %p = linalg.pooling_ncw_max {strides = dense<2> : tensor<1xi64>, dilations = dense<1> : tensor<1xi64>}
        ins(%x, %window : tensor<2x3x9xf32>, tensor<2xf32>) outs(%f : tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    %numbers = arith.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
    %one = arith.constant dense<1> : tensor<i32>
    %z = linalg.reduce { arith.addi } ins(%numbers : tensor<2x3xi32>) outs(%one : tensor<i32>) dimensions = [0, 1]
    return %y, %p, %z : tensor<2x4x3xf32>, tensor<2x3x4xf32>, tensor<i32>
  }

  // The indices of the loops, into a transposed destination.
  func.func @indices(%x: tensor<?x6xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<6x?xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x6xf32>
    %e = tensor.empty(%n) : tensor<6x?xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<?x6xf32>) outs(%e : tensor<6x?xf32>) {
    ^bb0(%a: f32, %old: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %s = arith.muli %i, %j : index
      %k = arith.index_cast %s : index to i64
      %f = arith.sitofp %k : i64 to f32
      %v = arith.addf %f, %a : f32
      linalg.yield %v : f32
    } -> tensor<6x?xf32>
    return %y : tensor<6x?xf32>
  }

  // A filter of one place needs no border.
  func.func @pointwise(%x: tensor<?x5x?xf32> {sinter.name = "t", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x6x?xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %w = sinter.weight "pw" : tensor<6x5x1xf32>
    %b = tensor.dim %x, %c0 : tensor<?x5x?xf32>
    %n = tensor.dim %x, %c2 : tensor<?x5x?xf32>
    %z = tensor.splat %zero[%b, %n] : tensor<?x6x?xf32>
    %y = linalg.conv_1d_ncw_fcw ins(%x, %w : tensor<?x5x?xf32>, tensor<6x5x1xf32>) outs(%z : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
    return %y : tensor<?x6x?xf32>
  }

  // Rows of length 0 have no last position: what nests and bodies make of it is unspecified, too.
  func.func @of_last(%x: tensor<?x?x8xf32> {sinter.name = "x8", sinter.dims = ["batch", "sequence"]}, %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x2x3xf32> {sinter.name = "y"}, tensor<?x8xf32> {sinter.name = "z"}) {
    %c0 = arith.constant 0 : index
    %turn = arith.constant 7 : index
    %low = arith.constant 0xFF800000 : f32
    %last = sinter.last %x lengths(%n : tensor<?xi64>) : tensor<?x?x8xf32>
    %h = sinter.split_heads %last [2] : tensor<?x8xf32>
    %b = tensor.dim %h, %c0 : tensor<?x2x4xf32>
    %e = tensor.splat %low[%b] : tensor<?x2x3xf32>
    %w = tensor.empty() : tensor<2xf32>
    %y = linalg.pooling_ncw_max {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
        ins(%h, %w : tensor<?x2x4xf32>, tensor<2xf32>) outs(%e : tensor<?x2x3xf32>) -> tensor<?x2x3xf32>
    %z = tensor.generate %b {
    ^bb0(%i: index, %j: index):
      %k = arith.subi %turn, %j : index
      %s = tensor.extract %last[%i, %k] : tensor<?x8xf32>
      tensor.yield %s : f32
    } : tensor<?x8xf32>
    return %y, %z : tensor<?x2x3xf32>, tensor<?x8xf32>
  }

  // As much before and behind as another tensor is long.
  func.func @pad_by(%x: tensor<?x?x4xf32> {sinter.name = "p", sinter.dims = ["batch", "sequence"]},
      %y: tensor<?x?x4xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x4xf32> {sinter.name = "last"}, tensor<?x4xf32> {sinter.name = "sum"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %one = arith.constant 1.0 : f32
    %zero = arith.constant 0.0 : f32
    %b = tensor.dim %x, %c0 : tensor<?x?x4xf32>
    %n = tensor.dim %y, %c1 : tensor<?x?x4xf32>
    %m = arith.addi %n, %c2 : index
    %p = tensor.pad %x low[0, %m, 0] high[0, %n, 0] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %one : f32 } : tensor<?x?x4xf32> to tensor<?x?x4xf32>
    %q = tensor.concat dim(1) %x, %p, %y : (tensor<?x?x4xf32>, tensor<?x?x4xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
    %last = sinter.last %p : tensor<?x?x4xf32>
    %z = tensor.splat %zero[%b] : tensor<?x4xf32>
    %s = linalg.reduce { arith.addf } ins(%q : tensor<?x?x4xf32>) outs(%z : tensor<?x4xf32>) dimensions = [1]
    return %last, %s : tensor<?x4xf32>, tensor<?x4xf32>
  }

  // The largest element and the first place of it, then the row of a table there: a greedy step.
  func.func @argmax(%x: tensor<?x?x7xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?xf32> {sinter.name = "y"}, tensor<?x?xi64> {sinter.name = "at"}, tensor<?x?x5xf32> {sinter.name = "e"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = arith.constant 0xFF800000 : f32
    %first = arith.constant 0 : i64
    %b = tensor.dim %x, %c0 : tensor<?x?x7xf32>
    %n = tensor.dim %x, %c1 : tensor<?x?x7xf32>
    %z = tensor.splat %low[%b, %n] : tensor<?x?xf32>
    %i = tensor.splat %first[%b, %n] : tensor<?x?xi64>
    %y, %at = linalg.generic {indexing_maps = [affine_map<(b, t, c) -> (b, t, c)>, affine_map<(b, t, c) -> (b, t)>, affine_map<(b, t, c) -> (b, t)>],
                              iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<?x?x7xf32>) outs(%z, %i : tensor<?x?xf32>, tensor<?x?xi64>) {
    ^bb0(%a: f32, %max: f32, %place: i64):
      %c = linalg.index 2 : index
      %k = arith.index_cast %c : index to i64
      %p = arith.cmpf ogt, %a, %max : f32
      %m = arith.select %p, %a, %max : f32
      %q = arith.select %p, %k, %place : i64
      linalg.yield %m, %q : f32, i64
    } -> (tensor<?x?xf32>, tensor<?x?xi64>)
    %table = sinter.weight "table" : tensor<7x5xf32>
    %e = sinter.embedding %at, %table : tensor<?x?xi64>, tensor<7x5xf32>
    return %y, %at, %e : tensor<?x?xf32>, tensor<?x?xi64>, tensor<?x?x5xf32>
  }

  // A place in time, and a number of the outer loops.
  func.func @latest(%x: tensor<?x?x7xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x7xi32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %none = arith.constant -1 : i32
    %b = tensor.dim %x, %c0 : tensor<?x?x7xf32>
    %z = tensor.splat %none[%b] : tensor<?x7xi32>
    %y = linalg.generic {indexing_maps = [affine_map<(b, c, t) -> (b, t, c)>, affine_map<(b, c, t) -> (b, c)>],
                         iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<?x?x7xf32>) outs(%z : tensor<?x7xi32>) {
    ^bb0(%a: f32, %old: i32):
      %zero = arith.constant 0.0 : f32
      %c = linalg.index 1 : index
      %t = linalg.index 2 : index
      %s = arith.addi %c, %t : index
      %k = arith.index_cast %s : index to i32
      %p = arith.cmpf ogt, %a, %zero : f32
      %q = arith.select %p, %k, %old : i32
      linalg.yield %q : i32
    } -> tensor<?x7xi32>
    return %y : tensor<?x7xi32>
  }

  // As long as its input, by a border.
  func.func @same_length(%x: tensor<?x5x?xf32> {sinter.name = "t", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x6x?xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %zero = arith.constant 0.0 : f32
    %w = sinter.weight "w" : tensor<6x5x3xf32>
    %b = tensor.dim %x, %c0 : tensor<?x5x?xf32>
    %n = tensor.dim %x, %c2 : tensor<?x5x?xf32>
    %p = tensor.pad %x low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %zero : f32 } : tensor<?x5x?xf32> to tensor<?x5x?xf32>
    %z = tensor.splat %zero[%b, %n] : tensor<?x6x?xf32>
    %y = linalg.conv_1d_ncw_fcw ins(%p, %w : tensor<?x5x?xf32>, tensor<6x5x3xf32>) outs(%z : tensor<?x6x?xf32>) -> tensor<?x6x?xf32>
    return %y : tensor<?x6x?xf32>
  }

  // Over a dynamic dimension: a padding tells that no place lies outside.
  func.func @same(%x: tensor<2x3x?xf32> {sinter.name = "row", sinter.dims = ["sequence"]}) -> (tensor<2x6x?xf32> {sinter.name = "same"}) {
    %c2 = arith.constant 2 : index
    %z = arith.constant 0.0 : f32
    %w = sinter.weight "v" : tensor<6x3x3xf32>
    %n = tensor.dim %x, %c2 : tensor<2x3x?xf32>
    %p = tensor.pad %x low[0, 0, 1] high[0, 0, 1] { ^bb0(%i: index, %j: index, %k: index):
      tensor.yield %z : f32 } : tensor<2x3x?xf32> to tensor<2x3x?xf32>
    %e = tensor.splat %z[%n] : tensor<2x6x?xf32>
    %y = linalg.conv_1d_ncw_fcw {dilations = dense<1> : tensor<1xi64>, strides = dense<1> : tensor<1xi64>}
        ins(%p, %w : tensor<2x3x?xf32>, tensor<6x3x3xf32>) outs(%e : tensor<2x6x?xf32>) -> tensor<2x6x?xf32>
    return %y : tensor<2x6x?xf32>
  }
}
