// RUN: sinter-run %s %sweep --dim=batch=1,3 --dim=sequence=0,1,7,17
// RUN: sinter-run %s %sweep --dim=batch=3 --dim=sequence=5 --nasty

module @softmax {
  func.func @softmax(%x: tensor<?x?x37xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x37xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x?x37xf32>
    return %y : tensor<?x?x37xf32>
  }

  func.func @log_softmax(%x: tensor<?x?x37xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x37xf32> {sinter.name = "y"}) {
    %y = sinter.log_softmax %x : tensor<?x?x37xf32>
    return %y : tensor<?x?x37xf32>
  }

  // Rows of dynamic size, of size 0 and 1 too.
  func.func @dynamic(%x: tensor<?x?xf32> {sinter.name = "r", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?xf32> {sinter.name = "y"}, tensor<?x?xf32> {sinter.name = "z"}) {
    %y = sinter.softmax %x : tensor<?x?xf32>
    %z = sinter.log_softmax %x : tensor<?x?xf32>
    return %y, %z : tensor<?x?xf32>, tensor<?x?xf32>
  }

  // Rows of minus infinity give 0, never NaN.
  func.func @masked(%x: tensor<?x?x9xf32> {sinter.name = "m", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x9xf32> {sinter.name = "y"}) {
    %zero = arith.constant 0.0 : f32
    %low = arith.constant 0xFF800000 : f32
    %z = sinter.broadcast %zero like(%x) : f32, tensor<?x?x9xf32>
    %i = sinter.broadcast %low like(%x) : f32, tensor<?x?x9xf32>
    %p = arith.cmpf ogt, %x, %z : tensor<?x?x9xf32>
    %s = arith.select %p, %x, %i : tensor<?x?x9xi1>, tensor<?x?x9xf32>
    %y = sinter.softmax %s : tensor<?x?x9xf32>
    return %y : tensor<?x?x9xf32>
  }

  // Nothing is above 1000.
  func.func @all_masked(%x: tensor<?x?x9xf32> {sinter.name = "m", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x9xf32> {sinter.name = "y"}) {
    %limit = arith.constant 1.0e3 : f32
    %low = arith.constant 0xFF800000 : f32
    %l = sinter.broadcast %limit like(%x) : f32, tensor<?x?x9xf32>
    %i = sinter.broadcast %low like(%x) : f32, tensor<?x?x9xf32>
    %p = arith.cmpf ogt, %x, %l : tensor<?x?x9xf32>
    %s = arith.select %p, %x, %i : tensor<?x?x9xi1>, tensor<?x?x9xf32>
    %y = sinter.softmax %s : tensor<?x?x9xf32>
    return %y : tensor<?x?x9xf32>
  }
}
