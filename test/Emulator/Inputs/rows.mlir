// Each form of fused.normalize: a row by a warp and by a block, in registers or read once a pass, of dynamic length, statistics alone,
// two reductions; of fused.map: with and without accesses of 16 bytes, gathered, past a limit; and plain loop nests.

module @rows attributes {sinter.archive = "rows.safetensors"} {
  func.func @warp(%x: tensor<?x37xf32> {sinter.name = "x37", sinter.dims = ["rows"]}, %z: tensor<?x40xf32> {sinter.name = "x40", sinter.dims = ["rows"]})
      -> (tensor<?x37xf32> {sinter.name = "odd"}, tensor<?x40xf32> {sinter.name = "even"}) {
    %g, %b = sinter.weight "g", "b" : tensor<40xf32>, tensor<40xf32>
    %odd = sinter.softmax %x : tensor<?x37xf32>
    %even = sinter.layer_norm %z, %g, %b eps(1.0e-5) : tensor<?x40xf32>, tensor<40xf32>, tensor<40xf32>
    return %odd, %even : tensor<?x37xf32>, tensor<?x40xf32>
  }

  // With a sum that is a result, too.
  func.func @block(%x: tensor<?x516xf32> {sinter.name = "x516", sinter.dims = ["rows"]}, %z: tensor<?x516xf32> {sinter.name = "z516", sinter.dims = ["rows"]})
      -> (tensor<?x516xf32> {sinter.name = "s"}, tensor<?x516xf32> {sinter.name = "y"}) {
    %g, %b = sinter.weight "g516", "b516" : tensor<516xf32>, tensor<516xf32>
    %s = arith.addf %x, %z : tensor<?x516xf32>
    %y = sinter.layer_norm %s, %g, %b eps(1.0e-5) : tensor<?x516xf32>, tensor<516xf32>, tensor<516xf32>
    return %s, %y : tensor<?x516xf32>, tensor<?x516xf32>
  }

  // More than the registers of a block hold.
  func.func @long(%x: tensor<?x16390xf32> {sinter.name = "x16390", sinter.dims = ["one"]}) -> (tensor<?x16390xf32> {sinter.name = "y"}) {
    %y = sinter.log_softmax %x : tensor<?x16390xf32>
    return %y : tensor<?x16390xf32>
  }

  func.func @dynamic(%x: tensor<?x?xf32> {sinter.name = "x", sinter.dims = ["rows", "columns"]}) -> (tensor<?x?xf32> {sinter.name = "y"}) {
    %y = sinter.softmax %x : tensor<?x?xf32>
    return %y : tensor<?x?xf32>
  }

  // Only the sum of squares is a row kernel's; the rest is in the product.
  func.func @statistics(%x: tensor<?x32xf32> {sinter.name = "x32", sinter.dims = ["rows"]}) -> (tensor<?x5xf32> {sinter.name = "y"}) {
    %g, %w = sinter.weight "g32", "w" : tensor<32xf32>, tensor<5x32xf32>
    %n = sinter.rms_norm %x, %g eps(1.0e-5) : tensor<?x32xf32>, tensor<32xf32>
    %y = sinter.linear %n, %w : tensor<?x32xf32>, tensor<5x32xf32>
    return %y : tensor<?x5xf32>
  }

  func.func @maps(%x: tensor<?x40xf32> {sinter.name = "x40", sinter.dims = ["rows"]}, %z: tensor<?x37xf32> {sinter.name = "x37", sinter.dims = ["rows"]})
      -> (tensor<?x40xf32> {sinter.name = "even"}, tensor<?x37xf32> {sinter.name = "odd"}) {
    %even = sinter.silu %x : tensor<?x40xf32>
    %odd = math.tanh %z : tensor<?x37xf32>
    return %even, %odd : tensor<?x40xf32>, tensor<?x37xf32>
  }

  func.func @gathered(%ids: tensor<?x?xi32> {sinter.name = "ids", sinter.dims = ["rows", "columns"]}) -> (tensor<?x?x8xf32> {sinter.name = "y"}) {
    %t = sinter.weight "table" : tensor<11x8xf32>
    %e = sinter.embedding %ids, %t : tensor<?x?xi32>, tensor<11x8xf32>
    %p = sinter.positions %ids : tensor<?x?xi32>
    %s = sinter.sinusoidal_positions %p : tensor<?x?xi64> -> tensor<?x?x8xf32>
    %y = arith.addf %e, %s : tensor<?x?x8xf32>
    return %y : tensor<?x?x8xf32>
  }

  func.func @loops(%x: tensor<?x?x7xf32> {sinter.name = "x7", sinter.dims = ["rows", "columns"]}) -> (tensor<?x7xf32> {sinter.name = "y"}) {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.0 : f32
    %n = tensor.dim %x, %c0 : tensor<?x?x7xf32>
    %z = tensor.splat %zero[%n] : tensor<?x7xf32>
    %y = linalg.reduce { arith.addf } ins(%x : tensor<?x?x7xf32>) outs(%z : tensor<?x7xf32>) dimensions = [1]
    return %y : tensor<?x7xf32>
  }
}
