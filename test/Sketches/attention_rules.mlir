// RUN: sinter-run %s --compare --random-weights --threads=1,3 --target-cpu=x86-64-v2,x86-64-v3,x86-64-v4 --dim=batch=1 --dim=sequence=0,1,130 --dim=keys=67
// RUN: sinter-opt %s --sinter-model-pipeline --sinter-fusion-pipeline | FileCheck %s

// One kernel each beside the copy of the keys.
// CHECK-LABEL: func.func @signed_square
// CHECK-COUNT-1: fused.attention
// CHECK-NOT: fused.attention
// CHECK-LABEL: func.func @blocks
// CHECK: fused.attention
// CHECK: mask {
// CHECK-LABEL: func.func @block_table
// CHECK: fused.attention
// CHECK: fused.read
// CHECK-LABEL: func.func @alibi
// CHECK: fused.attention
// CHECK: sink captures

// Attention rules a user writes. score maps the scaled product s of query i and key j, mask says which keys count;
// i and j are absolute positions. Both see outside tensors, through tensor.extract, which clamps.
!heads = tensor<?x?x8x64xf32>
!map   = tensor<64x64xi1>

module @rules {
  // A score no library has: s * |s|.
  func.func @signed_square(%q: !heads {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (!heads {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v : !heads, !heads, !heads
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %m = math.absf %s : f32
        %r = arith.mulf %s, %m : f32
        sinter.yield %r : f32
      }
    return %y : !heads
  }

  // Block rule: a block of 64 queries sees its own block, the one before, and every fourth one; causal inside.
  func.func @blocks(%q: !heads {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["batch", "sequence"]}) -> (!heads {sinter.name = "y"}) {
    %y = sinter.attention %q, %k, %v causal : !heads, !heads, !heads
      mask(%b: index, %h: index, %i: index, %j: index) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c64 = arith.constant 64 : index
        %bi = arith.divui %i, %c64 : index
        %bj = arith.divui %j, %c64 : index
        %next = arith.addi %bj, %c1 : index
        %near = arith.cmpi ule, %bi, %next : index
        %rest = arith.remui %bj, %c4 : index
        %far = arith.cmpi eq, %rest, %c0 : index
        %seen = arith.ori %near, %far : i1
        sinter.yield %seen : i1
      }
    return %y : !heads
  }

  // The same kind of rule from a table given at run time: the read is constant over a block, so blocks can be skipped.
  func.func @block_table(%q: !heads {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["batch", "sequence"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["batch", "sequence"]},
      %table: !map {sinter.name = "table"}) -> (!heads {sinter.name = "y"}) {
    %c64 = arith.constant 64 : index
    %y = sinter.attention %q, %k, %v : !heads, !heads, !heads
      mask(%b: index, %h: index, %i: index, %j: index) {
        %bi = arith.divui %i, %c64 : index
        %bj = arith.divui %j, %c64 : index
        %seen = tensor.extract %table[%bi, %bj] : !map
        sinter.yield %seen : i1
      }
    return %y : !heads
  }

  // ALiBi (Press et al. 2021): s + slope[h] (j - i), causal, with an attention sink per head.
  func.func @alibi(%q: !heads {sinter.name = "q", sinter.dims = ["batch", "sequence"]},
      %k: !heads {sinter.name = "k", sinter.dims = ["batch", "keys"]},
      %v: !heads {sinter.name = "v", sinter.dims = ["batch", "keys"]}) -> (!heads {sinter.name = "y"}) {
    %slopes = arith.constant dense<[0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625]> : tensor<8xf32>
    %sinks = sinter.weight "sinks" from("sinks.safetensors") : tensor<8xf32>
    %y = sinter.attention %q, %k, %v causal : !heads, !heads, !heads
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %d = arith.subi %j, %i : index
        %n = arith.index_cast %d : index to i32
        %f = arith.sitofp %n : i32 to f32
        %slope = tensor.extract %slopes[%h] : tensor<8xf32>
        %bias = arith.mulf %slope, %f : f32
        %r = arith.addf %s, %bias : f32
        sinter.yield %r : f32
      }
      sink(%b: index, %h: index, %i: index) {
        %z = tensor.extract %sinks[%h] : tensor<8xf32>
        sinter.yield %z : f32
      }
    return %y : !heads
  }
}
