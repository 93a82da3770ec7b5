// RUN: sinter-run %s %sweep --entry=append --entry=decode --calls=5 --dim=batch=1,3 --dim=context=40 --dim=sequence=0,1,7,16
// RUN: sinter-run %s %sweep --entry=append --entry=look --calls=3 --dim=batch=3 --dim=context=33 --dim=sequence=11 --dim=target=4
// RUN: sinter-run %s %sweep --entry=fill --entry=look --calls=3 --dim=batch=1,3 --dim=context=17 --dim=sequence=0,1,16,17 --dim=target=1,5
// RUN: sinter-run %s %sweep --entry=append --entry=start_again --calls=4 --dim=batch=2 --dim=context=18 --dim=sequence=9 --nasty

!q  = tensor<?x?x4x8xf32>
!kv = tensor<?x?x2x8xf32>
!v  = tensor<?x?x2x20xf32>
!y  = tensor<?x?x4x20xf32>
!n  = tensor<?xi64>

// The cache's memory starts as NaN: what lies behind a row's cursor must never matter.
module @attention_cache {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 8, value = 20, f32>

  func.func @append(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!y {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal append(@kv) lengths(%n : !n) : !q, !kv, !v
    return %y : !y
  }

  // One row at a time has a kernel of its own.
  sinter.entry @decode = @append with {sequence = 1}

  func.func @look(%q: !q {sinter.name = "t", sinter.dims = ["batch", "target"]}) -> (!y {sinter.name = "y"}) {
    %y = sinter.attention %q from(@kv) : !q -> !y
    return %y : !y
  }

  func.func @fill(%k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !v {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) {
    sinter.fill @kv, %k, %v lengths(%n : !n) : !kv, !v
    return
  }

  func.func @start_again(%x: tensor<?x1xf32> {sinter.name = "x", sinter.dims = ["batch"]}) -> (tensor<?x1xf32> {sinter.name = "z"}) {
    sinter.restart "context"
    return %x : tensor<?x1xf32>
  }
}
