// RUN: gate-kernels %s | FileCheck %s

module @recurrences attributes {sinter.archive = "recurrences.safetensors"} {
  // CHECK: recurrence_0 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: Input, project_stack0_matrix0, phase0_stack0_matrix0, scratch; less: initial0, initial1, Lengths, out0, out1, out2, phase0_map_in9
  func.func @lstm(%x: tensor<?x?x128xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]},
      %n: tensor<?xi64> {sinter.name = "lengths", sinter.dims = ["batch"]}) -> (tensor<?x?x256xf32> {sinter.name = "y"}) {
    %w, %r, %bi, %bh = sinter.weight "w", "r", "bi", "bh" : tensor<1024x128xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<1024xf32>
    %y, %h, %c = sinter.lstm %x, %w, %r, %bi, %bh lengths(%n : tensor<?xi64>)
        : tensor<?x?x128xf32>, tensor<1024x128xf32>, tensor<1024x256xf32>, tensor<1024xf32>, tensor<1024xf32>
    return %y : tensor<?x?x256xf32>
  }

  // Two phases, units that fill no panel.
  // CHECK: recurrence_1 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: project_stack0_matrix0, phase0_stack0_matrix0, phase1_stack0_matrix0, scratch; less: Input, initial0, out0, out1
  func.func @gru(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]}) -> (tensor<?x?x20xf32> {sinter.name = "y"}) {
    %w, %r = sinter.weight "wg", "rg" : tensor<60x11xf32>, tensor<60x20xf32>
    %y, %h = sinter.gru %x, %w, %r reset(before) : tensor<?x?x11xf32>, tensor<60x11xf32>, tensor<60x20xf32>
    return %y : tensor<?x?x20xf32>
  }

  // A cell that nobody has named: a reduction between its products and its map, and the state before the step as an output.
  // CHECK: recurrence_2 ({{[a-z]+}}) on sm_100
  // CHECK-NEXT: 16 bytes: project_stack0_matrix0, phase0_stack0_matrix0; less: Input, initial0, out0, out1, out2, phase0_reduce0_in2, phase0_reduce0_in3, scratch
  func.func @unknown(%x: tensor<?x?x11xf32> {sinter.name = "x", sinter.dims = ["batch", "sequence"]})
      -> (tensor<?x?x20xf32> {sinter.name = "y"}, tensor<?x?x20xf32> {sinter.name = "before"}) {
    %w, %u, %g, %b = sinter.weight "wc", "uc", "gc", "bc" : tensor<20x11xf32>, tensor<20x20xf32>, tensor<20xf32>, tensor<20xf32>
    %y, %before, %last = sinter.scan each(%xt = %x : tensor<?x?x11xf32>) carry(%h = zero : tensor<?x20xf32>)
        -> (tensor<?x?x20xf32>, tensor<?x?x20xf32>, tensor<?x20xf32>) {
      %a = sinter.linear %xt, %w : tensor<?x11xf32>, tensor<20x11xf32>
      %d = sinter.linear %h, %u : tensor<?x20xf32>, tensor<20x20xf32>
      %s = arith.addf %a, %d : tensor<?x20xf32>
      %n = sinter.layer_norm %s, %g, %b eps(1.0e-5) : tensor<?x20xf32>, tensor<20xf32>, tensor<20xf32>
      %m = math.absf %n : tensor<?x20xf32>
      %h1 = arith.mulf %n, %m : tensor<?x20xf32>
      sinter.yield each(%h1, %h : tensor<?x20xf32>, tensor<?x20xf32>) carry(%h1 : tensor<?x20xf32>)
    }
    return %y, %before : tensor<?x?x20xf32>, tensor<?x?x20xf32>
  }
}
