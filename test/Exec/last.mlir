// RUN: sinter-run %s %sweep --calls=4 --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: not sinter-run %s --random-weights --entry=take_input --input=x=1x3x20xf32=1 --input=at=1xi64=3 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not sinter-run %s --random-weights --entry=take_input --reference --input=x=1x3x20xf32=1 --input=at=1xi64=3 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: not sinter-run %s --random-weights --entry=take_either --input=x=1x9x20xf32=1 --input=z=1x4x20xf32=1 --input=at=1xi64=4 2>&1 | FileCheck %s --check-prefix=EITHER
// OUTSIDE: last_take_input: at has an id outside 0..sequence - 1
// REFERENCE: error: index '3' is outside of the '3' positions
// EITHER: last_take_either: at has an id outside 0..3 or 0..sequence - 1

!x = tensor<?x?x20xf32>
!n = tensor<?xi64>

// A row of length 0 has no last element: its result is not written.
module @last attributes {sinter.archive = "last.safetensors"} {
  func.func @full(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %y = sinter.last %x : !x
    return %y : tensor<?x20xf32>
  }

  func.func @ragged(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %y = sinter.last %x lengths(%n : !n) : !x
    return %y : tensor<?x20xf32>
  }

  // Pushed up through row-wise operations: only one row in a batch is computed.
  func.func @pushed(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: !n {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x33xf32> {sinter.name = "y"}) {
    %w, %g = sinter.weight "w", "g" : tensor<33x20xf32>, tensor<20xf32>
    %s = sinter.silu %x : !x
    %r = sinter.rms_norm %s, %g eps(1.0e-5) : !x, tensor<20xf32>
    %h = sinter.linear %r, %w : !x, tensor<33x20xf32>
    %y = sinter.last %h lengths(%n : !n) : tensor<?x?x33xf32>
    return %y : tensor<?x33xf32>
  }

  // A computed index is clamped; no position gives 0.
  func.func @take(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %i: !n {sinter.name = "at", sinter.dims = ["batch"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %zero = arith.constant dense<0> : tensor<1xi64>
    %z = sinter.broadcast %zero like(%i) : tensor<1xi64>, !n
    %c = arith.maxsi %i, %z : !n
    %y = sinter.take %x at(%c : !n) : !x
    return %y : tensor<?x20xf32>
  }

  // An index that the caller gives is checked before anything is written.
  func.func @take_input(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %i: !n {sinter.name = "at", sinter.dims = ["batch"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %y = sinter.take %x at(%i : !n) : !x
    return %y : tensor<?x20xf32>
  }

  // Below the least of a number and a dimension.
  func.func @take_either(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %z: tensor<?x4x20xf32> {sinter.name = "z", sinter.dims = ["batch"]},
      %i: !n {sinter.name = "at", sinter.dims = ["batch"]}) -> (tensor<?x20xf32> {sinter.name = "y"}) {
    %a = sinter.take %x at(%i : !n) : !x
    %b = sinter.take %z at(%i : !n) : tensor<?x4x20xf32>
    %y = arith.addf %a, %b : tensor<?x20xf32>
    return %y : tensor<?x20xf32>
  }
}
