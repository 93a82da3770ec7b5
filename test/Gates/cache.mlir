// RUN: gate-kernels %s | FileCheck %s

!q = tensor<?x?x8x64xf32>
!kv = tensor<?x?x2x64xf32>

// Prefill and decode over a cache.
module @cache {
  sinter.state @kv dims ["batch", "context"] : !sinter.cache<heads = 2, key = 64, value = 64, f32>

  // CHECK: attention_0 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: Offset, Length, Rows
  func.func @prefill(%q: !q {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !kv {sinter.name = "k", sinter.dims = ["batch", "sequence"]}, %v: !kv {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (!q {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal append(@kv) lengths(%n : tensor<?xi64>) : !q, !kv, !kv
    return %y : !q
  }
  // CHECK: attention_1 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: Offset, Length, Rows
  sinter.entry @decode = @prefill with {sequence = 1}
}
