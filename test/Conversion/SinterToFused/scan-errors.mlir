// RUN: sinter-opt %s --convert-sinter-to-fused --split-input-file --verify-diagnostics

!y = tensor<?x?x8xf32>
!h = tensor<?x8xf32>

// Each row of the batch attends to its own memory.
func.func @attends(%x: !y {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %m: tensor<?x?x8xf32> {sinter.name = "m", sinter.dims = ["batch", "source"]}) -> (!y {sinter.name = "y"}) {
  %y, %last = sinter.scan each(%xt = %x : !y) carry(%h = zero : !h) -> (!y, !h) {
    %s = arith.addf %xt, %h : !h
    %c0 = arith.constant 0 : index
    %b = tensor.dim %s, %c0 : !h
    %q = tensor.expand_shape %s [[0], [1, 2]] output_shape [%b, 1, 8] : !h into tensor<?x1x8xf32>
    %p = sinter.matmul %q, %m transpose_rhs : tensor<?x1x8xf32>, tensor<?x?x8xf32>
    %w = sinter.softmax %p : tensor<?x1x?xf32>
    // expected-error@+2 {{'sinter.matmul' is not lowered to a kernel yet: in a scan, it is no projection, norm or element-wise arithmetic}}
    // expected-note@+1 {{a step is made of projections, norms and element-wise arithmetic on rows [B, W]}}
    %a = sinter.matmul %w, %m : tensor<?x1x?xf32>, tensor<?x?x8xf32>
    %h1 = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x1x8xf32> into !h
    sinter.yield each(%h1 : !h) carry(%h1 : !h)
  }
  return %y : !y
}

// -----

!y = tensor<?x?x8xf32>
!h = tensor<?x8xf32>

func.func @row_number(%x: !y {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
    %w: tensor<1x8xf32> {sinter.name = "w"}) -> (!y {sinter.name = "y"}) {
  %y, %last = sinter.scan each(%xt = %x : !y) carry(%h = zero : !h) -> (!y, !h) {
    %g = sinter.linear %h, %w : !h, tensor<1x8xf32>
    // expected-error@+2 {{in a scan, it repeats a number that the step computes}}
    // expected-note@+1 {{a step is made of projections}}
    %gs = sinter.broadcast %g like(%h) : tensor<?x1xf32>, !h
    %h1 = arith.mulf %gs, %xt : !h
    sinter.yield each(%h1 : !h) carry(%h1 : !h)
  }
  return %y : !y
}

// -----

!y = tensor<?x?x8xi64>
!h = tensor<?x8xi64>

func.func @integers(%x: !y {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!h {sinter.name = "y"}) {
  %last = sinter.scan each(%xt = %x : !y) carry(%h = zero : !h) -> !h {
    %h1 = arith.addi %h, %xt : !h
    // expected-error@+2 {{in a scan, it yields something else than rows [B, W] of f32}}
    // expected-note@+1 {{a step is made of projections}}
    sinter.yield carry(%h1 : !h)
  }
  return %last : !h
}
