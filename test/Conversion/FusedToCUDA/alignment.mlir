// RUN: sinter-opt %s --convert-fused-to-cuda --split-input-file | FileCheck %s

// Slots of the workspace, weights and states start at multiples of 64: no condition on their addresses. A caller's tensor needs
// only its element's alignment, so accesses to it ask the launch; those of a kernel that is launched with both do too.

#n = affine_map<()[s0] -> (s0 * 256, s0 * 256)>
#e = affine_map<()[s0] -> (s0, 64)>
!t = memref<?x64xf32>

// CHECK: name = "from_caller"
// CHECK-SAME: struct point_in0 {{.*}}return isMultiple<16>(args.slot[0]) && even(args);
// CHECK-SAME: struct point_out0 {{.*}}bool aligned(const Arguments &args) {{[{]}}\0A{{ *}}return even(args);
// CHECK-SAME: // In loops, 16 bytes at a time: point_in0, point_out0
// CHECK-SAME: uses = [{name = "point_in0", slot = 0 : i64, wide}, {name = "point_out0", slot = 2 : i64, wide}]
func.func @entry(%x: !t {sinter.name = "x", sinter.dims = ["n"]}, %y: !t {sinter.name = "y", fused.extents = #e})
    attributes {fused.dims = ["n"], fused.slots = [#n]} {
  %n = fused.dim "n"
  %s = fused.slot 0[%n] : !t
  %r = fused.slot 1[%n] : !t
  fused.launch @from_caller(%x, %s) : !t, !t
  return
}

fused.kernel @from_caller {
^bb0(%a: !t, %b: !t):
  fused.map dims(m, j) ins(%a by (m, j) : !t) outs(%b by (m, j) : !t) {
  ^bb0(%v: f32):
    %s = math.absf %v : f32
    fused.yield %s : f32
  }
}

// -----

#n = affine_map<()[s0] -> (s0 * 256, s0 * 256)>
#e = affine_map<()[s0] -> (s0, 64)>
!t = memref<?x64xf32>

// CHECK: name = "to_caller"
// CHECK-SAME: struct point_in0 {{.*}}bool aligned(const Arguments &args) {{[{]}}\0A{{ *}}return even(args);
// CHECK-SAME: struct point_out0 {{.*}}return isMultiple<16>(args.slot[2]) && even(args);
// CHECK-SAME: // In loops, 16 bytes at a time: point_in0, point_out0
// CHECK-SAME: uses = [{name = "point_in0", slot = 0 : i64, wide}, {name = "point_out0", slot = 2 : i64, wide}]
func.func @entry(%x: !t {sinter.name = "x", sinter.dims = ["n"]}, %y: !t {sinter.name = "y", fused.extents = #e})
    attributes {fused.dims = ["n"], fused.slots = [#n]} {
  %n = fused.dim "n"
  %s = fused.slot 0[%n] : !t
  %r = fused.slot 1[%n] : !t
  fused.launch @to_caller(%s, %y) : !t, !t
  return
}

fused.kernel @to_caller {
^bb0(%a: !t, %b: !t):
  fused.map dims(m, j) ins(%a by (m, j) : !t) outs(%b by (m, j) : !t) {
  ^bb0(%v: f32):
    %s = math.absf %v : f32
    fused.yield %s : f32
  }
}

// -----

#n = affine_map<()[s0] -> (s0 * 256, s0 * 256)>
#e = affine_map<()[s0] -> (s0, 64)>
!t = memref<?x64xf32>

// CHECK: name = "both"
// CHECK-SAME: struct point_in0 {{.*}}return isMultiple<16>(args.slot[0]) && even(args);
// CHECK-SAME: struct point_out0 {{.*}}bool aligned(const Arguments &args) {{[{]}}\0A{{ *}}return even(args);
// CHECK-SAME: // In loops, 16 bytes at a time: point_in0, point_out0
// CHECK-SAME: uses = [{name = "point_in0", slot = 0 : i64, wide}, {name = "point_out0", slot = 2 : i64, wide}]
func.func @entry(%x: !t {sinter.name = "x", sinter.dims = ["n"]}, %y: !t {sinter.name = "y", fused.extents = #e})
    attributes {fused.dims = ["n"], fused.slots = [#n]} {
  %n = fused.dim "n"
  %s = fused.slot 0[%n] : !t
  %r = fused.slot 1[%n] : !t
  fused.launch @both(%s, %r) : !t, !t
  fused.launch @both(%x, %r) : !t, !t
  return
}

fused.kernel @both {
^bb0(%a: !t, %b: !t):
  fused.map dims(m, j) ins(%a by (m, j) : !t) outs(%b by (m, j) : !t) {
  ^bb0(%v: f32):
    %s = math.absf %v : f32
    fused.yield %s : f32
  }
}
