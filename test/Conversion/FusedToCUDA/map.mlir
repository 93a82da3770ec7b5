// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file --verify-diagnostics | FileCheck %s

// An unknown activation is a region like any other. Rows of 68 numbers leave rows aligned if the tensor is: four numbers
// per access then.

!t = memref<?x68xf32>

// CHECK: fused.device_kernels = [{{.*}}name = "activation"{{.*}}template = "map"
// CHECK-SAME: static constexpr int lanes = 4;
// CHECK-SAME: struct point_in0 {{.*}} step = 1, lanes = 16;{{.*}}return isMultiple<16>(args.slot[0]) && even(args);{{.*}} + (p[0] * 68 + p[1]);
// CHECK-SAME: float point_region(const Arguments &args, Status *status, float a0) {
// CHECK-SAME: const float v0 = absolute(a0);{{.*}}const float v1 = a0 * v0;{{.*}}return v1;
// CHECK-SAME: SINTER_KERNEL(activation, sinter::activation_spec, sinter::map)
// CHECK-SAME: threads = 256
// CHECK: llvm.func internal @activation_tasks(
// CHECK: llvm.func internal @activation_steps(
fused.kernel @activation {
^bb0(%x: !t, %y: !t):
  fused.map dims(m, j) ins(%x by (m, j) : !t) outs(%y by (m, j) : !t) {
  ^bb0(%a: f32):
    %s = math.absf %a : f32
    %r = arith.mulf %a, %s : f32
    fused.yield %r : f32
  }
}

// -----

// Rows of 67 numbers start anywhere.

!t = memref<?x67xf32>

// CHECK: name = "odd"
// CHECK-SAME: static constexpr int lanes = 1;
fused.kernel @odd {
^bb0(%x: !t, %y: !t):
  fused.map dims(m, j) ins(%x by (m, j) : !t) outs(%y by (m, j) : !t) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}

// -----

// A stride that the launch tells becomes a condition. A read whose last index counts with the lanes is a row of the table:
// it is read as wide as others; a reported one tells of clamping.

!ids = memref<?xi32>
!table = memref<512x?xf32>
!t = memref<?x?xf32>

// CHECK: name = "embedding"
// CHECK-SAME: struct point_out0 {{.*}}return (args.slot[6]) % 4 == 0;{{.*}}return isMultiple<16>(args.slot[4]) && even(args);
// CHECK-SAME: struct point_gather0 {{.*}}return (args.slot[3]) % 4 == 0;
// CHECK-SAME: Indices<rank> extents{{.*}}512, args.slot[3]
// CHECK-SAME: i64 point_place0({{.*}}i32 a0)
// CHECK-SAME: gather<N, point_gather0, Wide>(args, {i64(place0), p[1]}, outside0);
// CHECK-SAME: if (outside0) {{.*}}reportClamp(status);
fused.kernel @embedding {
^bb0(%ids: !ids, %table: !table, %y: !t):
  fused.map dims(m, j) ins(%ids by (m), %table : !ids, !table) outs(%y by (m, j) : !t) index(j) {
  ^bb0(%id: i32, %all: !table, %j: index):
    %i = arith.index_cast %id : i32 to index
    %r = fused.read %all[%i, %j] {reports} : !table
    fused.yield %r : f32
  }
}

// -----

// Other reads are made number by number.

!t = memref<?x?xf32>

// CHECK: name = "mirrored"
// CHECK-SAME: const i64 v0 = subtract(a1, a2);{{.*}}bool ignored = false;{{.*}}readClamped<point_region_table0>(args, {i64(a1), i64(v0)}, ignored);
// CHECK-SAME: point_region(args, status, p[0], p[1] + l)
fused.kernel @mirrored {
^bb0(%x: !t, %y: !t):
  fused.map dims(m, j) ins(%x : !t) outs(%y by (m, j) : !t) index(m, j) {
  ^bb0(%all: !t, %m: index, %j: index):
    %k = arith.subi %m, %j : index
    %r = fused.read %all[%m, %k] : !t
    fused.yield %r : f32
  }
}

// -----

// A cache in panels: a symbol per row, neighbours that lie apart.

#keys = #fused.layout<(b, h, s, d) -> (b, h, s floordiv 16, d, s mod 16)>
!k = memref<?x?x4x8xf32>
!c = memref<?x4x?x8xf32, #keys>
!p = memref<?xi64>

// CHECK: name = "append"
// CHECK-SAME: p[4] = loadOne<symbols_in0>(args, p);
// CHECK-SAME: struct point_out0 {{.*}}step = -1, lanes = 1;
// CHECK-SAME: (p[1] + p[4]) >> 4
fused.kernel @append {
^bb0(%k: !k, %p: !p, %c: !c):
  fused.map dims(b, t, h, d) symbols(s = %p by (b) : !p) ins(%k by (b, t, h, d) : !k) outs(%c by (b, h, s + t, d) : !c) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}

// -----

// What has no translation is named where it stands.

!t = memref<?xf32>
fused.kernel @unknown {
^bb0(%x: !t, %y: !t):
  fused.map dims(i) ins(%x by (i) : !t) outs(%y by (i) : !t) {
  ^bb0(%a: f32):
    // expected-error @below {{'math.erfc' has no translation in a region on a GPU}}
    %r = math.erfc %a : f32
    fused.yield %r : f32
  }
}

// -----

// A row ends where its length does, also where a thread takes one point.

// CHECK: name = "limited"
// CHECK-SAME: static constexpr int lanes = 1;{{.*}}has_whole_groups = false;{{.*}}limited_dim = 1;
fused.kernel @limited {
^bb0(%x: memref<?xf32>, %n: memref<?xi64>, %y: memref<?xf32>):
  fused.map dims(b, t = 1) ins(%x by (b) : memref<?xf32>) rows(%n by (b) of t : memref<?xi64>) outs(%y by (b) : memref<?xf32>) {
  ^bb0(%a: f32):
    fused.yield %a : f32
  }
}
