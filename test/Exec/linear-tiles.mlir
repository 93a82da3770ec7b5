// RUN: sinter-run %s %sweep --dim=batch=1 --dim=sequence=1,2,3,4,5,6,7,8,9,11,12,13,14,15,27,29

!x = tensor<?x?x6xf32>

// Rows and columns around every register tile; a weight that is no constant.
module @linear_tiles attributes {sinter.archive = "linear_tiles.safetensors"} {
  func.func @columns(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x15xf32> {sinter.name = "a"}, tensor<?x?x17xf32> {sinter.name = "b"}, tensor<?x?x31xf32> {sinter.name = "c"},
          tensor<?x?x48xf32> {sinter.name = "d"}, tensor<?x?x65xf32> {sinter.name = "e"}) {
    %u, %v, %w, %y, %z = sinter.weight "u", "v", "w", "y", "z" : tensor<15x6xf32>, tensor<17x6xf32>, tensor<31x6xf32>, tensor<48x6xf32>, tensor<65x6xf32>
    %a = sinter.linear %x, %u : !x, tensor<15x6xf32>
    %b = sinter.linear %x, %v : !x, tensor<17x6xf32>
    %c = sinter.linear %x, %w : !x, tensor<31x6xf32>
    %d = sinter.linear %x, %y : !x, tensor<48x6xf32>
    %e = sinter.linear %x, %z : !x, tensor<65x6xf32>
    return %a, %b, %c, %d, %e : tensor<?x?x15xf32>, tensor<?x?x17xf32>, tensor<?x?x31xf32>, tensor<?x?x48xf32>, tensor<?x?x65xf32>
  }

  func.func @given(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}, %w: tensor<19x6xf32> {sinter.name = "w"})
      -> (tensor<?x?x19xf32> {sinter.name = "y"}) {
    %y = sinter.linear %x, %w : !x, tensor<19x6xf32>
    return %y : tensor<?x?x19xf32>
  }

  // Gate and up share their input and are one kernel.
  func.func @paired(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x31xf32> {sinter.name = "y"}) {
    %g, %u = sinter.weight "gate", "up" : tensor<31x6xf32>, tensor<31x6xf32>
    %a = sinter.linear %x, %g : !x, tensor<31x6xf32>
    %s = sinter.silu %a : tensor<?x?x31xf32>
    %b = sinter.linear %x, %u : !x, tensor<31x6xf32>
    %y = arith.mulf %s, %b : tensor<?x?x31xf32>
    return %y : tensor<?x?x31xf32>
  }
}
