// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,33 --dim=source=1,16,40
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=sequence=9 --dim=source=90 --calls=2 --nasty

!q = tensor<?x?x4x8xf32>
!k = tensor<?x?x2x8xf32>
!v = tensor<?x?x2x5xf32>
!y = tensor<?x?x4x5xf32>
!m = tensor<?x1x?x?xf32>
!b = tensor<?x1x?x?xi1>
!l = tensor<?x?x4xf32>
!s = tensor<?x4x?x?xf32>

// Scores at the ends of f32.
module @extremes {
  // Every finite score counts: a row of the least number gives the mean.
  func.func @lowest(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]},
      %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]}, %r: !m {sinter.name = "r", sinter.dims = ["batch", "sequence", "source"]})
      -> (!y {sinter.name = "mean"}, !l {sinter.name = "mean_lse"}, !y {sinter.name = "some"}, !s {sinter.name = "weights"}) {
    %low = arith.constant -3.40282347e+38 : f32
    %zero = arith.constant 0.0 : f32
    %limit = arith.constant 0.5 : f32
    %all = sinter.broadcast %low like(%r) : f32, !m
    %none = sinter.broadcast %zero like(%r) : f32, !m
    %limits = sinter.broadcast %limit like(%r) : f32, !m
    %p = arith.cmpf olt, %r, %limits : !m
    %some = arith.select %p, %all, %none : !b, !m
    %mean, %lse = sinter.attention %q, %k, %v mask(%all : !m) lse : !q, !k, !v
    %y, %w = sinter.attention %q, %k, %v mask(%some : !m) weights : !q, !k, !v
    return %mean, %lse, %y, %w : !y, !l, !y, !s
  }

  // Numbers whose differences, or products with log2 e, overflow.
  func.func @huge(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]},
      %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]}) -> (!y {sinter.name = "high"}, !y {sinter.name = "low"}, !y {sinter.name = "both"}) {
    %high = sinter.attention %q, %k, %v causal : !q, !k, !v
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %c = arith.constant 3.0e+38 : f32
        sinter.yield %c : f32
      }
    %low = sinter.attention %q, %k, %v causal : !q, !k, !v
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %one = arith.constant 1 : index
        %c = arith.constant -3.0e+38 : f32
        %d = arith.constant -2.0e+38 : f32
        %m = arith.andi %j, %one : index
        %odd = arith.cmpi eq, %m, %one : index
        %r = arith.select %odd, %c, %d : f32
        sinter.yield %r : f32
      }
    %both = sinter.attention %q, %k, %v : !q, !k, !v
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %three = arith.constant 3 : index
        %c = arith.constant -3.0e+38 : f32
        %d = arith.constant 3.0e+38 : f32
        %zero = arith.constant 0 : index
        %m = arith.remui %j, %three : index
        %is = arith.cmpi eq, %m, %zero : index
        %r = arith.select %is, %d, %c : f32
        sinter.yield %r : f32
      }
    return %high, %low, %both : !y, !y, !y
  }

  // Far beyond where the rounding error of a score's product with log2 e is a factor that leaves the range, and just below.
  func.func @large(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]},
      %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]}) -> (!y {sinter.name = "y30"}, !y {sinter.name = "y10"}, !y {sinter.name = "same"}) {
    %y30 = sinter.attention %q, %k, %v scale(-1.0e+30) : !q, !k, !v
    %y10 = sinter.attention %q, %k, %v causal scale(3.0e+09) : !q, !k, !v
    %same = sinter.attention %q, %k, %v : !q, !k, !v
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %c = arith.constant 7.0e+08 : f32
        sinter.yield %c : f32
      }
    return %y30, %y10, %same : !y, !y, !y
  }

  // A row with +inf or NaN is NaN; weights of keys that do not count stay 0.
  func.func @infinite(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !k {sinter.name = "k", sinter.dims = ["batch", "source"]},
      %v: !v {sinter.name = "v", sinter.dims = ["batch", "source"]}, %r: !m {sinter.name = "r", sinter.dims = ["batch", "sequence", "source"]})
      -> (!y {sinter.name = "y"}, !l {sinter.name = "lse"}, !s {sinter.name = "scores"}, !s {sinter.name = "weights"}) {
    %zero = arith.constant 0.0 : f32
    %limit = arith.constant 0.9 : f32
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %z = sinter.broadcast %zero like(%r) : f32, !m
    %l = sinter.broadcast %low like(%r) : f32, !m
    %h = sinter.broadcast %high like(%r) : f32, !m
    %limits = sinter.broadcast %limit like(%r) : f32, !m
    %p = arith.cmpf ogt, %r, %limits : !m
    %n = arith.cmpf olt, %r, %z : !m
    %a = arith.select %p, %h, %z : !b, !m
    %m = arith.select %n, %l, %a : !b, !m
    %y, %lse, %s, %w = sinter.attention %q, %k, %v causal mask(%m : !m) lse scores weights : !q, !k, !v
    return %y, %lse, %s, %w : !y, !l, !s, !s
  }
}
