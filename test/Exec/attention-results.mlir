// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,17,33 --dim=target=0,1,5
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=sequence=19 --dim=target=3 --nasty

!q   = tensor<?x?x6x8xf32>
!kv  = tensor<?x?x2x8xf32>
!l   = tensor<?x?x6xf32>
!p   = tensor<?x6x?x?xf32>
!len = tensor<?xi64>

// Results beside the mixture. Where no key counts the log-sum-exp is -inf, weights are 0, scores -inf.
module @attention_results {
  func.func @all(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!q {sinter.name = "y"}, !l {sinter.name = "lse"}, !p {sinter.name = "scores"}, !p {sinter.name = "weights"}) {
    %y, %l, %s, %p = sinter.attention %q, %k, %v lengths(%n : !len) lse scores weights : !q, !kv, !kv
    return %y, %l, %s, %p : !q, !l, !p, !p
  }

  sinter.entry @only_lse = @all keep ["lse"]
  sinter.entry @only_scores = @all keep ["scores"]
  sinter.entry @only_weights = @all keep ["weights"]

  func.func @causal(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %m: tensor<?x1x?x?xf32> {sinter.name = "additive", sinter.dims = ["batch", "target", "sequence"]})
      -> (!l {sinter.name = "lse"}, !p {sinter.name = "weights"}) {
    %y, %l, %p = sinter.attention %q, %k, %v causal window(5, ?) softcap(3.0) mask(%m : tensor<?x1x?x?xf32>) lse weights : !q, !kv, !kv
    return %l, %p : !l, !p
  }

  // The sink is part of the sum, so the weights of a row add up to less than 1.
  func.func @sink(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}, %sinks: tensor<6xf32> {sinter.name = "sinks"})
      -> (!q {sinter.name = "y"}, !l {sinter.name = "lse"}, !p {sinter.name = "weights"}) {
    %y, %l, %p = sinter.attention %q, %k, %v lengths(%n : !len) lse weights : !q, !kv, !kv
      sink(%b: index, %h: index, %i: index) {
        %z = tensor.extract %sinks[%h] : tensor<6xf32>
        sinter.yield %z : f32
      }
    return %y, %l, %p : !q, !l, !p
  }

  // An attention in two halves, joined by their log-sum-exps.
  func.func @joined(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %batch = tensor.dim %q, %c0 : !q
    %time = tensor.dim %q, %c1 : !q
    %a, %la = sinter.attention %q, %k, %v lse : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %c7 = arith.constant 7 : index
        %r = arith.cmpi slt, %j, %c7 : index
        sinter.yield %r : i1
      }
    %c, %lc = sinter.attention %q, %k, %v lse : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %c7 = arith.constant 7 : index
        %r = arith.cmpi sge, %j, %c7 : index
        sinter.yield %r : i1
      }
    // The part of the second half is sigmoid(lse2 - lse1): no key at all gives -inf there, and 0.
    %d = arith.subf %lc, %la : !l
    %w = sinter.sigmoid %d : !l
    %w4 = tensor.expand_shape %w [[0], [1], [2, 3]] output_shape [%batch, %time, 6, 1] : tensor<?x?x6xf32> into tensor<?x?x6x1xf32>
    %ww = sinter.broadcast %w4 like(%a) : tensor<?x?x6x1xf32>, !q
    %e = arith.subf %c, %a : !q
    %f = arith.mulf %e, %ww : !q
    %y = arith.addf %a, %f : !q
    return %y : !q
  }
}
