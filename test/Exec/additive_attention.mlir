// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=source=0,1,17,33 --dim=target=0,1,5
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=source=19 --dim=target=3 --nasty

!row = tensor<?x19xf32>
!qs  = tensor<?x?x19xf32>
!vs  = tensor<?x?x5xf32>
!w   = tensor<19xf32>
!len = tensor<?xi64>

// Bahdanau's score. Padded keys are NaN and must not matter.
module @additive_attention {
  func.func @step(%q: !row {sinter.name = "q", sinter.dims = ["batch"]}, %k: !qs {sinter.name = "k", sinter.dims = ["batch", "source"]},
      %v: !vs {sinter.name = "v", sinter.dims = ["batch", "source"]}, %w: !w {sinter.name = "w"},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x5xf32> {sinter.name = "y"}, tensor<?x?xf32> {sinter.name = "p", sinter.dims = ["batch", "source"]}) {
    %y, %p = sinter.additive_attention %q, %k, %v, %w lengths(%n : !len) weights : !row, !qs, !vs, !w
    return %y, %p : tensor<?x5xf32>, tensor<?x?xf32>
  }

  sinter.entry @without_weights = @step keep ["y"]
  sinter.entry @only_weights = @step keep ["p"]

  func.func @sequence(%q: !qs {sinter.name = "qt", sinter.dims = ["batch", "target"]}, %k: !qs {sinter.name = "k", sinter.dims = ["batch", "source"]},
      %v: !vs {sinter.name = "v", sinter.dims = ["batch", "source"]}, %w: !w {sinter.name = "w"},
      %m: tensor<?x1x?xi1> {sinter.name = "boolean", sinter.dims = ["batch", "source"]},
      %f: tensor<1x?x?xf32> {sinter.name = "additive", sinter.dims = ["target", "source"]})
      -> (!vs {sinter.name = "y"}, tensor<?x?x?xf32> {sinter.name = "p"}, !vs {sinter.name = "z"}) {
    %y, %p = sinter.additive_attention %q, %k, %v, %w mask(%m : tensor<?x1x?xi1>) weights : !qs, !qs, !vs, !w
    %z = sinter.additive_attention %q, %k, %v, %w mask(%f : tensor<1x?x?xf32>) : !qs, !qs, !vs, !w
    return %y, %p, %z : !vs, tensor<?x?x?xf32>, !vs
  }

  // A combine region of a user, with heads in groups: minus the distance, a weight per head and place.
  func.func @combine(%q: tensor<?x?x4x19xf32> {sinter.name = "qh", sinter.dims = ["batch", "target"]},
      %k: tensor<?x?x2x19xf32> {sinter.name = "kh", sinter.dims = ["batch", "source"]},
      %v: tensor<?x?x2x5xf32> {sinter.name = "vh", sinter.dims = ["batch", "source"]}, %w: tensor<4x19xf32> {sinter.name = "wh"})
      -> (tensor<?x?x4x5xf32> {sinter.name = "y"}, tensor<?x?x4x5xf32> {sinter.name = "z"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x4x19xf32>, tensor<?x?x2x19xf32>, tensor<?x?x2x5xf32>
      combine(%a: f32, %b: f32, %h: index, %d: index) {
        %g = tensor.extract %w[%h, %d] : tensor<4x19xf32>
        %s = arith.subf %a, %b : f32
        %m = math.absf %s : f32
        %n = arith.negf %m : f32
        %r = arith.mulf %g, %n : f32
        sinter.yield %r : f32
      }
    %z = sinter.attention %q, %k, %v : tensor<?x?x4x19xf32>, tensor<?x?x2x19xf32>, tensor<?x?x2x5xf32>
      combine(%a: f32, %b: f32, %h: index, %d: index) {
        %c2 = arith.constant 2 : index
        %c0 = arith.constant 0 : index
        %c3 = arith.constant 3.0 : f32
        %rem = arith.remui %d, %c2 : index
        %even = arith.cmpi eq, %rem, %c0 : index
        %p = arith.mulf %a, %b : f32
        %t = arith.mulf %p, %c3 : f32
        %r = arith.select %even, %t, %p : f32
        sinter.yield %r : f32
      }
    return %y, %z : tensor<?x?x4x5xf32>, tensor<?x?x4x5xf32>
  }
}
