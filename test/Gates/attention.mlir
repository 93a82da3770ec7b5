// RUN: gate-kernels %s | FileCheck %s

module @attention {
  // CHECK: attention_0 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: none
  func.func @head32(%q: tensor<?x?x8x32xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x8x32xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x8x32xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x8x32xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v  : tensor<?x?x8x32xf32>, tensor<?x?x8x32xf32>, tensor<?x?x8x32xf32>
    return %y : tensor<?x?x8x32xf32>
  }

  // CHECK: attention_1 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: Offset
  func.func @head64(%q: tensor<?x?x8x64xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x8x64xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x8x64xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x8x64xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>, tensor<?x?x8x64xf32>
    return %y : tensor<?x?x8x64xf32>
  }

  func.func @head96(%q: tensor<?x?x4x96xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x4x96xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x4x96xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x4x96xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal window(128, 0) : tensor<?x?x4x96xf32>, tensor<?x?x4x96xf32>, tensor<?x?x4x96xf32>
    return %y : tensor<?x?x4x96xf32>
  }

  // CHECK: attention_3 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: Offset
  func.func @head128(%q: tensor<?x?x8x128xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x2x128xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x2x128xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x8x128xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal softcap(30.0) : tensor<?x?x8x128xf32>, tensor<?x?x2x128xf32>, tensor<?x?x2x128xf32>
    return %y : tensor<?x?x8x128xf32>
  }

  func.func @head256(%q: tensor<?x?x4x256xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x1x256xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x1x256xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x4x256xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : tensor<?x?x4x256xf32>, tensor<?x?x1x256xf32>, tensor<?x?x1x256xf32>
    return %y : tensor<?x?x4x256xf32>
  }

  // CHECK: attention_5 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: none
  func.func @head20(%q: tensor<?x?x3x20xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x3x20xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x3x20xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (tensor<?x?x3x20xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v  : tensor<?x?x3x20xf32>, tensor<?x?x3x20xf32>, tensor<?x?x3x20xf32>
    return %y : tensor<?x?x3x20xf32>
  }

  // A combination of query and key that is no product; values wider than a block of many queries takes.
  // CHECK: attention_6 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: combine_in2
  func.func @additive(%q: tensor<?x?x256xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x256xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x1024xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]}, %w: tensor<256xf32> {sinter.name = "w"})
      -> (tensor<?x?x1024xf32> {sinter.name = "y"}) {
    %y = sinter.additive_attention %q, %k, %v, %w : tensor<?x?x256xf32>, tensor<?x?x256xf32>, tensor<?x?x1024xf32>, tensor<256xf32>
    return %y : tensor<?x?x1024xf32>
  }

  // All further results, eight heads in a block of few queries.
  // CHECK: attention_7 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Query, Key, Value, Out; less: Offset, Length, LogSumExp, Weights
  func.func @results(%q: tensor<?x?x8x64xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x1x64xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x1x64xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]})
      -> (tensor<?x?x8x64xf32> {sinter.name = "y"}, tensor<?x?x8xf32> {sinter.name = "l"}, tensor<?x8x?x?xf32> {sinter.name = "p"}) {
    %y, %l, %p = sinter.attention %q, %k, %v causal lengths(%n : tensor<?xi64>) lse weights : tensor<?x?x8x64xf32>, tensor<?x?x1x64xf32>, tensor<?x?x1x64xf32>
    return %y, %l, %p : tensor<?x?x8x64xf32>, tensor<?x?x8xf32>, tensor<?x8x?x?xf32>
  }

  // A score and a mask that no library has: tiles are asked one by one.
  func.func @unknown(%q: tensor<?x?x4x64xf32> {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: tensor<?x?x4x64xf32> {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: tensor<?x?x4x64xf32> {sinter.name = "v", sinter.dims = ["batch", "keys"]},
      %t: tensor<?x?xi64> {sinter.name = "table", sinter.dims = ["rows", "columns"]}) -> (tensor<?x?x4x64xf32> {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : tensor<?x?x4x64xf32>, tensor<?x?x4x64xf32>, tensor<?x?x4x64xf32>
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
      mask(%b: index, %h: index, %i: index, %j: index) {
        %block = arith.constant 64 : index
        %one = arith.constant 1 : i64
        %qb = arith.divui %i, %block : index
        %kb = arith.divui %j, %block : index
        %entry = tensor.extract %t[%qb, %kb] : tensor<?x?xi64>
        %seen = arith.cmpi sge, %entry, %one : i64
        sinter.yield %seen : i1
      }
    return %y : tensor<?x?x4x64xf32>
  }
}
