// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7 --dim=places=1,9

!x = tensor<?x?x6xf32>
!m = tensor<?x?x8xf32>
!h = tensor<?x8xf32>
!y = tensor<?x?x8xf32>
!q = tensor<?x1x1x8xf32>
!k = tensor<?x?x1x8xf32>
!n = tensor<?xi64>

// Steps that are no recurrence over units: attention inside of them. Each is a loop of kernels.
module @loops attributes {sinter.archive = "loops.safetensors"} {
  // A decoder that reads its input through attention over a memory, whose query is its state.
  func.func @attends(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %m: !m {sinter.name = "m", sinter.dims = ["batch", "places"]},
      %n: !n {sinter.name = "n", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}, !h {sinter.name = "last"}) {
    %c0 = arith.constant 0 : index
    %w, %u, %v, %wk = sinter.weight "w", "u", "v", "wk" : tensor<8x6xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
    %b = tensor.dim %m, %c0 : !m
    %p = sinter.linear %m, %wk : !m, tensor<8x8xf32>
    %k = sinter.split_heads %p [1] : !m
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) lengths(%n : !n) reverse -> (!y, !h) {
      %q = tensor.expand_shape %h [[0], [1, 2, 3]] output_shape [%b, 1, 1, 8] : !h into !q
      %a = sinter.attention %q, %k, %k : !q, !k, !k
      %c = tensor.collapse_shape %a [[0], [1, 2, 3]] : !q into !h
      %xs = sinter.linear %xt, %w : tensor<?x6xf32>, tensor<8x6xf32>
      %cs = sinter.linear %c, %u : !h, tensor<8x8xf32>
      %hs = sinter.linear %h, %v : !h, tensor<8x8xf32>
      %s0 = arith.addf %xs, %cs : !h
      %s1 = arith.addf %s0, %hs : !h
      %new = math.tanh %s1 : !h
      sinter.yield each(%new : !h) carry(%new : !h)
    }
    return %y, %last : !y, !h
  }

  // Two states that change places, and no lengths.
  func.func @swap(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %m: !m {sinter.name = "m", sinter.dims = ["batch", "places"]},
      %a0: !h {sinter.name = "a0", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}, !h {sinter.name = "a"}, !h {sinter.name = "b"}) {
    %c0 = arith.constant 0 : index
    %w = sinter.weight "w" : tensor<8x6xf32>
    %n = tensor.dim %m, %c0 : !m
    %k = sinter.split_heads %m [1] : !m
    %y, %a1, %b1 = sinter.scan each(%xt = %x : !x) carry(%a = %a0 : !h, %b = zero : !h) reverse -> (!y, !h, !h) {
      %xs = sinter.linear %xt, %w : tensor<?x6xf32>, tensor<8x6xf32>
      %q = tensor.expand_shape %xs [[0], [1, 2, 3]] output_shape [%n, 1, 1, 8] : !h into !q
      %c = sinter.attention %q, %k, %k : !q, !k, !k
      %d = tensor.collapse_shape %c [[0], [1, 2, 3]] : !q into !h
      %e = arith.addf %d, %a : !h
      sinter.yield each(%e : !h) carry(%b, %a : !h, !h)
    }
    return %y, %a1, %b1 : !y, !h, !h
  }

  // A convolution over the state, and a number of steps that is constant.
  func.func @convolves(%x: tensor<2x3x4xf32> {sinter.name = "c"}) -> (tensor<2x4xf32> {sinter.name = "last"}) {
    %last = sinter.scan each(%xt = %x : tensor<2x3x4xf32>) carry(%h = zero : tensor<2x4xf32>) reverse -> tensor<2x4xf32> {
      %k = arith.constant dense<[1.0, 2.0, -0.5]> : tensor<3xf32>
      %zero = arith.constant 0.0 : f32
      %z = arith.constant dense<0.0> : tensor<2x4xf32>
      %p = tensor.pad %h low[0, 1] high[0, 1] { ^bb0(%i: index, %j: index):
        tensor.yield %zero : f32 } : tensor<2x4xf32> to tensor<2x6xf32>
      %c = linalg.generic {indexing_maps = [affine_map<(b, i, k) -> (b, i + k)>, affine_map<(b, i, k) -> (k)>, affine_map<(b, i, k) -> (b, i)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p, %k : tensor<2x6xf32>, tensor<3xf32>) outs(%z : tensor<2x4xf32>) {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %m = arith.mulf %a, %b : f32
        %s = arith.addf %m, %sum : f32
        linalg.yield %s : f32
      } -> tensor<2x4xf32>
      %s = arith.addf %c, %xt : tensor<2x4xf32>
      %new = math.tanh %s : tensor<2x4xf32>
      sinter.yield carry(%new : tensor<2x4xf32>)
    }
    return %last : tensor<2x4xf32>
  }
}
