// A cell over any number of steps, over 32 and over 100000; only the last state is kept.
!x = tensor<?x?x16xf32>
!h = tensor<?x32xf32>

module @steps {
  func.func @any(%x: !x {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (!h {sinter.name = "y"}) {
    %w = arith.constant dense<0.01> : tensor<32x16xf32>
    %u = arith.constant dense<0.02> : tensor<32x32xf32>
    %y, %last = sinter.scan each(%xt = %x : !x) carry(%h = zero : !h) -> (tensor<?x?x32xf32>, !h) {
      %a = sinter.linear %xt, %w : tensor<?x16xf32>, tensor<32x16xf32>
      %d = sinter.linear %h, %u : !h, tensor<32x32xf32>
      %s = arith.addf %a, %d : !h
      %h1 = math.tanh %s : !h
      sinter.yield each(%h1 : !h) carry(%h1 : !h)
    }
    return %last : !h
  }
  sinter.entry @few = @any with {batch = 3, sequence = 32}
  sinter.entry @many = @any with {batch = 3, sequence = 100000}
}
