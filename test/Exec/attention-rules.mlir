// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,3 --dim=sequence=0,1,17,33 --dim=target=1,5
// RUN: sinter-run %s %sweep --dim=batch=2 --dim=sequence=19 --dim=target=3 --nasty

!q   = tensor<?x?x6x8xf32>
!kv  = tensor<?x?x2x8xf32>
!len = tensor<?xi64>

// Named forms and written rules: windows, prefixes, blocks, caps, slopes, buckets, sinks.
module @attention_rules {
  func.func @windows(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!q {sinter.name = "left"}, !q {sinter.name = "both"}, !q {sinter.name = "right"}, !q {sinter.name = "mistral"}) {
    %a = sinter.attention %q, %k, %v window(3, 0) lengths(%n : !len) : !q, !kv, !kv
    %b = sinter.attention %q, %k, %v window(2, 5) lengths(%n : !len) : !q, !kv, !kv
    %c = sinter.attention %q, %k, %v window(?, 4) lengths(%n : !len) : !q, !kv, !kv
    %d = sinter.attention %q, %k, %v causal window(6, ?) lengths(%n : !len) : !q, !kv, !kv
    return %a, %b, %c, %d : !q, !q, !q, !q
  }

  // Queries are the last of the keys, or stand where an operand says.
  func.func @cross_window(%q: !q {sinter.name = "qt", sinter.dims = ["batch", "target"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %o: !len {sinter.name = "offset", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}, !q {sinter.name = "z"}) {
    %y = sinter.attention %q, %k, %v causal window(4, ?) : !q, !kv, !kv
    %z = sinter.attention %q, %k, %v window(1, 2) offset(%o : !len) : !q, !kv, !kv
    return %y, %z : !q, !q
  }

  // Gemma's cap, ALiBi for heads whose number is no power of two, both at once and before a rule of the user.
  func.func @scores(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %m: tensor<6xf32> {sinter.name = "slopes"}) -> (!q {sinter.name = "capped"}, !q {sinter.name = "sloped"}, !q {sinter.name = "all"}) {
    %slopes = sinter.alibi_slopes : tensor<6xf32>
    %x = sinter.attention %q, %k, %v causal softcap(0.5) : !q, !kv, !kv
    %y = sinter.attention %q, %k, %v causal alibi(%slopes : tensor<6xf32>) : !q, !kv, !kv
    %z = sinter.attention %q, %k, %v scale(2.0) softcap(1.5) alibi(%m : tensor<6xf32>) : !q, !kv, !kv
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %r = arith.mulf %s, %s : f32
        sinter.yield %r : f32
      }
    return %x, %y, %z : !q, !q, !q
  }

  // A prefix that all see, then causal.
  func.func @prefix(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !len {sinter.name = "prefix", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %p = tensor.extract %n[%b] : !len
        %at = arith.index_cast %p : i64 to index
        %in = arith.cmpi slt, %j, %at : index
        %past = arith.cmpi sle, %j, %i : index
        %r = arith.ori %in, %past : i1
        sinter.yield %r : i1
      }
    return %y : !q
  }

  // Segments packed into one row: a query sees the keys of its own segment.
  func.func @segments(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %ids: tensor<?x?xi32> {sinter.name = "segments", sinter.dims = ["batch", "sequence"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %a = tensor.extract %ids[%b, %i] : tensor<?x?xi32>
        %c = tensor.extract %ids[%b, %j] : tensor<?x?xi32>
        %r = arith.cmpi eq, %a, %c : i32
        sinter.yield %r : i1
      }
    return %y : !q
  }

  // A window per head, and blocks of four of which each sees itself and the one before.
  func.func @per_head(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}, !q {sinter.name = "z"}) {
    %sizes = arith.constant dense<[1, 2, 4, 8, 16, 0]> : tensor<6xi64>
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %w = tensor.extract %sizes[%h] : tensor<6xi64>
        %n = arith.index_cast %w : i64 to index
        %d = arith.subi %i, %j : index
        %r = arith.cmpi slt, %d, %n : index
        sinter.yield %r : i1
      }
    %z = sinter.attention %q, %k, %v causal : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %bi = arith.divui %i, %c4 : index
        %bj = arith.divui %j, %c4 : index
        %next = arith.addi %bj, %c1 : index
        %r = arith.cmpi ule, %bi, %next : index
        sinter.yield %r : i1
      }
    return %y, %z : !q, !q
  }

  // A table of bias by bucket of distance, as in T5, here of 8 buckets.
  func.func @buckets(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %table: tensor<8x6xf32> {sinter.name = "table"}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v scale(1.0) : !q, !kv, !kv
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %c3 = arith.constant 3 : i32
        %c33 = arith.constant 33 : i32
        %d = arith.subi %j, %i : index
        %n = arith.index_cast %d : index to i32
        %a = math.absi %n : i32
        %sq = arith.muli %a, %a : i32
        %z = math.ctlz %sq : i32
        %log = arith.subi %c33, %z : i32
        %near = arith.cmpi slt, %a, %c3 : i32
        %bucket = arith.select %near, %a, %log : i32
        %at = arith.index_cast %bucket : i32 to index
        %r = tensor.extract %table[%at, %h] : tensor<8x6xf32>
        %sum = arith.addf %s, %r : f32
        sinter.yield %sum : f32
      }
    return %y : !q
  }

  // A sink per head, one that depends on the query, and one beside a mask that hides all keys of a head.
  func.func @sinks(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %sinks: tensor<6xf32> {sinter.name = "sinks"}, %rows: tensor<?x?xf32> {sinter.name = "rows", sinter.dims = ["batch", "sequence"]})
      -> (!q {sinter.name = "y"}, !q {sinter.name = "z"}, !q {sinter.name = "u"}) {
    %y = sinter.attention %q, %k, %v causal : !q, !kv, !kv
      sink(%b: index, %h: index, %i: index) {
        %z = tensor.extract %sinks[%h] : tensor<6xf32>
        sinter.yield %z : f32
      }
    %z = sinter.attention %q, %k, %v causal : !q, !kv, !kv
      sink(%b: index, %h: index, %i: index) {
        %r = tensor.extract %rows[%b, %i] : tensor<?x?xf32>
        sinter.yield %r : f32
      }
    %u = sinter.attention %q, %k, %v : !q, !kv, !kv
      mask(%b: index, %h: index, %i: index, %j: index) {
        %c1 = arith.constant 1 : index
        %r = arith.cmpi ne, %h, %c1 : index
        sinter.yield %r : i1
      }
      sink(%b: index, %h: index, %i: index) {
        %c = arith.constant 0.0 : f32
        sinter.yield %c : f32
      }
    return %y, %z, %u : !q, !q, !q
  }
}
