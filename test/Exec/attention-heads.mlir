// RUN: sinter-run %s %sweep --calls=2 --dim=batch=1,2 --dim=sequence=0,1,18 --dim=target=1,7 --dim=context=40 --entry=one_to_one --entry=eight_to_one --entry=six_to_two --entry=five_to_five --entry=seven
// RUN: sinter-run %s %sweep --calls=4 --dim=batch=2 --dim=context=40 --dim=sequence=1,9 --entry=append --entry=decode
// RUN: sinter-run %s %sweep --calls=3 --dim=batch=2 --dim=context=33 --dim=sequence=11 --dim=target=4 --dim=total=33 --entry=append --entry=look --entry=masked

!q7  = tensor<?x?x6x7xf32>
!k7  = tensor<?x?x2x7xf32>
!v3  = tensor<?x?x2x3xf32>
!y3  = tensor<?x?x6x3xf32>
!len = tensor<?xi64>

// Heads in any group, key and value sizes that are no multiple of anything; the same with a cache.
module @attention_heads {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 7, value = 3, f32>

  func.func @one_to_one(%q: tensor<?x?x1x5xf32> {sinter.name = "q", sinter.dims = ["batch", "target"]},
      %k: tensor<?x?x1x5xf32> {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: tensor<?x?x1x1xf32> {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x1x1xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x1x5xf32>, tensor<?x?x1x5xf32>, tensor<?x?x1x1xf32>
    return %y : tensor<?x?x1x1xf32>
  }

  func.func @eight_to_one(%q: tensor<?x?x8x16xf32> {sinter.name = "q", sinter.dims = ["batch", "target"]},
      %k: tensor<?x?x1x16xf32> {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: tensor<?x?x1x33xf32> {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x8x33xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x8x16xf32>, tensor<?x?x1x16xf32>, tensor<?x?x1x33xf32>
    return %y : tensor<?x?x8x33xf32>
  }

  func.func @six_to_two(%q: !q7 {sinter.name = "q", sinter.dims = ["batch", "target"]}, %k: !k7 {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: !v3 {sinter.name = "v", sinter.dims = ["batch", "sequence"]}, %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (!y3 {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v lengths(%n : !len) : !q7, !k7, !v3
    return %y : !y3
  }

  func.func @five_to_five(%q: tensor<?x?x5x1xf32> {sinter.name = "q", sinter.dims = ["batch", "target"]},
      %k: tensor<?x?x5x1xf32> {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: tensor<?x?x5x64xf32> {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x5x64xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : tensor<?x?x5x1xf32>, tensor<?x?x5x1xf32>, tensor<?x?x5x64xf32>
    return %y : tensor<?x?x5x64xf32>
  }

  func.func @seven(%q: tensor<?x?x7x9xf32> {sinter.name = "q", sinter.dims = ["batch", "target"]},
      %k: tensor<?x?x7x9xf32> {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: tensor<?x?x7x17xf32> {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x7x17xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v window(6, 0) : tensor<?x?x7x9xf32>, tensor<?x?x7x9xf32>, tensor<?x?x7x17xf32>
    return %y : tensor<?x?x7x17xf32>
  }

  // Mistral's window, slopes, a sink and the log-sum-exp over a cache.
  func.func @append(%q: !q7 {sinter.name = "q", sinter.dims = ["batch", "sequence"]}, %k: !k7 {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: !v3 {sinter.name = "v", sinter.dims = ["batch", "sequence"]}, %m: tensor<6xf32> {sinter.name = "slopes"},
      %n: !len {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!y3 {sinter.name = "y"}, tensor<?x?x6xf32> {sinter.name = "lse"}) {
    %y, %l = sinter.attention %q, %k, %v causal window(7, ?) alibi(%m : tensor<6xf32>) append(@kv) lengths(%n : !len) lse : !q7, !k7, !v3
      sink(%b: index, %h: index, %i: index) {
        %z = tensor.extract %m[%h] : tensor<6xf32>
        sinter.yield %z : f32
      }
    return %y, %l : !y3, tensor<?x?x6xf32>
  }
  sinter.entry @decode = @append with {sequence = 1}

  // Queries that are the last of the cache's positions.
  func.func @look(%q: !q7 {sinter.name = "t", sinter.dims = ["batch", "target"]}) -> (!y3 {sinter.name = "y"}, tensor<?x?x6xf32> {sinter.name = "lse"}) {
    %y, %l = sinter.attention %q from(@kv) causal lse : !q7 -> !y3
    return %y, %l : !y3, tensor<?x?x6xf32>
  }

  // Mask operands over what is cached: a row per query, a column per position.
  func.func @masked(%q: !q7 {sinter.name = "t", sinter.dims = ["batch", "target"]},
      %m: tensor<?x1x?x?xi1> {sinter.name = "boolean", sinter.dims = ["batch", "target", "total"]},
      %f: tensor<1x6x1x?xf32> {sinter.name = "additive", sinter.dims = ["total"]}) -> (!y3 {sinter.name = "y"}, !y3 {sinter.name = "z"}) {
    %y = sinter.attention %q from(@kv) mask(%m : tensor<?x1x?x?xi1>) : !q7 -> !y3
    %z = sinter.attention %q from(@kv) causal mask(%f : tensor<1x6x1x?xf32>) : !q7 -> !y3
    return %y, %z : !y3, !y3
  }
}
