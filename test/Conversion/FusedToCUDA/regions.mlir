// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file | FileCheck %s

// Integers wrap around and divide by anything; floats compare as their predicates say.

!t = memref<?xi32>

// CHECK: name = "integers"
// CHECK-SAME: add(a0, v0);
// CHECK-SAME: divideFloor(v1, a0);
// CHECK-SAME: bare(v2) < bare(a0);
// CHECK-SAME: i64(bare(a0));
// CHECK-SAME: shiftLeft(v4, v4);
// CHECK-SAME: v3 ? v6 : v2;
fused.kernel @integers {
^bb0(%x: !t, %y: !t):
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: i32):
    %k = arith.constant -7 : i32
    %s = arith.addi %a, %k : i32
    %q = arith.floordivsi %s, %a : i32
    %c = arith.cmpi ult, %q, %a : i32
    %w = arith.extui %a : i32 to i64
    %l = arith.shli %w, %w : i64
    %n = arith.trunci %l : i64 to i32
    %r = arith.select %c, %n, %q : i32
    fused.yield %r : i32
  }
}

// -----

// An i1 has a sign, too; in memory it is a byte.

!t = memref<?xi1>

// CHECK: name = "booleans"
// CHECK-SAME: using Element = boolean;{{.*}}using Scalar = bool;
// CHECK-SAME: (largerSigned(withSign(a0), withSign(a1)) & 1) != 0;
// CHECK-SAME: float(withSign(v0));
// CHECK-SAME: withSign(a0) < withSign(a1);
fused.kernel @booleans {
^bb0(%x: !t, %z: !t, %y: memref<?xf32>):
  fused.map dims(i) ins(%x by (i), %z by (i) : !t, !t) outs(%y by (i) : memref<?xf32>) {
  ^bb0(%a: i1, %b: i1):
    %m = arith.maxsi %a, %b : i1
    %f = arith.sitofp %m : i1 to f32
    %c = arith.cmpi slt, %a, %b : i1
    %z1 = arith.constant 0.0 : f32
    %r = arith.select %c, %f, %z1 : f32
    fused.yield %r : f32
  }
}

// -----

// Constants keep their bits; double is computed in double.

!t = memref<?xf32>

// CHECK: name = "floats"
// CHECK-SAME: double(a0);
// CHECK-SAME: cos(v0);
// CHECK-SAME: float(v1);
// CHECK-SAME: bitCast<float>(u32(4286578688u));
// CHECK-SAME: !(v2 <= v3);
// CHECK-SAME: 0.100000001f;
// CHECK-SAME: maximum(v2, v5);
fused.kernel @floats {
^bb0(%x: !t, %y: !t):
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: f32):
    %w = arith.extf %a : f32 to f64
    %c = math.cos %w : f64
    %n = arith.truncf %c : f64 to f32
    %low = arith.constant 0xFF800000 : f32
    %p = arith.cmpf ugt, %n, %low : f32
    %t = arith.constant 0.1 : f32
    %m = arith.maximumf %n, %t : f32
    %r = arith.select %p, %m, %a : f32
    fused.yield %r : f32
  }
}
